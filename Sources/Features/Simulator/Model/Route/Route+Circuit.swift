import Chronology
import Geodesy

extension Route {
    /// The built-in route: once round Greenwich Park in about six minutes, with two stops. It
    /// crosses the prime meridian twice, so that both signs of the longitude occur. It ends at its
    /// start.
    package static let circuit: Route = {
        // Latitude, longitude, metres above mean sea level, m/s on the leg to this point, seconds
        // of stop at this point.
        let stations: [(Double, Double, Double, Double, Double)] = [
            (51.48260, -0.00760, 6, 10, 0), (51.48345, -0.00310, 6, 11, 0), (51.48330, 0.00120, 5, 13, 0),
            (51.48180, 0.00530, 8, 12, 20), (51.47810, 0.00690, 30, 13, 0), (51.47430, 0.00720, 41, 14, 0),
            (51.47290, 0.00330, 42, 9, 0), (51.47330, -0.00080, 44, 12, 0), (51.47420, -0.00450, 45, 13, 0),
            (51.47610, -0.00830, 36, 11, 35), (51.47900, -0.01010, 15, 12, 0), (51.48260, -0.00760, 6, 8, 10),
        ]
        var points: [Point] = []
        var clock = UTCTime(milliseconds: 0)
        for (latitude, longitude, altitude, speed, stop) in stations {
            guard let place = Coordinate(latitude: latitude, longitude: longitude) else { continue }
            let length = points.last.map { $0.coordinate.distance(to: place) } ?? 0
            clock = clock.advanced(by: .seconds(length / speed))
            points.append(Point(place, altitude: altitude, time: clock))
            guard stop > 0 else { continue }
            clock = clock.advanced(by: .seconds(stop))
            points.append(Point(place, altitude: altitude, time: clock))
        }
        let route = try? Route(points: points, startTime: nil) { a, b, _ in
            (b.time ?? clock).span(since: a.time ?? clock)
        }
        // The table above is not empty, so the route is not empty either.
        return route ?? .stationary(points[0].coordinate)
    }()
}
