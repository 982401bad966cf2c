import Chronology
import Geodesy

/// A filter that passes only significant changes: 500 m or more, after at least five minutes.
public struct SignificantChangeFilter: Sendable {
    /// The minimum distance between two updates, in metres.
    public static let distance = 500.0
    /// The minimum time between two updates.
    public static let interval = Instant.Span.seconds(300)

    private var last: (coordinate: Coordinate, radius: Double, at: Instant)?

    /// Creates a filter that has passed no fix yet.
    public init() {}

    /// Returns whether this fix is a significant change; the first with a position is.
    public mutating func admits(_ fix: Fix, at now: Instant) -> Bool {
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius.isFinite else {
            return false
        }
        if let last {
            guard now - last.at >= SignificantChangeFilter.interval else { return false }
            // Two inaccurate positions may differ by this much without any movement.
            let error = 2 * (radius * radius + last.radius * last.radius).squareRoot()
            guard last.coordinate.nearbyDistance(to: coordinate) >= max(SignificantChangeFilter.distance, error) else {
                return false
            }
        }
        last = (coordinate, radius, now)
        return true
    }
}
