import Chronology
import Geodesy
import NMEA

/// Makes one fix of each epoch: chooses among what its sentences say, dates it, and gives it an accuracy.
public struct FixMaker: Sendable {
    /// What GGA said is good for epochs without one for this long (receivers that send it every fifth epoch exist).
    static let carrying = Instant.Span.seconds(10)

    /// The day keeper; the daemon tells it the host's date.
    public var calendar = Calendar()
    private var carried: Carried?
    private var accuracy = AccuracyJudge()

    /// What lasts beyond its own epoch.
    private struct Carried: Sendable {
        var at: Instant
        var quality: FixQuality
        var fixMode: UInt8?
        var satellitesUsed: UInt8?
        var hdop: Double?
        var vdop: Double?
        var geoidSeparation: Double?
    }

    /// A maker that has seen no epoch.
    public init() {}

    /// The fix of an epoch; its mode is ``FixMode/none`` where the receiver has no position or none that must be believed.
    ///
    /// - Parameter sky: The satellites as this epoch's sentences told of them; their signals tell of the accuracy.
    public mutating func make(_ epoch: Epoch, _ sky: SkyAssembler) -> Fix {
        var fix = Fix()
        fix.time = date(epoch)
        fix.quality = epoch.quality ?? carriedQuality(epoch) ?? .none
        carry(epoch, fix.quality)
        let used = epoch.gga?.satellitesUsed ?? epoch.gns?.satellitesUsed ?? epoch.pubx?.satellitesUsed ?? carried?.satellitesUsed
        fix.satellitesUsed = used.map(Int.init)
        fix.hdop = epoch.statedHDOP ?? carried?.hdop
        guard fix.quality.isPosition, let position = epoch.position,
            let coordinate = Coordinate(latitude: position.latitude, longitude: position.longitude)
        else {
            accuracy.pass(epoch)
            fix.hdop = nil
            if fix.quality.isPosition { fix.quality = .none }
            return fix
        }
        fix.coordinate = coordinate
        setAltitude(&fix, epoch)
        setMotion(&fix, epoch)
        let fixMode = epoch.fixMode ?? carried?.fixMode ?? (fix.altitude ?? fix.ellipsoidalAltitude == nil ? 2 : 3)
        fix.mode = fixMode == 2 ? .twoD : .threeD
        let signals = sky.signals(hadGSA: epoch.hasSatelliteList, at: epoch.closed)
        accuracy.judge(&fix, epoch, vdop: epoch.vdop ?? Dilution.believable(epoch.pubx?.vdop) ?? carried?.vdop, signals)
        return fix
    }

    private mutating func date(_ epoch: Epoch) -> UTCTime? {
        if let rmc = epoch.rmc, let time = rmc.time, let date = rmc.date?.civil, rmc.isValid != false || calendar.isPlausible(date) {
            calendar.learn(date, time)
        }
        if let zda = epoch.zda, let time = zda.time, let date = zda.date { calendar.learn(date, time) }
        return epoch.time.flatMap { calendar.resolve($0) }
    }

    private func carriedQuality(_ epoch: Epoch) -> FixQuality? {
        epoch.position == nil ? nil : carried?.quality
    }

    private mutating func carry(_ epoch: Epoch, _ quality: FixQuality) {
        if let known = carried, epoch.closed - known.at > FixMaker.carrying || !quality.isPosition { carried = nil }
        guard quality.isPosition, epoch.gga != nil || epoch.gns != nil || epoch.hadGSA else { return }
        var next = carried ?? Carried(at: epoch.closed, quality: quality)
        next.at = epoch.closed
        next.quality = quality
        next.fixMode = epoch.fixMode ?? next.fixMode
        next.satellitesUsed = epoch.gga?.satellitesUsed ?? epoch.gns?.satellitesUsed ?? next.satellitesUsed
        next.hdop = epoch.statedHDOP ?? next.hdop
        next.vdop = epoch.vdop ?? next.vdop
        next.geoidSeparation = epoch.gga?.geoidSeparation ?? epoch.gns?.geoidSeparation ?? next.geoidSeparation
        carried = next
    }

    private func setAltitude(_ fix: inout Fix, _ epoch: Epoch) {
        let separation = epoch.gga?.geoidSeparation ?? epoch.gns?.geoidSeparation ?? carried?.geoidSeparation
        fix.altitude = epoch.gga?.altitude ?? epoch.gns?.altitude
        fix.ellipsoidalAltitude = epoch.pubx?.ellipsoidalAltitude
        guard let separation else { return }
        if fix.altitude == nil { fix.altitude = fix.ellipsoidalAltitude.map { $0 - separation } }
        if fix.ellipsoidalAltitude == nil { fix.ellipsoidalAltitude = fix.altitude.map { $0 + separation } }
    }

    private func setMotion(_ fix: inout Fix, _ epoch: Epoch) {
        let metresPerSecond = 1852.0 / 3600
        let speed = epoch.rmc?.speed ?? epoch.vtg?.speed
        fix.speed = speed.map { $0 * metresPerSecond } ?? epoch.pubx?.speed.map { $0 / 3.6 }
        if let known = fix.speed, known < 0 { fix.speed = nil }
        let course = epoch.rmc?.course ?? epoch.vtg?.course ?? epoch.pubx?.course
        fix.course = course.flatMap { (0...360).contains($0) ? $0.truncatingRemainder(dividingBy: 360) : nil }
    }
}
