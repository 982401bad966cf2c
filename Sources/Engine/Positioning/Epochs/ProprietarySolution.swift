import Chronology
import Glibc
import NMEA

/// Position, height and motion as one proprietary sentence reports them, in common units.
///
/// The solution counts only if no standard sentence of the epoch reports the same value. A receiver
/// that sends both thus gives the same result as with standard sentences alone.
struct ProprietarySolution: Sendable {
    /// The quality of the position; ``FixQuality/none`` without a position.
    var quality = FixQuality.none
    /// The position; nil if the fields are empty.
    var position: Position?
    /// The date; nil if not reported.
    var date: CivilDate?
    /// Metres above mean sea level.
    @Reported var altitude: Double?
    /// Metres above the ellipsoid.
    @Reported var ellipsoidalAltitude: Double?
    /// Metres per second over ground.
    @Reported var speed: Double?
    /// Degrees clockwise from true north.
    @Reported var course: Double?
    /// Horizontal dilution of precision as reported.
    @Reported var hdop: Double?
    var satellitesUsed: UInt8?
    /// Dimensions with the values of GSA, 1 ... 3; nil if not reported.
    var fixMode: UInt8?

    /// Metres per second. Velocity components below this give no direction; u-blox freezes its
    /// course there.
    private static let minSpeedForCourse = 0.1

    /// Creates the solution of a proprietary sentence. Returns nil if the sentence contains none.
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
        fixMode = ProprietarySolution.dimensions(value.fixMode)
        quality = fixMode == 1 ? .none : .autonomous
        altitude = value.altitude
        if let height = value.altitude, let separation = value.geoidSeparation {
            ellipsoidalAltitude = height + separation
        }
        speed = value.speed
        course = value.course
        hdop = value.hdop
        satellitesUsed = value.satellitesUsed
    }

    private mutating func read(_ value: PQTMGPS) {
        position = value.position
        fixMode = ProprietarySolution.dimensions(value.fixMode)
        quality = fixMode == 1 ? .none : .autonomous
        (altitude, ellipsoidalAltitude) = (value.altitude, value.ellipsoidalAltitude)
        speed = value.speed
        course = value.course
        hdop = value.hdop
        satellitesUsed = value.satellitesUsed
    }

    private mutating func read(_ value: PSTI030) {
        position = value.position
        quality = value.isValid == true ? value.mode.map(FixQuality.init) ?? .autonomous : .none
        altitude = value.altitude
        guard let east = value.eastwardSpeed, let north = value.northwardSpeed else { return }
        let size = (east * east + north * north).squareRoot()
        speed = size
        guard size >= ProprietarySolution.minSpeedForCourse else { return }
        let degrees = atan2(east, north) * 180 / .pi
        course = degrees < 0 ? degrees + 360 : degrees
    }

    private mutating func read(_ value: PASHRPOS) {
        position = value.position
        quality = value.quality.map(FixQuality.init(pashr:)) ?? .none
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

    /// Maps Quectel's 0 for no fix to GSA's 1.
    private static func dimensions(_ reported: UInt8?) -> UInt8? {
        switch reported {
        case 2, 3: reported
        default: 1
        }
    }
}

extension FixQuality {
    /// Creates a quality from field 7 of `PTNL,GGK`; see ``PTNLGGK/quality``. Unknown values of
    /// newer receivers count as a fix of unknown kind.
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

    /// Creates a quality from field 2 of `PASHR,POS`; see ``PASHRPOS/quality``.
    init(pashr: UInt8) {
        switch pashr {
        case 1: self = .differential
        case 2: self = .rtkFloat
        case 3: self = .rtkFixed
        default: self = .autonomous
        }
    }
}
