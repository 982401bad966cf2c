import Geodesy
import Varlink

/// A fence as OwnTracks knows it: a circle. A fence of another shape is its enclosing circle.
package struct Waypoint: Sendable, Equatable {
    package var identifier: String
    package var monitor: String
    /// The time of creation in seconds since 1970, which the events of the fence repeat.
    package var created: Int64
    package var center: Coordinate
    /// The radius in metres.
    package var radius: Int64

    package init(_ identifier: String, of monitor: String, created: Int64, center: Coordinate, radius: Int64) {
        self.identifier = identifier
        self.monitor = monitor
        self.created = created
        self.center = center
        self.radius = radius
    }

    /// Creates the waypoint of a fence that a server has set.
    package init(_ fence: RemoteFence, of monitor: String) {
        self.init(
            fence.identifier, of: monitor, created: fence.created, center: fence.center, radius: fence.radius)
    }

    /// Creates a small circle around all points and the margin in metres around each; nil
    /// without a point.
    package init?(
        _ identifier: String, of monitor: String, created: Int64, around points: [Coordinate], margin: Double
    ) {
        guard var center = points.first else { return nil }
        // Each step moves the centre to the farthest point by a smaller part of the way: the
        // algorithm of Badoiu and Clarkson (2003) for the smallest enclosing ball.
        for step in 1...32 {
            guard let far = Waypoint.farthest(points, from: center), far.distance > 0 else { break }
            center = center.moved(by: far.distance / Double(step + 1), bearing: center.initialBearing(to: far.point))
        }
        let reach = Waypoint.farthest(points, from: center)?.distance ?? 0
        let radius = Int64(min(max((reach + margin).rounded(.up), 1), 20_037_509))
        self.init(identifier, of: monitor, created: created, center: center, radius: radius)
    }

    private static func farthest(
        _ points: [Coordinate], from center: Coordinate
    ) -> (point: Coordinate, distance: Double)? {
        points.map { (point: $0, distance: $0.distance(to: center)) }.max { $0.distance < $1.distance }
    }

    /// The member `rid`, which the events of the fence repeat.
    package var regionID: String { FenceName(identifier, of: monitor).regionID }

    /// Returns the waypoints with times of creation that differ within a monitor, because OwnTracks
    /// identifies waypoints by them. Of one second, the later by identifier gets the next one.
    package static func withUniqueTimes(_ waypoints: [Waypoint]) -> [Waypoint] {
        var last: Int64 = -1
        let order = waypoints.sorted { ($0.created, $0.identifier) < ($1.created, $1.identifier) }
        return order.map { waypoint in
            var unique = waypoint
            unique.created = max(waypoint.created, last + 1)
            last = unique.created
            return unique
        }
    }
}

extension OwnTracks {
    /// The maximum number of waypoints in a message: brokers may limit messages to 64 KiB.
    private static let maxWaypoints = 200

    /// The topic of one fence that was added or changed.
    package var waypointTopic: String { "\(topic)/waypoint" }
    /// The topic of the exact shape of a fence that is no circle.
    package var fenceTopic: String { "\(topic)/fence" }

    /// Returns the message `waypoint`.
    package func waypoint(_ waypoint: Waypoint) -> JSONValue {
        [
            "_type": "waypoint", "desc": .string(waypoint.identifier), "tst": .int(waypoint.created),
            "lat": .double(OwnTracks.degrees(waypoint.center.latitude)),
            "lon": .double(OwnTracks.degrees(waypoint.center.longitude)), "rad": .int(waypoint.radius),
            "rid": .string(waypoint.regionID),
        ]
    }

    /// Returns the messages `waypoints` with all waypoints; at least one.
    package func waypoints(_ waypoints: [Waypoint]) -> [JSONValue] {
        let starts = waypoints.isEmpty ? [0] : Array(stride(from: 0, to: waypoints.count, by: OwnTracks.maxWaypoints))
        return starts.map { start in
            let part = waypoints[start..<min(start + OwnTracks.maxWaypoints, waypoints.count)]
            return [
                "_type": "waypoints", "_creator": "sextant-fleet", "waypoints": .array(part.map { waypoint($0) }),
            ]
        }
    }

    /// Returns the message `fence` of Sextant: the exact shape of a fence that is no circle.
    ///
    /// - Parameter shape: Its geometry in GeoJSON, with a width if it is a line.
    package func fence(_ waypoint: Waypoint, shape: FenceGeometry) -> JSONValue {
        var members: [String: JSONValue] = [
            "_type": "fence", "desc": .string(waypoint.identifier), "tst": .int(waypoint.created),
            "rid": .string(waypoint.regionID),
        ]
        let rings = shape.rings.map { ring in
            JSONValue.array(
                ring.map { point in
                    .array([.double(OwnTracks.degrees(point.longitude)), .double(OwnTracks.degrees(point.latitude))])
                })
        }
        if let width = shape.width {
            members["geometry"] = ["type": "LineString", "coordinates": rings.first ?? .array([])]
            members["width"] = .double(width)
        } else {
            members["geometry"] = ["type": "Polygon", "coordinates": .array(rings)]
        }
        return .object(members)
    }
}

/// The exact shape of a fence that is no circle.
package struct FenceGeometry: Sendable, Equatable {
    /// The rings of a polygon, the outer one first, or the line of a corridor.
    package var rings: [[Coordinate]]
    /// The width of a corridor in metres; nil for a polygon.
    package var width: Double?

    /// Creates the shape of a corridor.
    package init(path: [Coordinate], width: Double) {
        rings = [path]
        self.width = width
    }

    /// Creates the shape of a polygon. Its rings end with their first point, as in GeoJSON.
    package init(rings: [[Coordinate]]) {
        self.rings = rings.map { ring in
            guard let first = ring.first, ring.last != first else { return ring }
            return ring + [first]
        }
    }
}
