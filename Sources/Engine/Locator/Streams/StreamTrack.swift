import Chronology
import Geodesy
import Positioning

/// The simplified track of a stream with a tolerance: its updates are held until they are needed.
struct StreamTrack: Sendable {
    private struct HeldUpdate: Sendable {
        var update: Update
        var since: Instant
    }

    private var simplifier: TrackSimplifier<HeldUpdate>

    /// Creates an empty track; nil without a positive tolerance in metres.
    init?(_ tolerance: Double?) {
        guard let simplifier = TrackSimplifier<HeldUpdate>(tolerance: tolerance) else { return nil }
        self.simplifier = simplifier
    }

    /// When ``tick(at:)`` must be called; nil if no update is held.
    var deadline: Instant? { simplifier.deadline }

    /// Adds an update with a location. Returns the updates to publish now, oldest first.
    ///
    /// A departure, an update that reports more than a location, and a location without a date are
    /// published at once after the held one.
    mutating func add(_ update: Update, at now: Instant) -> [Update] {
        guard !update.stationary, let fix = update.location?.fix, let time = fix.time, let coordinate = fix.coordinate
        else { return finish(at: now) + [update] }
        let held = update.hasDeparted ? finish(at: now) : []
        let point = TrackPoint(coordinate, at: time, HeldUpdate(update: update, since: now))
        return held + updates(simplifier.add(point, at: now), at: now)
    }

    /// Returns the held update if its window is over at `now`.
    mutating func tick(at now: Instant) -> [Update] { updates(simplifier.tick(at: now), at: now) }

    /// Ends the track and returns the held update.
    mutating func finish(at now: Instant) -> [Update] { updates(simplifier.finish(), at: now) }

    private func updates(_ points: [TrackPoint<HeldUpdate>], at now: Instant) -> [Update] {
        points.map { point in
            var update = point.payload.update
            if let age = update.location?.age { update.location?.age = age + (now - point.payload.since) }
            return update
        }
    }
}
