import Chronology

/// How long a device must lie still before it is said to rest.
public enum MotionPatience: String, Sendable, CaseIterable {
    /// Nothing is known of what moves.
    case any
    /// On foot, by cycle or boat. Longer than a pedestrian waits to cross.
    case pedestrian
    /// On wheels. Red lights last 30 to 90 s, and 120 s at large junctions.
    case automotive
    /// In the air: no rest while height or speed say that it flies.
    case airborne

    /// The time over which fixes must keep together.
    public var window: Instant.Span {
        switch self {
        case .any: .seconds(90)
        case .pedestrian, .airborne: .seconds(120)
        case .automotive: .seconds(180)
        }
    }
}
