import Chronology
import Geodesy
import Geofencing
import Varlink

/// The type `Point` of `io.sextant.Monitor`.
package struct PointMessage: Codable, Sendable, Equatable {
    /// The latitude in degrees north, -90 to 90, WGS-84.
    package var latitude: Double
    /// The longitude in degrees east, -180 to 180, WGS-84.
    package var longitude: Double

    /// Creates a point from degrees.
    package init(latitude: Double, longitude: Double) {
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}

/// The type `Circle` of `io.sextant.Monitor`.
package struct CircleMessage: Codable, Sendable, Equatable {
    /// The centre of the circle.
    package var center: PointMessage
    /// The radius in metres.
    package var radius: Double

    /// Creates a circle with a radius in metres.
    package init(center: PointMessage, radius: Double) {
        (self.center, self.radius) = (center, radius)
    }
}

/// The type `Polygon` of `io.sextant.Monitor`.
package struct PolygonMessage: Codable, Sendable, Equatable {
    /// The outer boundary.
    package var ring: [PointMessage]
    /// The holes, one ring each. Absent: none.
    package var holes: [[PointMessage]]?

    /// Creates an area from an outer ring and holes.
    package init(ring: [PointMessage], holes: [[PointMessage]]? = nil) {
        (self.ring, self.holes) = (ring, holes)
    }
}

/// The type `Corridor` of `io.sextant.Monitor`.
package struct CorridorMessage: Codable, Sendable, Equatable {
    /// The points of the centre line.
    package var path: [PointMessage]
    /// The width in metres from edge to edge.
    package var width: Double

    /// Creates a corridor with a width in metres.
    package init(path: [PointMessage], width: Double) {
        (self.path, self.width) = (path, width)
    }
}

/// The type `SignificantChange` of `io.sextant.Monitor`.
package struct SignificantChangeMessage: Codable, Sendable, Equatable {
    /// The minimum distance in metres from the place of the last event. Absent: 500.
    package var distance: Double?
    /// The minimum time between two events in seconds. Absent: 300.
    package var interval: Double?

    /// Creates movements of at least a distance in metres, at an interval in seconds or more.
    package init(distance: Double? = nil, interval: Double? = nil) {
        (self.distance, self.interval) = (distance, interval)
    }
}

/// The type `Condition` of `io.sextant.Monitor`.
package struct ConditionMessage: Codable, Sendable, Equatable {
    /// The identifier chosen by the program.
    package var identifier: String
    /// The area, if it is a circle.
    package var circle: CircleMessage?
    /// The area, if it is a polygon.
    package var polygon: PolygonMessage?
    /// The area, if it is a corridor.
    package var corridor: CorridorMessage?
    /// Whether the condition concerns visits. Absent: no.
    package var visits: Bool?
    /// The movements, if the condition concerns them.
    package var significantChange: SignificantChangeMessage?
    /// The assumed initial state. Absent: unknown.
    package var assuming: ConditionState?
    /// The time inside in seconds after which an event `dwelt` occurs. Absent: no such event.
    package var dwell: Double?
    /// The time at which monitoring ends, RFC 3339. Absent: never.
    package var expiry: String?
    /// Data of the program, which the daemon stores and returns unchanged.
    package var metadata: [String: JSONValue]?

    /// Creates a condition without a subject. Set exactly one of ``circle``, ``polygon``,
    /// ``corridor``, ``visits`` and ``significantChange``.
    package init(identifier: String) {
        self.identifier = identifier
    }

    /// Creates the message for a condition.
    package init(identifier: String, _ condition: Condition, metadata: [String: JSONValue]? = nil) {
        self.identifier = identifier
        switch condition.subject {
        case .area(let shape): set(shape)
        case .visits: visits = true
        case .significantChange(let change):
            significantChange = SignificantChangeMessage(distance: change.distance, interval: change.interval.seconds)
        }
        assuming = condition.assuming == .unknown ? nil : condition.assuming
        dwell = condition.dwell?.seconds
        expiry = condition.expiry?.description
        self.metadata = metadata
    }

    /// Whether the condition has an area, and not visits or movements anywhere.
    package var hasArea: Bool { circle != nil || polygon != nil || corridor != nil }

    private mutating func set(_ shape: FenceShape) {
        switch shape {
        case .circle(let center, let radius): circle = CircleMessage(center: PointMessage(center), radius: radius)
        case .polygon(let polygon):
            let holes = polygon.holes.map { $0.map(PointMessage.init) }
            self.polygon = PolygonMessage(ring: polygon.ring.map(PointMessage.init), holes: holes.isEmpty ? nil : holes)
        case .corridor(let path, let width): corridor = CorridorMessage(path: path.map(PointMessage.init), width: width)
        }
    }
}

extension PointMessage {
    init(_ coordinate: Coordinate) {
        self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
}

extension ConditionMessage {
    /// Returns the condition as a value of the core.
    ///
    /// - Throws: ``MonitorError/invalidCondition(identifier:reason:)`` with the reason as text.
    package func condition() throws(MonitorError) -> Condition {
        if let problem = ConditionIdentifier.problem(of: identifier) { throw invalidCondition(problem) }
        guard assuming != .unmonitored else {
            throw invalidCondition("assuming must be unknown, satisfied or unsatisfied")
        }
        if let dwell, !(dwell > 0 && dwell <= ConditionLimit.dwell) {
            throw invalidCondition("dwell must be more than 0 and at most 31536000 seconds")
        }
        if let metadata, JSONValue.object(metadata).bytes.count > ConditionLimit.metadata {
            throw invalidCondition("metadata may have 4096 bytes at most")
        }
        guard visits == nil, significantChange == nil else { return try conditionWithoutArea() }
        return Condition(
            shape: try validatedShape(), assuming: assuming ?? .unknown, dwell: dwell.map { .seconds($0) },
            expiry: try parsedExpiry())
    }

    /// Returns a condition on visits or movements.
    private func conditionWithoutArea() throws(MonitorError) -> Condition {
        let subjects = [
            circle != nil, polygon != nil, corridor != nil, visits != nil, significantChange != nil,
        ].count { $0 }
        guard subjects == 1, visits ?? true else {
            throw invalidCondition(
                "it must have just one of circle, polygon, corridor, visits (true) and significantChange")
        }
        guard assuming ?? .unknown == .unknown, dwell == nil else {
            throw invalidCondition("assuming and dwell require an area: circle, polygon or corridor")
        }
        guard let significantChange else { return Condition(.visits, expiry: try parsedExpiry()) }
        let distance = significantChange.distance ?? SignificantChange.defaultDistance
        guard SignificantChange.distances.contains(distance) else {
            throw invalidCondition("distance must be at least 100 and at most 1000000 metres")
        }
        let interval = significantChange.interval ?? SignificantChange.defaultInterval
        guard SignificantChange.intervals.contains(interval) else {
            throw invalidCondition("interval must be at least 0 and at most 86400 seconds")
        }
        let change = SignificantChange(distance: distance, interval: .seconds(interval))
        return Condition(.significantChange(change), expiry: try parsedExpiry())
    }

    private func parsedExpiry() throws(MonitorError) -> UTCTime? {
        guard let expiry else { return nil }
        guard let expiryTime = UTCTime(rfc3339: expiry) else {
            throw invalidCondition("expiry must be a time such as 2026-11-21T12:00:00Z")
        }
        return expiryTime
    }

    private func validatedShape() throws(MonitorError) -> FenceShape {
        let shape = try shape()
        do throws(FenceShapeError) { return try shape.validated() } catch { throw invalidCondition("\(error)") }
    }

    private func shape() throws(MonitorError) -> FenceShape {
        switch (circle, polygon, corridor) {
        case (let circle?, nil, nil):
            return .circle(center: try point(circle.center), radius: try extent(circle.radius, name: "radius"))
        case (nil, let polygon?, nil):
            let holes = polygon.holes ?? []
            guard holes.reduce(polygon.ring.count, { $0 + $1.count }) <= ConditionLimit.points else {
                throw invalidCondition("a polygon may have 1000 points at most")
            }
            var holeRings: [[Coordinate]] = []
            for hole in holes { holeRings.append(try points(hole)) }
            return .polygon(Polygon(ring: try points(polygon.ring), holes: holeRings))
        case (nil, nil, let corridor?):
            guard (2...ConditionLimit.points).contains(corridor.path.count) else {
                throw invalidCondition("the path of a corridor must have 2 to 1000 points")
            }
            return .corridor(path: try points(corridor.path), width: try extent(corridor.width, name: "width"))
        default:
            throw invalidCondition(
                "it must have just one of circle, polygon, corridor, visits (true) and significantChange")
        }
    }

    private func points(_ points: [PointMessage]) throws(MonitorError) -> [Coordinate] {
        var coordinates: [Coordinate] = []
        for point in points { coordinates.append(try self.point(point)) }
        return coordinates
    }

    private func point(_ point: PointMessage) throws(MonitorError) -> Coordinate {
        guard let coordinate = Coordinate(latitude: point.latitude, longitude: point.longitude) else {
            throw invalidCondition("latitudes are from -90 to 90 degrees, longitudes from -180 to 180")
        }
        return coordinate
    }

    private func extent(_ metres: Double, name: String) throws(MonitorError) -> Double {
        guard metres > 0, metres <= ConditionLimit.extent else {
            throw invalidCondition("\(name) must be more than 0 and at most 1000000 metres")
        }
        return metres
    }

    private func invalidCondition(_ reason: String) -> MonitorError {
        .invalidCondition(identifier: identifier, reason: reason)
    }
}
