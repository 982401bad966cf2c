import Chronology

/// How long a device must keep its place to be stationary.
public enum StationaryThreshold: String, Sendable, CaseIterable {
    /// The kind of movement is unknown.
    case any
    /// On foot, by bicycle or boat. Longer than a pedestrian waits to cross a road.
    case pedestrian
    /// On wheels. Red lights last 30 to 90 s, and 120 s at large junctions.
    case automotive
    /// In the air: never stationary while height or speed indicates flight.
    case airborne

    /// The time for which fixes must stay together.
    public var window: Instant.Span {
        switch self {
        case .any: .seconds(90)
        case .pedestrian, .airborne: .seconds(120)
        case .automotive: .seconds(180)
        }
    }
}
