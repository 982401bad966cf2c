import Chronology
import Geodesy

/// The route of the simulated receiver: points joined by geodesics, each leg at constant speed.
package struct Route: Sendable {
    /// A point of the route.
    package struct Point: Sendable, Equatable {
        /// The horizontal position.
        package var coordinate: Coordinate
        /// Metres above mean sea level; nil if unknown.
        package var altitude: Double?
        /// When the receiver is at the point, if the route contains times.
        package var time: UTCTime?

        package init(_ coordinate: Coordinate, altitude: Double? = nil, time: UTCTime? = nil) {
            self.coordinate = coordinate
            self.altitude = altitude
            self.time = time
        }
    }

    /// The true state of the receiver at one time.
    package struct Sample: Sendable, Equatable {
        /// The horizontal position.
        package var coordinate: Coordinate
        /// Metres above mean sea level.
        package var altitude: Double
        /// Speed over ground, metres per second.
        package var speed: Double
        /// Degrees clockwise from true north; the last course while stationary.
        package var course: Double
        /// Vertical speed, metres per second, up positive.
        package var climb: Double
    }

    /// An error in a list of points.
    package enum Error: Swift.Error, Equatable, CustomStringConvertible {
        case empty
        case speedNotPositive

        /// The error message.
        package var description: String {
            switch self {
            case .empty: "the route has no points"
            case .speedNotPositive: "the speed along a route without times must be above 0"
            }
        }
    }

    private struct Leg {
        var start: Instant.Span
        var duration: Instant.Span
        var from: Coordinate
        var altitude: Double
        var rise: Double
        var length: Double
        var bearing: Double
    }

    private let legs: [Leg]
    private let end: Point
    /// The duration of the route; zero for a stationary one.
    package let duration: Instant.Span
    /// UTC at the first point, if the points have times.
    package let startTime: UTCTime?

    /// Creates a route from points. If all points have times in ascending order, the route uses
    /// them; otherwise the speed is constant.
    ///
    /// - Parameter speed: Metres per second for a route without times.
    package init(points: [Point], speed: Double) throws(Error) {
        guard speed > 0, speed.isFinite else { throw .speedNotPositive }
        let timed =
            points.allSatisfy { $0.time != nil }
            && zip(points, points.dropFirst()).allSatisfy { Route.span(from: $0, to: $1) >= .zero }
        try self.init(points: points, startTime: timed ? points.first?.time : nil) { a, b, length in
            timed ? Route.span(from: a, to: b) : .seconds(length / speed)
        }
    }

    /// Creates a route from points. `duration` returns the duration of a leg from both ends and the
    /// length in metres.
    init(points: [Point], startTime: UTCTime?, duration: (Point, Point, Double) -> Instant.Span) throws(Error) {
        guard var previous = points.first else { throw .empty }
        var legs: [Leg] = []
        var clock = Instant.Span.zero
        var altitude = points.lazy.compactMap(\.altitude).first ?? 0
        var bearing = 0.0
        for point in points.dropFirst() {
            let path = Geodesic.inverse(from: previous.coordinate, to: point.coordinate)
            if path.distance > 0 { bearing = path.initialBearing }
            let legDuration = duration(previous, point, path.distance)
            let rise = (point.altitude ?? altitude) - altitude
            let leg = Leg(
                start: clock, duration: legDuration, from: previous.coordinate, altitude: altitude, rise: rise,
                length: path.distance,
                bearing: bearing)
            if legDuration > .zero { legs.append(leg) }
            clock = clock + legDuration
            altitude += rise
            previous = point
        }
        self.legs = legs
        self.startTime = startTime
        self.duration = clock
        end = Point(previous.coordinate, altitude: altitude)
    }

    /// Returns a route that stays at one place.
    package static func stationary(_ coordinate: Coordinate, altitude: Double = 0) -> Route {
        Route(stationaryAt: Point(coordinate, altitude: altitude))
    }

    private init(stationaryAt point: Point) {
        legs = []
        end = point
        duration = .zero
        startTime = nil
    }

    /// Returns the true state at a time since the start of the route. After the end, the receiver
    /// stays there or restarts the route.
    package func sample(at elapsed: Instant.Span, looping: Bool = false) -> Sample {
        var time = max(elapsed, .zero)
        if looping, duration > .zero { time = Instant.Span(nanoseconds: time.nanoseconds % duration.nanoseconds) }
        guard time < duration, let leg = leg(at: time) else {
            let course = legs.last.map {
                Geodesic.direct(from: $0.from, bearing: $0.bearing, distance: $0.length).finalBearing
            }
            return Sample(
                coordinate: end.coordinate, altitude: end.altitude ?? 0, speed: 0, course: course ?? 0, climb: 0)
        }
        let share = (time - leg.start).seconds / leg.duration.seconds
        let place = Geodesic.direct(from: leg.from, bearing: leg.bearing, distance: leg.length * share)
        return Sample(
            coordinate: place.end, altitude: leg.altitude + leg.rise * share, speed: leg.length / leg.duration.seconds,
            course: place.finalBearing, climb: leg.rise / leg.duration.seconds)
    }

    private func leg(at time: Instant.Span) -> Leg? {
        var low = 0
        var high = legs.count
        while low < high {
            let middle = (low + high) / 2
            if legs[middle].start <= time { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? legs[low - 1] : nil
    }

    private static func span(from a: Point, to b: Point) -> Instant.Span {
        guard let start = a.time, let end = b.time else { return .zero }
        return end.span(since: start)
    }
}

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
