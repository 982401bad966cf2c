import Chronology
import Geodesy

/// The true position of the device over time, from a track with times.
///
/// Loggers stop recording while stationary. A gap in the track with hardly any movement is
/// therefore a stop at the point before it.
package struct GroundTruthTrack: Sendable {
    /// Why a track cannot be rehearsed.
    package enum Error: Swift.Error, Equatable, CustomStringConvertible {
        /// This point, counted from 1, has no time.
        case noTime(point: Int)
        /// This point, counted from 1, is earlier than the previous one.
        case timeDecreases(point: Int)
        /// All points have the same time.
        case noDuration

        /// The error message.
        package var description: String {
            switch self {
            case .noTime(let point):
                "point \(point) has no <time>, which a rehearsal requires; record the track with times"
            case .timeDecreases(let point):
                "the time of point \(point) is before that of the previous point; sort the points by time"
            case .noDuration: "the track has no duration; it needs two points with different times"
            }
        }
    }

    /// The minimum duration of a gap that can be a stop.
    static let minGap = Instant.Span.seconds(30)
    /// Metres per second: with a lower average speed over a gap, the device was stationary for most
    /// of it.
    static let maxStationarySpeed = 0.5
    /// The speed in metres per second at which the device covers the distance at the end of such a
    /// gap.
    static let leavingSpeed = 5.0
    /// Metres: within `near` the device is still at the same place; beyond `far` it has left.
    /// Movement in between, such as at a kerb, is not a departure.
    static let near = 5.0
    static let far = 30.0
    /// The minimum duration of a stop that counts as stationary. It is one minute longer than the
    /// detector's shortest threshold.
    static let minRest = Instant.Span.seconds(150)

    package let route: Route
    /// UTC at the first point.
    package let start: UTCTime
    /// When the device truly departed after a stop, since the start.
    package let departures: [Instant.Span]
    /// The legs between consecutive points; stops have no length.
    let legs: [Leg]

    /// The time from the first point to the last.
    package var duration: Instant.Span { route.duration }

    /// Creates a track from points with times.
    ///
    /// - Throws: ``Error``.
    package init(_ points: [Route.Point]) throws(Error) {
        var times: [UTCTime] = []
        for (index, point) in points.enumerated() {
            guard let time = point.time else { throw .noTime(point: index + 1) }
            if let last = times.last, time < last { throw .timeDecreases(point: index + 1) }
            times.append(time)
        }
        guard let start = times.first, let end = times.last, start < end else { throw .noDuration }
        let filled = GroundTruthTrack.insertingStops(into: points)
        // The speed has no effect if every point has a time.
        guard let route = try? Route(points: filled, speed: 1) else { throw .noDuration }
        (self.route, self.start) = (route, start)
        departures = GroundTruthTrack.departures(along: filled, since: start)
        legs = zip(filled, filled.dropFirst()).compactMap { Leg(from: $0, to: $1, since: start) }
    }

    private static func insertingStops(into points: [Route.Point]) -> [Route.Point] {
        var filled: [Route.Point] = []
        for point in points {
            defer { filled.append(point) }
            guard let last = filled.last, let lastTime = last.time, let time = point.time else { continue }
            let gap = time.span(since: lastTime)
            let distance = Geodesic.inverse(from: last.coordinate, to: point.coordinate).distance
            guard gap >= minGap, distance > 0, distance < maxStationarySpeed * gap.seconds else { continue }
            var endOfStop = last
            endOfStop.time = time.advanced(by: .zero - .seconds(distance / leavingSpeed))
            filled.append(endOfStop)
        }
        return filled
    }

    private static func departures(along points: [Route.Point], since start: UTCTime) -> [Instant.Span] {
        guard var reference = points.first?.coordinate else { return [] }
        // When the device came to the reference position, and when it was last near it.
        var (since, lastNear) = (start, start)
        var departures: [Instant.Span] = []
        for point in points {
            guard let time = point.time else { continue }
            let distance = Geodesic.inverse(from: reference, to: point.coordinate).distance
            if distance <= near {
                lastNear = time
                continue
            }
            let hasRested = lastNear.span(since: since) >= minRest
            // Small movement around the place of a stop is not a departure.
            if hasRested, distance <= far { continue }
            if hasRested { departures.append(lastNear.span(since: start)) }
            reference = point.coordinate
            since = time
            lastNear = time
        }
        return departures
    }
}

extension GroundTruthTrack {
    /// A geodesic travelled at constant speed.
    struct Leg: Sendable {
        /// The start of the leg, relative to the start of the track.
        var start: Instant.Span
        var duration: Instant.Span
        var from: Coordinate
        var to: Coordinate
        /// The length in metres.
        var length: Double
        private var bearing: Double

        fileprivate init?(from a: Route.Point, to b: Route.Point, since start: UTCTime) {
            guard let startTime = a.time, let endTime = b.time else { return nil }
            (self.start, duration) = (startTime.span(since: start), endTime.span(since: startTime))
            (from, to) = (a.coordinate, b.coordinate)
            let path = Geodesic.inverse(from: from, to: to)
            (length, bearing) = (path.distance, path.initialBearing)
        }

        /// Returns the position after a share of the leg, 0 ... 1.
        func coordinate(at share: Double) -> Coordinate {
            if share <= 0 { return from }
            return share >= 1 ? to : Geodesic.direct(from: from, bearing: bearing, distance: length * share).end
        }
    }
}
