import Chronology
import Geodesy

@_exported import enum SextantAPI.StationVerdict

/// The fixed place of a device that does not move: a weather station, a gateway, an antenna. It
/// needs no receiver.
public struct Station: Sendable, Equatable {
    /// The name that its locations have in place of a receiver's.
    public var name: String
    /// The position.
    public var coordinate: Coordinate
    /// The 68 % radius of the position in metres, above 0.
    public var horizontalAccuracy: Double
    /// Metres above mean sea level; nil if unknown.
    public var altitude: Double?

    /// Creates a fixed place.
    public init(
        name: String = "station", coordinate: Coordinate, horizontalAccuracy: Double, altitude: Double? = nil
    ) {
        self.name = name
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.altitude = altitude
    }

    /// Returns the place as a fix of this time.
    ///
    /// - Parameter time: The time of the host's clock; nil if that was never set.
    public func fix(at time: UTCTime?) -> Fix {
        var fix = Fix(mode: altitude == nil ? .twoD : .threeD, quality: .manual)
        fix.time = time
        fix.coordinate = coordinate
        fix.horizontalAccuracy = horizontalAccuracy
        fix.accuracySource = .configured
        fix.altitude = altitude
        fix.ellipsoidalAltitude = altitude.map { $0 + Geoid.separation(at: coordinate) }
        fix.speed = 0
        return fix
    }
}

/// Compares a fixed place with the fixes of a receiver.
///
/// Positions of three minutes make a measurement: their median, with the radius of
/// ``StationaryPlace/averaged(_:over:)``. A measurement is far away if its distance is more than
/// twice the root of the squares of both radii, and than 10 m. That is the rule by which a rest
/// ends after a gap (`docs/motion.md`, section 3). The device counts as moved if all measurements
/// of an hour are far away, and no longer if one is nearer than half of that.
public struct StationCheck: Sendable, Equatable {
    /// A comparison with the place.
    public struct Measurement: Sendable, Equatable {
        /// The receiver that made it.
        public var receiver: String
        /// When it ended.
        public var at: Instant
        /// Metres from the place.
        public var distance: Double
        /// The 68 % radius of the measured position in metres.
        public var horizontalAccuracy: Double
    }

    /// How long the fixes of a measurement last. Errors are correlated for about two minutes.
    public static let duration = Instant.Span.seconds(180)
    /// The time from one used fix to the next, so that a fast receiver needs no more memory.
    private static let minInterval = Instant.Span.milliseconds(900)
    /// The time without a fix after which a measurement begins again.
    private static let maxGap = Instant.Span.seconds(60)
    /// The number of fixes in a measurement; those of duty-cycled receivers are rare.
    private static let minCount = 18
    /// The 68 % radius in metres above which a fix is not used.
    private static let maxRadius = 50.0
    /// The least distance in metres of a device that has moved.
    private static let minDistance = 10.0

    /// How long far measurements must last: errors of reflections last for minutes.
    private static let confirmation = Instant.Span.seconds(3600)
    /// The age of the last measurement after which the place is not checked any more.
    private static let maxAge = Instant.Span.seconds(12 * 3600)

    /// What the last measurements say about the place, however old they are.
    public private(set) var verdict = StationVerdict.unchecked
    /// The last measurement; nil if there is none.
    public private(set) var last: Measurement?
    private let station: Station
    /// When the first of the far measurements in a row ended.
    private var farSince: Instant?
    private var receiver = ""
    private var began = Instant.zero
    private var newest = Instant.zero
    private var east: [Double] = []
    private var north: [Double] = []
    private var radii: [Double] = []

    /// Creates the check of a place without any measurement.
    public init(of station: Station) { self.station = station }

    /// Returns what receivers say about the place now. An agreement ends after 12 h without a
    /// measurement; a warning stays.
    public func verdict(at now: Instant) -> StationVerdict {
        guard verdict == .agrees, let last, now - last.at > StationCheck.maxAge else { return verdict }
        return .unchecked
    }

    /// Processes a fix of the primary receiver.
    public mutating func process(_ fix: Fix, from receiver: String, at now: Instant) {
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius <= StationCheck.maxRadius,
            !fix.isSimulated
        else { return }
        switch fix.quality {
        case .none, .estimated, .manual, .simulated, .unknown: return
        case .autonomous, .differential, .precise, .rtkFixed, .rtkFloat: break
        }
        if receiver != self.receiver || now - newest > StationCheck.maxGap || radii.isEmpty {
            (self.receiver, began) = (receiver, now)
            clear()
        } else if now - newest < StationCheck.minInterval {
            return
        }
        newest = now
        let offset = station.coordinate.offset(of: coordinate)
        east.append(offset.east)
        north.append(offset.north)
        radii.append(radius)
        if now - began >= StationCheck.duration, radii.count >= StationCheck.minCount { measure(at: now) }
    }

    private mutating func measure(at now: Instant) {
        defer { clear() }
        guard let east = east.median, let north = north.median, let single = radii.median else { return }
        let place = LocalPlane.Offset(east: east, north: north)
        let radius = StationaryPlace.averaged(single, over: now - began)
        last = Measurement(
            receiver: receiver, at: now, distance: place.length, horizontalAccuracy: radius)
        let both = (radius * radius + station.horizontalAccuracy * station.horizontalAccuracy).squareRoot()
        let limit = max(2 * both, StationCheck.minDistance)
        guard place.length > limit else {
            farSince = nil
            if verdict != .moved || place.length < limit / 2 { verdict = .agrees }
            return
        }
        let since = farSince ?? now
        farSince = since
        if now - since >= StationCheck.confirmation { verdict = .moved }
    }

    private mutating func clear() {
        east.removeAll(keepingCapacity: true)
        north.removeAll(keepingCapacity: true)
        radii.removeAll(keepingCapacity: true)
    }
}

extension Coordinate {
    /// Returns the distance and the direction of a point, which are true also across a pole.
    func offset(of point: Coordinate) -> LocalPlane.Offset {
        LocalPlane.Offset(distance: distance(to: point), bearing: initialBearing(to: point))
    }
}

extension [Double] {
    /// The median; nil without values.
    var median: Double? {
        let sorted = sorted()
        guard let upper = sorted.isEmpty ? nil : sorted[count / 2] else { return nil }
        return count % 2 == 1 ? upper : (sorted[count / 2 - 1] + upper) / 2
    }
}
