import Chronology
import Geodesy
import Permission

/// The limits of what a server gets: nothing at quiet places and in quiet hours, and only the
/// reduced location if the accuracy is reduced.
package struct ReportFilter: Sendable {
    /// The places where nothing is reported.
    package var quietPlaces: [QuietPlace] = []
    /// The hours in which nothing is reported.
    package var quietHours: [QuietHours] = []

    /// The location as the server gets it; nil if the server gets exact positions.
    private var reducedLocation: ReducedLocation?

    /// Creates a filter without quiet places and hours.
    ///
    /// - Parameter secret: The secret of reduced locations; nil for exact positions. It must stay
    ///   the same over restarts.
    package init(reducedBy secret: ReducedSecret? = nil) {
        reducedLocation = secret.map { ReducedLocation(grid: ReducedGrid(secret: $0)) }
    }

    /// Returns the point that is reported; nil if none is.
    ///
    /// A reduced location is reported at most every 15 minutes, without altitude, speed and course.
    ///
    /// - Parameters:
    ///   - isReduced: Whether the daemon has reduced the point. It is not reduced once more: a
    ///     second grid would reveal the intersection of two areas.
    ///   - minute: The minute of the day at the time of the point, by local time.
    package mutating func reported(
        _ point: FleetPoint, isReduced: Bool = false, minute: Int, at now: Instant
    ) -> FleetPoint? {
        let radius = ReportFilter.radius(of: point)
        guard isReported(at: point.coordinate, accuracy: radius, minute: minute) else { return nil }
        guard reducedLocation != nil, !isReduced else { return point }
        _ = reducedLocation?.process(
            point.coordinate, horizontalAccuracy: radius, time: point.time, at: now)
        guard let answer = reducedLocation?.current, answer.at == now else { return nil }
        return FleetPoint(answer.coordinate, at: point.time, accuracy: answer.horizontalAccuracy)
    }

    /// Returns whether an event is reported. A server with reduced accuracy gets no events: they
    /// contain the exact place.
    package func isReported(_ event: FleetEvent, minute: Int) -> Bool {
        !isReduced && isReported(at: event.place, accuracy: event.accuracy ?? 0, minute: minute)
    }

    /// Returns whether a record that waits may be sent: the limits may be others than when it was
    /// added. A point must not be reduced.
    package func isReported(_ record: FleetRecord, minute: (UTCTime) -> Int) -> Bool {
        switch record.content {
        case .event(let event): isReported(event, minute: minute(event.time))
        case .point(let point):
            isReported(at: point.coordinate, accuracy: ReportFilter.radius(of: point), minute: minute(point.time))
        }
    }

    /// Returns whether the place of a fence is reported: the middle of none at a quiet place.
    package func isReported(_ waypoint: Waypoint) -> Bool {
        !isReduced && !quietPlaces.contains { waypoint.center.distance(to: $0.center) <= $0.radius }
    }

    /// Whether the server gets reduced locations, and no events.
    package var isReduced: Bool { reducedLocation != nil }
    /// Whether there are quiet hours or quiet places.
    package var hasQuiet: Bool { !quietHours.isEmpty || !quietPlaces.isEmpty }

    /// Returns whether nothing is reported in a minute of the day.
    package func isQuiet(in minute: Int) -> Bool { quietHours.contains { $0.contains(minute) } }

    private static func radius(of point: FleetPoint) -> Double {
        point.accuracy ?? Double(FleetPoint.unknownAccuracy)
    }

    /// A position counts as at a quiet place if it may be there by its accuracy. If there are quiet
    /// places, an unknown position may be at one.
    private func isReported(at place: Coordinate?, accuracy: Double, minute: Int) -> Bool {
        guard !isQuiet(in: minute) else { return false }
        guard let place else { return quietPlaces.isEmpty }
        return !quietPlaces.contains { place.distance(to: $0.center) - max(accuracy, 0) <= $0.radius }
    }
}

/// Decides which positions are reported: only those with a date of the receiver, in the order of
/// time, and never two with one time.
///
/// OwnTracks and Traccar state times in whole seconds and take a second point with the same time
/// for a duplicate.
package struct PointAdmission: Sendable {
    /// A time earlier by more than this shows that the last time was wrong, not this one.
    package static let maxStep = Instant.Span.seconds(3600)

    private var last: UTCTime?

    /// Creates the rule.
    ///
    /// - Parameter last: The time of the last reported point, also of an earlier process.
    package init(after last: UTCTime? = nil) { self.last = last }

    /// Returns whether a point with this time is reported, and records it.
    package mutating func admits(_ time: UTCTime?) -> Bool {
        guard let time, time.milliseconds > 0 else { return false }
        if let last, time.wholeSeconds <= last.wholeSeconds, last.span(since: time) <= PointAdmission.maxStep {
            return false
        }
        last = time
        return true
    }
}

/// Leaves out the positions of a device that does not move: one per half hour is enough to show
/// that it works.
///
/// Positions within half the tolerance of the last reported one are held. When the device leaves,
/// the last held one is reported too, so that the track stays at the place until then. The error of
/// the track grows by half the tolerance at most, and only there.
package struct StationaryFilter: Sendable {
    /// The time after which a device that does not move reports a position.
    package static let heartbeat = Instant.Span.seconds(1800)

    private let radius: Double
    private var reported: FleetPoint?
    private var held: FleetPoint?

    /// Creates a filter for a track with this maximum error in metres; with 0, it holds nothing.
    package init(tolerance: Double) { radius = tolerance / 2 }

    /// Adds the next position. Returns those to report now, oldest first.
    package mutating func add(_ point: FleetPoint) -> [FleetPoint] {
        if let reported, radius > 0, reported.coordinate.distance(to: point.coordinate) <= radius {
            let age = point.time.span(since: reported.time)
            if age > .zero, age < StationaryFilter.heartbeat {
                held = point
                return []
            }
            held = nil
        }
        let last = takeHeld()
        reported = point
        return (last.map { [$0] } ?? []) + [point]
    }

    /// Returns the held position, to report it now; nil if the last one is reported.
    package mutating func takeHeld() -> FleetPoint? {
        defer { held = nil }
        return held
    }
}

/// The bytes of a month.
package struct MonthlyBytes: Sendable, Equatable {
    /// The number of bytes in the last counted month.
    package private(set) var count = 0
    /// That month, such as 202611; 0: none.
    package private(set) var month: Int64

    /// Creates a counter with the bytes of a month so far.
    package init(_ count: Int = 0, month: Int64 = 0) { (self.count, self.month) = (count, month) }

    /// Counts bytes for a month, such as 202611. A new month begins at 0.
    package mutating func add(_ bytes: Int, month: Int64) {
        if month != self.month { count = 0 }
        self.month = month
        count += bytes
    }
}
