import Chronology
import Glibc
import NMEA

/// Position, height and motion as one sentence of a maker's own states them, in common units.
///
/// Speaks only where no standard sentence of the epoch does, so that a receiver that sends both is understood as if it sent the standard
/// ones alone.
struct Solution: Sendable {
    /// How the position was made; ``FixQuality/none`` where there is none.
    var quality = FixQuality.none
    /// Nil where the fields are empty.
    var position: Position?
    /// The day, where it is told.
    var date: CivilDate?
    /// Metres above mean sea level.
    @Stated var altitude: Double?
    /// Metres above the ellipsoid.
    @Stated var ellipsoidalAltitude: Double?
    /// Metres per second over ground.
    @Stated var speed: Double?
    /// Degrees clockwise from true north.
    @Stated var course: Double?
    /// Horizontal dilution of precision as stated.
    @Stated var hdop: Double?
    /// Satellites used.
    var satellitesUsed: UInt8?
    /// Dimensions as GSA counts them, 1 ... 3; nil where not told.
    var fixMode: UInt8?

    /// Slower than this, metres per second, velocities along the axes have no direction: u-blox freezes its course there.
    private static let slowest = 0.1

    /// The solution of a sentence that holds one; nil for any other.
    init?(_ sentence: Proprietary) {
        switch sentence {
        case .pgrmf(let value): read(value)
        case .pqtmpvt(let value): read(value)
        case .pqtmgps(let value): read(value)
        case .psti030(let value): read(value)
        case .pashrpos(let value): read(value)
        case .ptnlggk(let value): read(value)
        default: return nil
        }
        date = sentence.date
    }

    private mutating func read(_ value: PGRMF) {
        position = value.position
        fixMode = value.fixType.flatMap { $0 <= 2 ? $0 + 1 : nil }
        quality = (fixMode ?? 1) > 1 ? .autonomous : .none
        speed = value.speed.map { $0 / 3.6 }
        course = value.course
    }

    private mutating func read(_ value: PQTMPVT) {
        position = value.position
        fixMode = Solution.dimensions(value.fixMode)
        quality = fixMode == 1 ? .none : .autonomous
        altitude = value.altitude
        if let height = value.altitude, let separation = value.geoidSeparation { ellipsoidalAltitude = height + separation }
        (speed, course, hdop) = (value.speed, value.course, value.hdop)
        satellitesUsed = value.satellitesUsed
    }

    private mutating func read(_ value: PQTMGPS) {
        position = value.position
        fixMode = Solution.dimensions(value.fixMode)
        quality = fixMode == 1 ? .none : .autonomous
        (altitude, ellipsoidalAltitude) = (value.altitude, value.ellipsoidalAltitude)
        (speed, course, hdop) = (value.speed, value.course, value.hdop)
        satellitesUsed = value.satellitesUsed
    }

    private mutating func read(_ value: PSTI030) {
        position = value.position
        quality = value.isValid == true ? value.mode.map(FixQuality.init) ?? .autonomous : .none
        altitude = value.altitude
        guard let east = value.eastwardSpeed, let north = value.northwardSpeed else { return }
        let size = (east * east + north * north).squareRoot()
        speed = size
        guard size >= Solution.slowest else { return }
        let degrees = atan2(east, north) * 180 / .pi
        course = degrees < 0 ? degrees + 360 : degrees
    }

    private mutating func read(_ value: PASHRPOS) {
        position = value.position
        quality = value.kind.map(FixQuality.init(pashr:)) ?? .none
        ellipsoidalAltitude = value.ellipsoidalAltitude
        speed = value.speed.map { $0 * 1852 / 3600 }
        (course, hdop) = (value.course, value.hdop)
        satellitesUsed = value.satellitesUsed
    }

    private mutating func read(_ value: PTNLGGK) {
        position = value.position
        quality = value.quality.map(FixQuality.init(ggk:)) ?? .none
        ellipsoidalAltitude = value.ellipsoidalAltitude
        satellitesUsed = value.satellitesUsed
    }

    /// Quectel's 0 for none as GSA's 1.
    private static func dimensions(_ stated: UInt8?) -> UInt8? {
        switch stated {
        case 2, 3: stated
        default: 1
        }
    }
}

extension FixQuality {
    /// By field 7 of `PTNL,GGK`; see ``PTNLGGK/quality``. What newer receivers add is a fix of a kind not known here.
    init(ggk: UInt8) {
        switch ggk {
        case 0: self = .none
        case 2, 6, 8, 12: self = .rtkFloat
        case 3, 7, 9: self = .rtkFixed
        case 4, 5, 11, 13: self = .differential
        case 10: self = .precise
        default: self = .autonomous
        }
    }

    /// By field 2 of `PASHR,POS`; see ``PASHRPOS/kind``.
    init(pashr: UInt8) {
        switch pashr {
        case 1: self = .differential
        case 2: self = .rtkFloat
        case 3: self = .rtkFixed
        default: self = .autonomous
        }
    }
}
