import Chronology

/// Selects the points of a track that are needed to draw it with a given error.
///
/// An opening window with the synchronised distance (N. Meratnia and R. de By, "Spatiotemporal
/// Compression Techniques for Moving Point Objects", EDBT 2004, section 3.3). The window begins at
/// the last published point. It grows while each of its points is within the tolerance of the line
/// from there to the newest point, at its own time. Otherwise the point before the newest one is
/// published and begins the next window. Thus each point is within the tolerance of the published
/// track at its time.
///
/// The first point is published at once; a point in a track at 1 Hz is published one second late at
/// a turn, and ``maxDuration`` late at most.
package struct TrackSimplifier<Payload: Sendable>: Sendable {
    /// The maximum duration of a window. Longer windows save no points on recorded drives.
    package static var maxDuration: Instant.Span { .seconds(60) }
    /// The maximum number of points in a window, one minute at 5 Hz.
    package static var maxCount: Int { 300 }

    /// The maximum synchronised distance in metres.
    package let tolerance: Double
    /// The last published point.
    private var anchor: TrackPoint<Payload>?
    /// The points after the anchor, oldest first. All are within the tolerance of the line from
    /// the anchor to the last one.
    private var window: [TrackPoint<Payload>] = []
    /// When the window began to hold points.
    private var since = Instant.zero

    /// Creates an empty track; nil if the tolerance is missing, not finite or not positive.
    package init?(tolerance: Double?) {
        guard let tolerance, tolerance.isFinite, tolerance > 0 else { return nil }
        self.tolerance = tolerance
    }

    /// When ``tick(at:)`` must be called; nil while no point is held.
    package var deadline: Instant? { window.isEmpty ? nil : since + Self.maxDuration }

    /// Adds the next point of the track. Returns the points to publish now, oldest first.
    ///
    /// A point that is not later than the one before begins another track.
    ///
    /// - Parameter now: The instant of this call.
    package mutating func add(_ point: TrackPoint<Payload>, at now: Instant) -> [TrackPoint<Payload>] {
        guard let anchor else {
            self.anchor = point
            return [point]
        }
        guard point.time > (window.last ?? anchor).time else {
            let held = finish()
            self.anchor = point
            return held + [point]
        }
        var published: [TrackPoint<Payload>] = []
        if !fits(point, from: anchor), let last = window.last {
            published.append(last)
            self.anchor = last
            window.removeAll(keepingCapacity: true)
        }
        if window.isEmpty { since = now }
        window.append(point)
        let begin = self.anchor?.time ?? point.time
        if window.count >= Self.maxCount || point.time.span(since: begin) >= Self.maxDuration {
            published += close()
        }
        return published
    }

    /// Returns the held point if its window is over at `now`: no further point has arrived.
    package mutating func tick(at now: Instant) -> [TrackPoint<Payload>] {
        guard let deadline, now >= deadline else { return [] }
        return close()
    }

    /// Ends the track. Returns its last point unless that is already published. The next point
    /// begins another track.
    package mutating func finish() -> [TrackPoint<Payload>] {
        defer { anchor = nil }
        return close()
    }

    /// Publishes the last point, from which the track continues.
    private mutating func close() -> [TrackPoint<Payload>] {
        guard let last = window.last else { return [] }
        anchor = last
        window.removeAll(keepingCapacity: true)
        return [last]
    }

    private func fits(_ point: TrackPoint<Payload>, from anchor: TrackPoint<Payload>) -> Bool {
        let segment = TrackSegment(from: anchor, to: point)
        return window.allSatisfy { segment.distance(to: $0) <= tolerance }
    }
}

/// A position of a track with its time and any further data.
package struct TrackPoint<Payload: Sendable>: Sendable {
    /// The time of the position by the receiver's clock.
    package var time: UTCTime
    package var coordinate: Coordinate
    /// Further data, which a simplification keeps with the point.
    package var payload: Payload

    package init(_ coordinate: Coordinate, at time: UTCTime, _ payload: Payload) {
        self.coordinate = coordinate
        self.time = time
        self.payload = payload
    }
}

/// A straight movement between two positions at constant speed.
package struct TrackSegment: Sendable {
    /// Beyond this latitude in degrees, ``Coordinate/nearbyDistance(to:)`` is not accurate enough.
    private static let nearPole = 80.0

    private let start: Coordinate
    private let startTime: UTCTime
    private let north: Double
    private let east: Double
    private let duration: Double

    /// Creates the movement from one point to a later one.
    package init<A, B>(from start: TrackPoint<A>, to end: TrackPoint<B>) {
        self.start = start.coordinate
        startTime = start.time
        north = end.coordinate.latitude - start.coordinate.latitude
        east = (end.coordinate.longitude - start.coordinate.longitude).remainder(dividingBy: 360)
        duration = end.time.span(since: start.time).seconds
    }

    /// Returns the position at a time: latitude and longitude change linearly, and the shorter
    /// direction around the Earth is taken. Times outside the segment yield its ends.
    package func position(at time: UTCTime) -> Coordinate {
        let fraction = duration > 0 ? min(max(time.span(since: startTime).seconds / duration, 0), 1) : 1
        let latitude = min(max(start.latitude + north * fraction, -90), 90)
        let longitude = (start.longitude + east * fraction).remainder(dividingBy: 360)
        return Coordinate(latitude: latitude, longitude: longitude) ?? start
    }

    /// Returns the synchronised distance in metres: from a point to the position of the segment at
    /// the time of the point.
    package func distance<Payload>(to point: TrackPoint<Payload>) -> Double {
        let here = position(at: point.time)
        return abs(here.latitude) < TrackSegment.nearPole
            ? here.nearbyDistance(to: point.coordinate) : here.distance(to: point.coordinate)
    }
}
