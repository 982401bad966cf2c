import Chronology
import Geodesy

/// Lets through the positions of those who only want to know when they are somewhere else: 500 m on, and at least five minutes later.
public struct SignificantChange: Sendable {
    /// Metres between two updates, at the least.
    public static let distance = 500.0
    /// Time between two updates, at the least.
    public static let interval = Instant.Span.seconds(300)

    private var last: (coordinate: Coordinate, radius: Double, at: Instant)?

    /// A filter that has let nothing through.
    public init() {}

    /// Whether this fix is a significant change; the first with a position is.
    public mutating func admits(_ fix: Fix, at now: Instant) -> Bool {
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius.isFinite else { return false }
        if let last {
            guard now - last.at >= SignificantChange.interval else { return false }
            // Two vague positions may lie that far apart without any change.
            let error = 2 * (radius * radius + last.radius * last.radius).squareRoot()
            guard last.coordinate.nearbyDistance(to: coordinate) >= max(SignificantChange.distance, error) else { return false }
        }
        last = (coordinate, radius, now)
        return true
    }

    /// From when on ``admits(_:at:)`` may let another fix through; nil before the first.
    public var notBefore: Instant? { last.map { $0.at + SignificantChange.interval } }
}
