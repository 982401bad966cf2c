import Chronology
import Geodesy

/// What a condition concerns.
public enum ConditionSubject: Sendable, Equatable {
    /// Whether the device is in an area.
    case area(FenceShape)
    /// Whether the device visits a place, any place.
    case visits
    /// Movements of the device.
    case significantChange(SignificantChange)
}

/// The movements that cause an event of a condition (`startMonitoringSignificantLocationChanges` of
/// Core Location).
public struct SignificantChange: Sendable, Equatable {
    /// The valid distances in metres. A fence of a smaller radius is often undecidable.
    public static let distances = 100.0...1_000_000
    /// The valid intervals in seconds: at most one day.
    public static let intervals = 0.0...86_400
    /// The default distance in metres, that of Core Location.
    public static let defaultDistance = 500.0
    /// The default interval in seconds, that of Core Location.
    public static let defaultInterval = 300.0

    /// The minimum distance in metres from the place of the last event.
    public var distance: Double
    /// The minimum time between two events.
    public var interval: Instant.Span

    /// Creates a value.
    public init(distance: Double = defaultDistance, interval: Instant.Span = .seconds(defaultInterval)) {
        (self.distance, self.interval) = (distance, interval)
    }
}

/// The position of the last event of a condition.
public struct ConditionPlace: Sendable, Equatable {
    /// The position.
    public var coordinate: Coordinate
    /// The horizontal accuracy (R68) of ``coordinate``, in metres.
    public var radius: Double
    /// The date of the event, in the receiver's time; nil if it was unknown.
    public var date: UTCTime?

    /// Creates a place.
    public init(coordinate: Coordinate, radius: Double, date: UTCTime? = nil) {
        self.coordinate = coordinate
        self.radius = radius
        self.date = date
    }
}
