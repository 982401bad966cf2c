import Chronology
import Geodesy

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
