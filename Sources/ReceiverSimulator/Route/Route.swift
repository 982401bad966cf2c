import Chronology
import Geodesy

/// Where the simulated receiver goes: points joined by geodesics, each leg driven at an even speed.
public struct Route: Sendable {
    /// A point on the way.
    public struct Point: Sendable, Equatable {
        /// Where.
        public var coordinate: Coordinate
        /// Metres above mean sea level.
        public var altitude: Double?
        /// When the route says so.
        public var time: UTCTime?

        /// A point by its coordinate.
        public init(_ coordinate: Coordinate, altitude: Double? = nil, time: UTCTime? = nil) {
            (self.coordinate, self.altitude, self.time) = (coordinate, altitude, time)
        }
    }

    /// The truth at a moment.
    public struct Sample: Sendable, Equatable {
        /// Where.
        public var coordinate: Coordinate
        /// Metres above mean sea level.
        public var altitude: Double
        /// Metres per second over ground.
        public var speed: Double
        /// Degrees clockwise from true north; the last one while standing.
        public var course: Double
        /// Metres per second, up positive.
        public var climb: Double
    }

    /// What is wrong with a list of points.
    public enum Flaw: Error, Equatable, CustomStringConvertible {
        case empty
        case speedNotPositive

        /// A sentence for a person.
        public var description: String {
            switch self {
            case .empty: "the route has no points"
            case .speedNotPositive: "the speed along a route without times must be above zero"
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
    /// The time the route takes; zero for a stationary one.
    public let duration: Instant.Span
    /// UTC at its first point, where the points carry times.
    public let startTime: UTCTime?

    /// Joins points. Where every point has a time not before the previous one's, those times are kept; else the route is driven evenly.
    ///
    /// - Parameter speed: Metres per second for a route without times.
    public init(points: [Point], speed: Double) throws(Flaw) {
        guard speed > 0, speed.isFinite else { throw .speedNotPositive }
        let timed = points.allSatisfy { $0.time != nil } && zip(points, points.dropFirst()).allSatisfy { Route.span($0, $1) >= .zero }
        try self.init(points: points, startTime: timed ? points.first?.time : nil) { a, b, length in
            timed ? Route.span(a, b) : .seconds(length / speed)
        }
    }

    /// Joins points by legs whose duration is told by `duration` from both ends and the length in metres.
    init(points: [Point], startTime: UTCTime?, duration: (Point, Point, Double) -> Instant.Span) throws(Flaw) {
        guard var previous = points.first else { throw .empty }
        var legs: [Leg] = []
        var clock = Instant.Span.zero
        var altitude = points.lazy.compactMap(\.altitude).first ?? 0
        var bearing = 0.0
        for point in points.dropFirst() {
            let path = Geodesic.inverse(from: previous.coordinate, to: point.coordinate)
            if path.distance > 0 { bearing = path.initialBearing }
            let took = duration(previous, point, path.distance)
            let rise = (point.altitude ?? altitude) - altitude
            let leg = Leg(
                start: clock, duration: took, from: previous.coordinate, altitude: altitude, rise: rise, length: path.distance,
                bearing: bearing)
            if took > .zero { legs.append(leg) }
            clock = clock + took
            altitude += rise
            previous = point
        }
        self.legs = legs
        self.startTime = startTime
        self.duration = clock
        end = Point(previous.coordinate, altitude: altitude)
    }

    /// A receiver that stays where it is.
    public static func stationary(_ coordinate: Coordinate, altitude: Double = 0) -> Route {
        Route(standing: Point(coordinate, altitude: altitude))
    }

    private init(standing point: Point) {
        (legs, end, duration, startTime) = ([], point, .zero, nil)
    }

    /// The truth at a time since the start of the route. Past its end the receiver stands there, or begins again.
    public func sample(at elapsed: Instant.Span, looping: Bool = false) -> Sample {
        var moment = max(elapsed, .zero)
        if looping, duration > .zero { moment = Instant.Span(nanoseconds: moment.nanoseconds % duration.nanoseconds) }
        guard moment < duration, let leg = leg(at: moment) else {
            let course = legs.last.map { Geodesic.direct(from: $0.from, bearing: $0.bearing, distance: $0.length).finalBearing }
            return Sample(coordinate: end.coordinate, altitude: end.altitude ?? 0, speed: 0, course: course ?? 0, climb: 0)
        }
        let share = (moment - leg.start).seconds / leg.duration.seconds
        let place = Geodesic.direct(from: leg.from, bearing: leg.bearing, distance: leg.length * share)
        return Sample(
            coordinate: place.end, altitude: leg.altitude + leg.rise * share, speed: leg.length / leg.duration.seconds,
            course: place.finalBearing, climb: leg.rise / leg.duration.seconds)
    }

    private func leg(at moment: Instant.Span) -> Leg? {
        var low = 0
        var high = legs.count
        while low < high {
            let middle = (low + high) / 2
            if legs[middle].start <= moment { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? legs[low - 1] : nil
    }

    private static func span(_ a: Point, _ b: Point) -> Instant.Span {
        guard let from = a.time, let to = b.time else { return .zero }
        return to.since(from)
    }
}
