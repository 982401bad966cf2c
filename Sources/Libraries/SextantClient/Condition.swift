import Chronology
import SextantAPI
import Varlink

extension Condition {
    /// The area of a condition.
    public enum Area: Hashable, Sendable {
        /// The area within a radius in metres around a point, more than 0, at most 1,000,000.
        case circle(center: Point, radius: Double)
        /// The area bounded by a ring of at least three points. `holes` are outside. At most 1,000
        /// points in all rings.
        case polygon([Point], holes: [[Point]] = [])
        /// The area within half of `width` in metres of a line of 2 to 1,000 points.
        case corridor([Point], width: Double)
        /// No area: the places that the device visits. Such a condition has neither
        /// `assuming` nor `dwell`.
        case visits
        /// No area: movements of at least `distance` metres from the place of the last event, 100
        /// to 1,000,000, and at least `interval` seconds after it, at most 86,400. Such a condition
        /// has neither `assuming` nor `dwell`.
        case significantChange(distance: Double = 500, interval: Double = 300)
        /// No area: whether one of these beacons is in range.
        case beacon(BeaconMessage)
        /// An area that this library does not know.
        case unknown
    }

    /// Creates a condition.
    ///
    /// - Parameters:
    ///   - identifier: 1 to 255 bytes, unique in the monitor.
    ///   - area: The area.
    ///   - assuming: The assumed initial state: a first determination that matches it causes no
    ///     event.
    ///   - dwell: The time inside without interruption that causes a `dwelt` event, at most a year.
    ///   - expiry: When monitoring ends; nil: never.
    ///   - metadata: Data of the program, at most 4,096 bytes as JSON, returned unchanged.
    public init(
        _ identifier: String, _ area: Area, assuming: ConditionState? = nil, dwell: Duration? = nil,
        expiry: UTCTime? = nil, metadata: [String: JSONValue]? = nil
    ) {
        self.init(
            identifier: identifier, assuming: assuming, dwell: dwell?.inSeconds, expiry: expiry?.description,
            metadata: metadata)
        switch area {
        case .circle(let center, let radius): circle = ConditionCircle(center: center, radius: radius)
        case .polygon(let ring, let holes):
            polygon = ConditionPolygon(ring: ring, holes: holes.isEmpty ? nil : holes)
        case .corridor(let path, let width): corridor = ConditionCorridor(path: path, width: width)
        case .visits: visits = true
        case .beacon(let beacons): beacon = beacons
        case .significantChange(let distance, let interval):
            significantChange = ConditionSignificantChange(distance: distance, interval: interval)
        case .unknown: break
        }
    }

    /// The area. One of a kind that this library does not know is ``Area/unknown``.
    public var area: Area {
        if let circle { return .circle(center: circle.center, radius: circle.radius) }
        if let polygon { return .polygon(polygon.ring, holes: polygon.holes ?? []) }
        if let corridor { return .corridor(corridor.path, width: corridor.width) }
        if visits == true { return .visits }
        if let beacon { return .beacon(beacon) }
        guard let significantChange else { return .unknown }
        return .significantChange(
            distance: significantChange.distance ?? ConditionSignificantChange.defaultDistance,
            interval: significantChange.interval ?? ConditionSignificantChange.defaultInterval)
    }

    /// When monitoring ends, as `expiry` has it; nil: never.
    public var expiryTime: UTCTime? { expiry.flatMap { UTCTime(rfc3339: $0) } }
}
