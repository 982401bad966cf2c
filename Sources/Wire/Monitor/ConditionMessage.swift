import Chronology
import Geodesy
public import Geofencing
public import Varlink

/// `io.sextant.Monitor`, type `Point`.
public struct PointMessage: Codable, Sendable, Equatable {
    /// Degrees north, -90 to 90, WGS-84.
    public var latitude: Double
    /// Degrees east, -180 to 180, WGS-84.
    public var longitude: Double

    /// A point in degrees.
    public init(latitude: Double, longitude: Double) {
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}

/// `io.sextant.Monitor`, type `Circle`.
public struct CircleMessage: Codable, Sendable, Equatable {
    /// Its centre.
    public var center: PointMessage
    /// Metres.
    public var radius: Double

    /// A circle; the radius in metres.
    public init(center: PointMessage, radius: Double) {
        (self.center, self.radius) = (center, radius)
    }
}

/// `io.sextant.Monitor`, type `Polygon`.
public struct PolygonMessage: Codable, Sendable, Equatable {
    /// Its outer bound.
    public var ring: [PointMessage]
    /// What is cut out of it, a ring each; absent: nothing.
    public var holes: [[PointMessage]]?

    /// An area between rings.
    public init(ring: [PointMessage], holes: [[PointMessage]]? = nil) {
        (self.ring, self.holes) = (ring, holes)
    }
}

/// `io.sextant.Monitor`, type `Corridor`.
public struct CorridorMessage: Codable, Sendable, Equatable {
    /// The points of the line.
    public var path: [PointMessage]
    /// Metres from edge to edge.
    public var width: Double

    /// A line with a width in metres.
    public init(path: [PointMessage], width: Double) {
        (self.path, self.width) = (path, width)
    }
}

/// `io.sextant.Monitor`, type `Condition`.
public struct ConditionMessage: Codable, Sendable, Equatable {
    /// The program's own name for it.
    public var identifier: String
    /// Where it holds, if that is a circle.
    public var circle: CircleMessage?
    /// Where it holds, if that is a polygon.
    public var polygon: PolygonMessage?
    /// Where it holds, if that is a corridor.
    public var corridor: CorridorMessage?
    /// What is taken to be so until it is known; absent: unknown.
    public var assuming: ConditionState?
    /// Seconds inside after which there is an event `dwelt`; absent: there is none.
    public var dwell: Double?
    /// From then on it is not watched any more, RFC 3339; absent: for good.
    public var expiry: String?
    /// The program's own, kept and given back.
    public var metadata: [String: JSONValue]?

    /// A condition without a place; set one of circle, polygon and corridor.
    public init(identifier: String) {
        self.identifier = identifier
    }

    /// The message of a condition.
    public init(identifier: String, _ condition: Condition, metadata: [String: JSONValue]? = nil) {
        self.identifier = identifier
        switch condition.shape {
        case .circle(let center, let radius): circle = CircleMessage(center: PointMessage(center), radius: radius)
        case .polygon(let polygon):
            let holes = polygon.holes.map { $0.map(PointMessage.init) }
            self.polygon = PolygonMessage(ring: polygon.ring.map(PointMessage.init), holes: holes.isEmpty ? nil : holes)
        case .corridor(let path, let width): corridor = CorridorMessage(path: path.map(PointMessage.init), width: width)
        }
        assuming = condition.assuming == .unknown ? nil : condition.assuming
        dwell = condition.dwell?.seconds
        expiry = condition.expiry?.description
        self.metadata = metadata
    }
}

extension PointMessage {
    init(_ coordinate: Coordinate) {
        self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
}
