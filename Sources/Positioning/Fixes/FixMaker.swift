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
    private var derived: Derived?
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

    /// Dilution by the satellites that a GSA named, for the epochs that have none; they grow old as ``Carried`` does.
    private struct Derived: Sendable {
        var at: Instant
        var hdop: Double
        var vdop: Double?
    }

    /// A zero for the geoid's height is not believed where the geoid is further than this, in metres, from the ellipsoid: the error of
    /// ``Geoid`` at 99 % is 4.4 m.
    static let nearZero = 5.0

    /// A maker that has seen no epoch.
    public init() {}

    /// The fix of an epoch; its mode is ``FixMode/none`` where the receiver has no position or none that must be believed.
    ///
    /// - Parameter sky: The satellites as this epoch's sentences told of them: their signals tell of the accuracy, their places of the
    ///   dilution where the receiver states none.
    public mutating func make(_ epoch: Epoch, _ sky: SkyAssembler) -> Fix {
        var fix = Fix()
        fix.quality = epoch.quality ?? carriedQuality(epoch) ?? .none
        fix.time = date(epoch, hasFix: fix.quality.isPosition)
        carry(epoch, fix.quality)
        let used = epoch.gga?.satellitesUsed ?? epoch.gns?.satellitesUsed ?? epoch.pubx?.satellitesUsed
        fix.satellitesUsed = (used ?? epoch.solution?.satellitesUsed ?? carried?.satellitesUsed).map(Int.init)
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
        setAltitude(&fix, epoch, coordinate)
        setMotion(&fix, epoch)
        let stated = epoch.fixMode ?? carried?.fixMode ?? epoch.solution?.fixMode
        let fixMode = stated ?? (fix.altitude ?? fix.ellipsoidalAltitude == nil ? 2 : 3)
        fix.mode = fixMode == 2 ? .twoD : .threeD
        var vdop = epoch.vdop ?? Dilution.believable(epoch.pubx?.vdop) ?? carried?.vdop
        if fix.hdop == nil || vdop == nil && fix.mode == .threeD { deriveDilution(&fix, &vdop, epoch, sky) }
        let signals = sky.signals(hadGSA: epoch.hasSatelliteList, at: epoch.closed)
        accuracy.judge(&fix, epoch, vdop: vdop, signals)
        return fix
    }

    /// Fills in what is missing.
    private mutating func deriveDilution(_ fix: inout Fix, _ vdop: inout Double?, _ epoch: Epoch, _ sky: SkyAssembler) {
        if epoch.hasSatelliteList {
            let geometry = sky.geometry(at: epoch.closed)
            if fix.mode == .twoD {
                derived = geometry.twoD.map { Derived(at: epoch.closed, hdop: $0) }
            } else {
                derived = geometry.threeD.map { Derived(at: epoch.closed, hdop: $0.hdop, vdop: $0.vdop) }
            }
        }
        guard let derived, epoch.closed - derived.at <= FixMaker.carrying else { return }
        fix.hdop = fix.hdop ?? derived.hdop
        vdop = vdop ?? derived.vdop
    }

    private mutating func date(_ epoch: Epoch, hasFix: Bool) -> UTCTime? {
        if let rmc = epoch.rmc, let time = rmc.time, let date = rmc.date.flatMap(calendar.civil) {
            calendar.learn(date, time, hasFix: rmc.isValid != false, at: epoch.opened)
        }
        if let zda = epoch.zda, let time = zda.time, let date = zda.date {
            calendar.learn(date, time, hasFix: hasFix, at: epoch.opened)
        } else if epoch.rmc?.date == nil, let own = epoch.solution, let time = epoch.time, let date = own.date {
            calendar.learn(date, time, hasFix: own.quality.isPosition, at: epoch.opened)
        }
        return epoch.time.flatMap { calendar.resolve($0, hasFix: hasFix, at: epoch.opened) }
    }

    private func carriedQuality(_ epoch: Epoch) -> FixQuality? {
        epoch.position == nil ? nil : carried?.quality
    }

    private mutating func carry(_ epoch: Epoch, _ quality: FixQuality) {
        if let known = carried, epoch.closed - known.at > FixMaker.carrying || !quality.isPosition { carried = nil }
        // What was stated before speaks for an epoch that states nothing, not for one that states that there is none.
        if epoch.deniesHDOP { carried?.hdop = nil }
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

    /// One altitude makes the other: by the receiver's height of the geoid, or where it states none by EGM96's.
    private func setAltitude(_ fix: inout Fix, _ epoch: Epoch, _ place: Coordinate) {
        let stated = epoch.gga?.geoidSeparation ?? epoch.gns?.geoidSeparation ?? carried?.geoidSeparation
        fix.altitude = epoch.gga?.altitude ?? epoch.gns?.altitude
        fix.ellipsoidalAltitude = epoch.pubx?.ellipsoidalAltitude
        if let own = epoch.solution, fix.altitude == nil, fix.ellipsoidalAltitude == nil {
            (fix.altitude, fix.ellipsoidalAltitude) = (own.altitude, own.ellipsoidalAltitude)
        }
        guard (fix.altitude == nil) != (fix.ellipsoidalAltitude == nil) else { return }
        let model = stated == nil || stated == 0 ? Geoid.separation(at: place) : nil
        let isFalseZero = stated == 0 && model.map { $0.magnitude > FixMaker.nearZero } ?? false
        guard let separation = isFalseZero ? model : stated ?? model else { return }
        if let ellipsoidal = fix.ellipsoidalAltitude {
            fix.altitude = ellipsoidal - separation
        } else if !isFalseZero {
            // A receiver that knows no geoid may have meant either altitude: the other one is not known.
            fix.ellipsoidalAltitude = fix.altitude.map { $0 + separation }
        }
    }

    private func setMotion(_ fix: inout Fix, _ epoch: Epoch) {
        let metresPerSecond = 1852.0 / 3600
        let speed = epoch.rmc?.speed ?? epoch.vtg?.speed
        fix.speed = speed.map { $0 * metresPerSecond } ?? epoch.pubx?.speed.map { $0 / 3.6 } ?? epoch.solution?.speed
        if let known = fix.speed, known < 0 { fix.speed = nil }
        let course = epoch.rmc?.course ?? epoch.vtg?.course ?? epoch.pubx?.course ?? epoch.solution?.course
        fix.course = course.flatMap { (0...360).contains($0) ? $0.truncatingRemainder(dividingBy: 360) : nil }
    }
}
