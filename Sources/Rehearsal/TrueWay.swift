import Chronology
import Geodesy
import ReceiverSimulator

/// Where the device truly is, from a track whose points say when it was there.
///
/// Loggers fall silent when they rest: a gap in the track in which hardly any way was made is a stay at the place before it.
public struct TrueWay: Sendable {
    /// Why a track cannot be rehearsed.
    public enum Flaw: Error, Equatable, CustomStringConvertible {
        /// A point, counted from 1, has no time.
        case noTime(point: Int)
        /// A point, counted from 1, is earlier than the one before it.
        case timeRunsBack(point: Int)
        /// All points are of one moment.
        case noDuration

        /// A sentence for a person.
        public var description: String {
            switch self {
            case .noTime(let point):
                "point \(point) has no <time>, and a rehearsal needs to know when it was there; record the track with times"
            case .timeRunsBack(let point): "the time of point \(point) is before that of the point before it; put the points in order"
            case .noDuration: "the track lasts no time; it needs two points at different times"
            }
        }
    }

    /// A gap at least this long may be a stay.
    static let shortestGap = Instant.Span.seconds(30)
    /// Metres a second: what is slower over a whole gap was at rest for most of it.
    static let restingSpeed = 0.5
    /// Metres a second at which the end of such a gap is reached.
    static let leavingSpeed = 5.0
    /// Metres within which it is still where it was, and beyond which it has left: a phase at the kerb is not yet a departure.
    static let near = 5.0
    static let far = 30.0
    /// A stay at one place for this long is a rest: a minute more than the shortest after which the detector tells of one.
    static let shortestRest = Instant.Span.seconds(150)

    /// The way, to be driven.
    public let route: Route
    /// UTC at its first point.
    public let start: UTCTime
    /// When it truly set off from a rest, since the start.
    public let departures: [Instant.Span]
    /// The way between each two points; stays have no length.
    let legs: [Leg]

    /// Time from the first point to the last.
    public var duration: Instant.Span { route.duration }

    /// - Throws: ``Flaw``.
    public init(_ points: [Route.Point]) throws(Flaw) {
        var times: [UTCTime] = []
        for (at, point) in points.enumerated() {
            guard let time = point.time else { throw .noTime(point: at + 1) }
            if let last = times.last, time < last { throw .timeRunsBack(point: at + 1) }
            times.append(time)
        }
        guard let start = times.first, let end = times.last, start < end else { throw .noDuration }
        let filled = TrueWay.withStays(points)
        // Speed is of no account where every point has its time.
        guard let route = try? Route(points: filled, speed: 1) else { throw .noDuration }
        (self.route, self.start) = (route, start)
        departures = TrueWay.departures(filled, since: start)
        legs = zip(filled, filled.dropFirst()).compactMap { Leg($0, $1, since: start) }
    }

    /// The track with the moments at which stays end.
    private static func withStays(_ points: [Route.Point]) -> [Route.Point] {
        var filled: [Route.Point] = []
        for point in points {
            defer { filled.append(point) }
            guard let last = filled.last, let left = last.time, let came = point.time else { continue }
            let gap = came.since(left)
            let way = Geodesic.inverse(from: last.coordinate, to: point.coordinate).distance
            guard gap >= shortestGap, way > 0, way < restingSpeed * gap.seconds else { continue }
            var leaving = last
            leaving.time = came.advanced(by: .zero - .seconds(way / leavingSpeed))
            filled.append(leaving)
        }
        return filled
    }

    private static func departures(_ points: [Route.Point], since start: UTCTime) -> [Instant.Span] {
        guard var anchor = points.first?.coordinate else { return [] }
        var (since, lastNear) = (start, start)
        var departures: [Instant.Span] = []
        for point in points {
            guard let time = point.time else { continue }
            let distance = Geodesic.inverse(from: anchor, to: point.coordinate).distance
            if distance <= near {
                lastNear = time
                continue
            }
            let hasRested = lastNear.since(since) >= shortestRest
            // Swaying about the place of a rest is no departure.
            if hasRested, distance <= far { continue }
            if hasRested { departures.append(lastNear.since(start)) }
            (anchor, since, lastNear) = (point.coordinate, time, time)
        }
        return departures
    }
}

extension TrueWay {
    /// A geodesic driven at an even speed.
    struct Leg: Sendable {
        /// When it begins, since the start.
        var start: Instant.Span
        var duration: Instant.Span
        var from: Coordinate
        var to: Coordinate
        /// Metres.
        var length: Double
        private var bearing: Double

        fileprivate init?(_ a: Route.Point, _ b: Route.Point, since start: UTCTime) {
            guard let left = a.time, let came = b.time else { return nil }
            (self.start, duration) = (left.since(start), came.since(left))
            (from, to) = (a.coordinate, b.coordinate)
            let path = Geodesic.inverse(from: from, to: to)
            (length, bearing) = (path.distance, path.initialBearing)
        }

        /// Where the device is when it has gone a share of it, 0 ... 1.
        func place(_ share: Double) -> Coordinate {
            if share <= 0 { return from }
            return share >= 1 ? to : Geodesic.direct(from: from, bearing: bearing, distance: length * share).end
        }
    }
}
