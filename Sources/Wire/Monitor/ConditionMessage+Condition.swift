import Chronology
import Geodesy
public import Geofencing
import Varlink

extension ConditionMessage {
    /// Bytes that an identifier may have.
    public static let identifierLengths = 1...255
    /// Metres that a circle's radius and a corridor's width may have at most: beyond a thousand kilometres nobody means a place.
    public static let greatestExtent = 1_000_000.0
    /// Points that one shape may have at most; so many fit into one call.
    public static let mostPoints = 1000
    /// Seconds that a dwell may last at most: a year.
    public static let longestDwell = 31_536_000.0
    /// Bytes of JSON that metadata may have at most.
    public static let mostMetadata = 4096

    /// What it asks of the core.
    ///
    /// Throws ``MonitorError/invalidCondition(identifier:reason:)`` with what is wrong in words.
    public func condition() throws(MonitorError) -> Condition {
        guard ConditionMessage.identifierLengths.contains(identifier.utf8.count), identifier.utf8.allSatisfy({ $0 >= 0x20 }) else {
            throw wrong("the identifier must have 1 to 255 bytes and no control characters")
        }
        guard assuming != .unmonitored else { throw wrong("assuming must be unknown, satisfied or unsatisfied") }
        if let dwell, !(dwell > 0 && dwell <= ConditionMessage.longestDwell) {
            throw wrong("dwell must be more than 0 and at most 31536000 seconds")
        }
        if let metadata, JSONValue.object(metadata).bytes.count > ConditionMessage.mostMetadata {
            throw wrong("metadata may have 4096 bytes at most")
        }
        return Condition(shape: try soundShape(), assuming: assuming ?? .unknown, dwell: dwell.map { .seconds($0) }, expiry: try end())
    }

    private func end() throws(MonitorError) -> UTCTime? {
        guard let expiry else { return nil }
        guard let moment = UTCTime(rfc3339: expiry) else { throw wrong("expiry must be a time such as 2026-11-21T12:00:00Z") }
        return moment
    }

    private func soundShape() throws(MonitorError) -> FenceShape {
        let shape = try shape()
        do throws(FenceFault) { return try shape.validated() } catch { throw wrong("\(error)") }
    }

    private func shape() throws(MonitorError) -> FenceShape {
        switch (circle, polygon, corridor) {
        case (let circle?, nil, nil):
            return .circle(center: try point(circle.center), radius: try extent(circle.radius, "radius"))
        case (nil, let polygon?, nil):
            let holes = polygon.holes ?? []
            guard holes.reduce(polygon.ring.count, { $0 + $1.count }) <= ConditionMessage.mostPoints else {
                throw wrong("a polygon may have 1000 points at most")
            }
            var cut: [[Coordinate]] = []
            for hole in holes { cut.append(try points(hole)) }
            return .polygon(Polygon(ring: try points(polygon.ring), holes: cut))
        case (nil, nil, let corridor?):
            guard (2...ConditionMessage.mostPoints).contains(corridor.path.count) else {
                throw wrong("the path of a corridor must have 2 to 1000 points")
            }
            return .corridor(path: try points(corridor.path), width: try extent(corridor.width, "width"))
        default:
            throw wrong("it must have just one of circle, polygon and corridor")
        }
    }

    private func points(_ points: [PointMessage]) throws(MonitorError) -> [Coordinate] {
        var coordinates: [Coordinate] = []
        for point in points { coordinates.append(try self.point(point)) }
        return coordinates
    }

    private func point(_ point: PointMessage) throws(MonitorError) -> Coordinate {
        guard let coordinate = Coordinate(latitude: point.latitude, longitude: point.longitude) else {
            throw wrong("latitudes are from -90 to 90 degrees, longitudes from -180 to 180")
        }
        return coordinate
    }

    private func extent(_ metres: Double, _ name: String) throws(MonitorError) -> Double {
        guard metres > 0, metres <= ConditionMessage.greatestExtent else {
            throw wrong("\(name) must be more than 0 and at most 1000000 metres")
        }
        return metres
    }

    private func wrong(_ reason: String) -> MonitorError {
        .invalidCondition(identifier: identifier, reason: reason)
    }
}
