/// A point on the Earth.
public struct Point: Codable, Hashable, Sendable {
    /// Latitude in degrees north, -90 to 90, WGS-84.
    public var latitude: Double
    /// Longitude in degrees east, -180 to 180, WGS-84.
    public var longitude: Double

    /// Creates a point.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A condition on the position of the device: an area with options.
public struct Condition: Equatable, Sendable {
    /// The area of a condition.
    public enum Area: Hashable, Sendable {
        /// The area within a radius in metres around a point, more than 0, at most 1,000,000.
        case circle(center: Point, radius: Double)
        /// The area bounded by a ring of at least three points. `holes` are outside. At most 1,000
        /// points in all rings.
        case polygon([Point], holes: [[Point]] = [])
        /// The area within half of `width` in metres of a line of 2 to 1,000 points.
        case corridor([Point], width: Double)
        /// No area: the places that the device visits. Such a condition has neither ``assuming``
        /// nor ``dwell``.
        case visits
        /// No area: movements of at least `distance` metres from the place of the last event, 100
        /// to 1,000,000, and at least `interval` seconds after it, at most 86,400. Such a condition
        /// has neither ``assuming`` nor ``dwell``.
        case significantChange(distance: Double = 500, interval: Double = 300)
        /// An area that this library does not know.
        case unknown
    }

    /// The state of a condition.
    public struct State: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Not determined yet.
        public static let unknown = Self(rawValue: "unknown")
        /// The device is inside.
        public static let satisfied = Self(rawValue: "satisfied")
        /// The device is outside.
        public static let unsatisfied = Self(rawValue: "unsatisfied")
        /// The condition has expired, or its program has more conditions than its limit.
        public static let unmonitored = Self(rawValue: "unmonitored")
        /// The values that this library knows.
        public static let allCases: [Self] = [unknown, satisfied, unsatisfied, unmonitored]
    }

    /// Identifier, 1 to 255 bytes, unique in the monitor.
    public var identifier: String
    /// The area.
    public var area: Area
    /// The assumed initial state: a first determination that matches it causes no event.
    public var assuming: State?
    /// Seconds inside without interruption that cause a `dwelt` event, at most a year.
    public var dwell: Double?
    /// When monitoring ends; nil: never.
    public var expiry: UTCTime?
    /// Data of the program, at most 4,096 bytes as JSON, returned unchanged.
    public var metadata: [String: JSONValue]?

    /// Creates a condition.
    public init(
        _ identifier: String, _ area: Area, assuming: State? = nil, dwell: Duration? = nil, expiry: UTCTime? = nil,
        metadata: [String: JSONValue]? = nil
    ) {
        self.identifier = identifier
        self.area = area
        self.assuming = assuming
        self.dwell = dwell?.inSeconds
        self.expiry = expiry
        self.metadata = metadata
    }
}

extension Condition: Codable {
    private enum CodingKeys: String, CodingKey {
        case identifier, circle, polygon, corridor, visits, significantChange, assuming, dwell, expiry, metadata
    }

    private struct Circle: Codable {
        var center: Point
        var radius: Double
    }

    private struct Polygon: Codable {
        var ring: [Point]
        var holes: [[Point]]?
    }

    private struct Corridor: Codable {
        var path: [Point]
        var width: Double
    }

    private struct SignificantChange: Codable {
        var distance: Double?
        var interval: Double?
    }

    /// Decodes a condition. An area of another kind becomes ``Area/unknown``.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try members.decode(String.self, forKey: .identifier)
        assuming = try members.decodeIfPresent(State.self, forKey: .assuming)
        dwell = try members.decodeIfPresent(Double.self, forKey: .dwell)
        expiry = try members.decodeIfPresent(UTCTime.self, forKey: .expiry)
        metadata = try members.decodeIfPresent([String: JSONValue].self, forKey: .metadata)
        let circle = try members.decodeIfPresent(Circle.self, forKey: .circle)
        let polygon = try members.decodeIfPresent(Polygon.self, forKey: .polygon)
        let corridor = try members.decodeIfPresent(Corridor.self, forKey: .corridor)
        let areaWithoutShape = try Condition.areaWithoutShape(members)
        area =
            if let circle {
                .circle(center: circle.center, radius: circle.radius)
            } else if let polygon {
                .polygon(polygon.ring, holes: polygon.holes ?? [])
            } else if let corridor {
                .corridor(corridor.path, width: corridor.width)
            } else {
                areaWithoutShape
            }
    }

    private static func areaWithoutShape(_ members: KeyedDecodingContainer<CodingKeys>) throws -> Area {
        let visits = try members.decodeIfPresent(Bool.self, forKey: .visits)
        let change = try members.decodeIfPresent(SignificantChange.self, forKey: .significantChange)
        if visits == true { return .visits }
        guard let change else { return .unknown }
        return .significantChange(distance: change.distance ?? 500, interval: change.interval ?? 300)
    }

    /// Encodes the condition as on the socket.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(identifier, forKey: .identifier)
        try members.encodeIfPresent(assuming, forKey: .assuming)
        try members.encodeIfPresent(dwell, forKey: .dwell)
        try members.encodeIfPresent(expiry, forKey: .expiry)
        try members.encodeIfPresent(metadata, forKey: .metadata)
        switch area {
        case .circle(let center, let radius):
            try members.encode(Circle(center: center, radius: radius), forKey: .circle)
        case .polygon(let ring, let holes):
            try members.encode(Polygon(ring: ring, holes: holes.isEmpty ? nil : holes), forKey: .polygon)
        case .corridor(let path, let width):
            try members.encode(Corridor(path: path, width: width), forKey: .corridor)
        case .visits: try members.encode(true, forKey: .visits)
        case .significantChange(let distance, let interval):
            try members.encode(
                SignificantChange(distance: distance, interval: interval), forKey: .significantChange)
        case .unknown: break
        }
    }
}
