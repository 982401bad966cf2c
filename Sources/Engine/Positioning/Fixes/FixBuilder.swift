import Chronology
import Geodesy
import Glibc
import NMEA

/// Builds one fix per epoch: selects values from its sentences, determines the date and estimates
/// the accuracy.
public struct FixBuilder: Sendable {
    /// How long values of GGA stay valid for epochs without one (some receivers send GGA every
    /// fifth epoch).
    static let carryOverLimit = Instant.Span.seconds(10)

    /// The calendar that determines dates; the daemon sets its reference to the host's date.
    public var calendar = GNSSCalendar()
    /// Whether the receiver announced itself as simulated.
    public var isSimulated = false
    /// The datum of the positions if it is not WGS-84.
    public var datum: ForeignDatum?
    private var carried: CarriedValues?
    private var derived: DerivedDilution?
    private var accuracy = AccuracyEstimator()

    /// Values that stay valid after their own epoch.
    private struct CarriedValues: Sendable {
        var at: Instant
        var quality: FixQuality
        var fixMode: UInt8?
        var satellitesUsed: Int?
        var hdop: Double?
        var vdop: Double?
        var geoidSeparation: Double?
    }

    /// The dilution computed from the satellites of a GSA, for epochs without GSA; it expires like
    /// ``CarriedValues``.
    private struct DerivedDilution: Sendable {
        var at: Instant
        var hdop: Double
        var vdop: Double?
    }

    /// A reported geoid separation of zero is ignored if the geoid is further than this from the
    /// ellipsoid, in metres: the error of ``Geoid`` at 99 % is 4.4 m.
    static let plausibleZeroSeparation = 5.0

    /// Metres from a place such as 0,0 within which a receiver may really get there.
    static let placeholderDistance = 10_000.0

    /// Creates a builder without any data.
    public init() {}

    /// Returns the fix of an epoch. Its mode is ``FixMode/none`` if the receiver has no position or
    /// an invalid one.
    ///
    /// - Parameter sky: The satellites of this epoch. Their signals affect the accuracy, and their
    ///   directions give the dilution if the receiver reports none.
    public mutating func build(_ epoch: Epoch, sky: SkyAssembler) -> Fix {
        var fix = Fix()
        fix.quality = epoch.quality ?? carriedQuality(epoch) ?? .none
        if fix.quality.isPosition, isPlaceholder(epoch, sky: sky) { fix.quality = .none }
        fix.isSimulated = isSimulated || fix.quality == .simulated
        fix.time = date(epoch, hasFix: fix.quality.isPosition)
        fix.isDateGuessed = calendar.isGuessed
        expireCarried(at: epoch.closed, quality: fix.quality)
        fix.satellitesUsed = epoch.satellitesUsed(
            listed: epoch.hasSatelliteList ? sky.usedCount : nil, before: carried?.satellitesUsed)
        carry(epoch, quality: fix.quality, satellitesUsed: fix.satellitesUsed)
        fix.hdop = epoch.reportedHDOP ?? carried?.hdop
        guard fix.quality.isPosition, let position = epoch.position,
            let coordinate = Coordinate(latitude: position.latitude, longitude: position.longitude)
        else {
            accuracy.recordEpochWithoutPosition(epoch)
            return FixBuilder.withoutPosition(fix)
        }
        fix.coordinate = coordinate
        setAltitude(of: &fix, from: epoch, at: coordinate)
        setMotion(of: &fix, from: epoch)
        let reported = epoch.fixMode ?? carried?.fixMode ?? epoch.solution?.fixMode
        let fixMode = reported ?? (fix.altitude ?? fix.ellipsoidalAltitude == nil ? 2 : 3)
        fix.mode = fixMode == 2 ? .twoD : .threeD
        var vdop = epoch.vdop ?? Dilution.plausible(epoch.pubx?.vdop) ?? carried?.vdop
        if fix.hdop == nil || vdop == nil && fix.mode == .threeD {
            deriveDilution(of: &fix, vdop: &vdop, epoch: epoch, sky: sky)
        }
        let signals = sky.signals(hadGSA: epoch.hasSatelliteList, at: epoch.closed)
        guard accuracy.setAccuracies(of: &fix, from: epoch, vdop: vdop, signals: signals) else {
            return FixBuilder.withoutPosition(fix)
        }
        if let datum {
            fix.datum = datum.name
            fix.horizontalAccuracy? += datum.shift(atLatitude: coordinate.latitude)
            fix.verticalAccuracy? += datum.heightOffset
        }
        return fix
    }

    /// The values of the receiver that other values contradict.
    public var contradicted: ContradictedValues { accuracy.contradicted }

    /// Returns what is left of a fix whose position is invalid.
    private static func withoutPosition(_ fix: Fix) -> Fix {
        var rest = Fix(quality: fix.quality.isPosition ? .none : fix.quality)
        (rest.time, rest.isSimulated) = (fix.time, fix.isSimulated)
        rest.satellitesUsed = fix.satellitesUsed
        return rest
    }

    /// Returns whether the position only fills the fields of a receiver that has none.
    ///
    /// Exactly 0,0 with status `A` comes from firmware and gateways before the first fix
    /// (ttlappalainen/NMEA2000 as used by esp32-nmea2000#38, SignalK/nmea0183-signalk#140,
    /// traccar#5156); so does a latitude of 90 degrees. A receiver that was nearby may be there. A
    /// GGA with quality 1 and no satellite, beside a GSA without a fix or a GSV without a
    /// satellite, has no position either. A plotter and a Garmin count none beside GSV with ten:
    /// that is a position.
    private func isPlaceholder(_ epoch: Epoch, sky: SkyAssembler) -> Bool {
        if epoch.gga?.satellitesUsed == 0, epoch.gga?.quality == 1,
            epoch.fixMode == 1 || sky.showsNoSatellite(at: epoch.closed)
        {
            return true
        }
        guard let position = epoch.position else { return false }
        let isFill =
            position.latitude == 0 && position.longitude.remainder(dividingBy: 180) == 0
            || abs(position.latitude) == 90
        guard isFill, let place = Coordinate(latitude: position.latitude, longitude: position.longitude) else {
            return false
        }
        return !accuracy.wasNear(place, within: FixBuilder.placeholderDistance)
    }

    /// Computes missing HDOP and VDOP from the satellites.
    private mutating func deriveDilution(of fix: inout Fix, vdop: inout Double?, epoch: Epoch, sky: SkyAssembler) {
        if epoch.hasSatelliteList {
            let geometry = sky.geometry(at: epoch.closed)
            if fix.mode == .twoD {
                derived = geometry.twoD.map { DerivedDilution(at: epoch.closed, hdop: $0) }
            } else {
                derived = geometry.threeD.map { DerivedDilution(at: epoch.closed, hdop: $0.hdop, vdop: $0.vdop) }
            }
        }
        guard let derived, epoch.closed - derived.at <= FixBuilder.carryOverLimit else { return }
        fix.hdop = fix.hdop ?? derived.hdop
        vdop = vdop ?? derived.vdop
    }

    private mutating func date(_ epoch: Epoch, hasFix: Bool) -> UTCTime? {
        if let rmc = epoch.rmc, let time = rmc.time, let date = rmc.date.flatMap(calendar.civil),
            isNear(time, epoch.time)
        {
            calendar.record(date, time: time, hasFix: rmc.isValid != false, at: epoch.opened)
        }
        if let zda = epoch.zda, let time = zda.time, let date = zda.date {
            calendar.record(date, time: time, hasFix: hasFix, at: epoch.opened)
        } else if epoch.rmc?.date == nil, let solution = epoch.solution, let time = epoch.time, let date = solution.date
        {
            calendar.record(date, time: time, hasFix: solution.quality.isPosition, at: epoch.opened)
        }
        return epoch.time.flatMap { calendar.resolve($0, hasFix: hasFix, at: epoch.opened) }
    }

    /// Returns whether a time may be that of the epoch. The date of another one may be another day.
    private func isNear(_ time: TimeOfDay, _ ofEpoch: TimeOfDay?) -> Bool {
        ofEpoch.map { EpochAssembler.interval(between: $0, and: time) <= EpochAssembler.maxDelay } ?? true
    }

    private func carriedQuality(_ epoch: Epoch) -> FixQuality? {
        epoch.position == nil ? nil : carried?.quality
    }

    private mutating func expireCarried(at now: Instant, quality: FixQuality) {
        if let known = carried, now - known.at > FixBuilder.carryOverLimit || !quality.isPosition { carried = nil }
    }

    private mutating func carry(_ epoch: Epoch, quality: FixQuality, satellitesUsed: Int?) {
        // An earlier HDOP stays valid for an epoch that reports none, but not for one that reports
        // the marker for "none".
        if epoch.reportsNoHDOP { carried?.hdop = nil }
        guard quality.isPosition, epoch.gga != nil || epoch.gns != nil || epoch.hasGSA else { return }
        var next = carried ?? CarriedValues(at: epoch.closed, quality: quality)
        next.at = epoch.closed
        next.quality = quality
        next.fixMode = epoch.fixMode ?? next.fixMode
        next.satellitesUsed = satellitesUsed
        next.hdop = epoch.reportedHDOP ?? next.hdop
        next.vdop = epoch.vdop ?? next.vdop
        next.geoidSeparation = epoch.gga?.geoidSeparation ?? epoch.gns?.geoidSeparation ?? next.geoidSeparation
        carried = next
    }

    /// Derives the missing altitude from the other by the receiver's geoid separation, or by EGM96
    /// if the receiver reports none.
    private func setAltitude(of fix: inout Fix, from epoch: Epoch, at place: Coordinate) {
        let reported = epoch.gga?.geoidSeparation ?? epoch.gns?.geoidSeparation ?? carried?.geoidSeparation
        fix.altitude = epoch.gga?.altitude ?? epoch.gns?.altitude
        fix.ellipsoidalAltitude = epoch.pubx?.ellipsoidalAltitude
        if let solution = epoch.solution, fix.altitude == nil, fix.ellipsoidalAltitude == nil {
            (fix.altitude, fix.ellipsoidalAltitude) = (solution.altitude, solution.ellipsoidalAltitude)
        }
        guard (fix.altitude == nil) != (fix.ellipsoidalAltitude == nil) else { return }
        let model = reported == nil || reported == 0 ? Geoid.separation(at: place) : nil
        let isPlaceholderZero =
            reported == 0 && model.map { $0.magnitude > FixBuilder.plausibleZeroSeparation } ?? false
        guard let separation = isPlaceholderZero ? model : reported ?? model else { return }
        if let ellipsoidal = fix.ellipsoidalAltitude {
            fix.altitude = ellipsoidal - separation
        } else if !isPlaceholderZero {
            // A receiver without a geoid may report either altitude, so the other one stays
            // unknown.
            fix.ellipsoidalAltitude = fix.altitude.map { $0 + separation }
        }
    }

    private func setMotion(of fix: inout Fix, from epoch: Epoch) {
        let metresPerSecond = 1852.0 / 3600
        let speed = epoch.rmc?.speed ?? epoch.vtg?.speed
        fix.speed = speed.map { $0 * metresPerSecond } ?? epoch.pubx?.speed.map { $0 / 3.6 } ?? epoch.solution?.speed
        if let known = fix.speed, known < 0 { fix.speed = nil }
        let course = epoch.rmc?.course ?? epoch.vtg?.course ?? epoch.pubx?.course ?? epoch.solution?.course
        fix.course = course.flatMap { (0...360).contains($0) ? $0.truncatingRemainder(dividingBy: 360) : nil }
    }
}

/// A datum other than WGS-84 in which a receiver reports its positions.
///
/// The positions are not transformed. IEC 61162-1 gives the direction of the offsets in DTM, but
/// receivers disagree: recorded sentences for Tokyo have the opposite one, and a shift in the wrong
/// direction would double the error. The accuracies contain the difference instead.
public struct ForeignDatum: Sendable, Equatable {
    /// The name as the receiver reports it.
    public let name: String
    /// The offsets in minutes; nil if the receiver reports none.
    private var offset: Offset?
    /// Metres of height; 0 if not reported.
    private(set) var heightOffset = 0.0

    private struct Offset: Sendable, Equatable {
        var latitude: Double
        var longitude: Double
    }

    /// Metres between WGS-84 and a national datum. Tokyo 1918 differs by 460 m, Ordnance Survey
    /// 1936 and European 1950 by 100 to 200 m (IHO S-60).
    private static let usualShift = 500.0
    /// Metres between WGS-84 and the earlier earth-centred datums WGS-72 and SGS-85.
    private static let earthCentredShift = 20.0
    /// Metres between WGS-84 and datums that were fixed to a continent since 1983, which moves.
    private static let continentalShift = 2.0
    private static let metresPerMinute = 1852.0

    /// Creates the datum of a DTM; nil if it agrees with WGS-84 or is not reported.
    public init?(_ dtm: DTM) {
        guard dtm.isWGS84 == false else { return nil }
        name = dtm.name
        heightOffset = dtm.altitudeOffset?.magnitude ?? 0
        if let latitude = dtm.latitudeOffset, let longitude = dtm.longitudeOffset, latitude != 0 || longitude != 0 {
            offset = Offset(latitude: latitude, longitude: longitude)
        }
    }

    /// Creates the datum of Garmin's `PGRMM`; nil if it is WGS-84.
    public init?(_ pgrmm: PGRMM) {
        guard !pgrmm.isWGS84 else { return nil }
        name = pgrmm.datum.string
    }

    /// Returns the distance in metres between the position in this datum and in WGS-84.
    func shift(atLatitude degrees: Double) -> Double {
        guard let offset else {
            return switch name {
            case "W72", "S85", "WGS 72": ForeignDatum.earthCentredShift
            case "NAR", "NAD83", "GDA", "GDA94", "ETRS89": ForeignDatum.continentalShift
            default: ForeignDatum.usualShift
            }
        }
        let east = offset.longitude * cos(degrees * .pi / 180)
        let distance = (offset.latitude * offset.latitude + east * east).squareRoot() * ForeignDatum.metresPerMinute
        return min(distance, AccuracyConstants.maxPlausibleError)
    }
}
