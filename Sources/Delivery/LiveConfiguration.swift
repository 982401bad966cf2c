import Chronology

/// What a stream is for; sets how often it is served and, later, how hard the receiver works. Raw values are the wire's names.
///
/// The five are Core Location's `CLLocationUpdate.LiveConfiguration`.
public enum LiveConfiguration: String, Sendable, Codable, CaseIterable {
    /// The daemon balances accuracy and power: at most one update per 5 s.
    case `default`
    /// Turn by turn in a vehicle: every epoch, up to 5 Hz.
    case automotiveNavigation
    /// Navigation on foot, by cycle or boat: 1 Hz.
    case otherNavigation
    /// Workouts: 1 Hz.
    case fitness
    /// In the air: 1 Hz.
    case airborne

    /// The least time between two updates, measured on the receiver's own time of fix.
    public var minimumInterval: Instant.Span {
        switch self {
        case .automotiveNavigation: .milliseconds(200)
        case .otherNavigation, .fitness, .airborne: .seconds(1)
        case .default: .seconds(5)
        }
    }
}
