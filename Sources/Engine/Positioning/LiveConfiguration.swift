import Chronology

/// The purpose of a stream. It sets the update rate and the demand on the receiver. Raw values are
/// the wire names.
///
/// The five values match Core Location's `CLLocationUpdate.LiveConfiguration`.
public enum LiveConfiguration: String, Sendable, Codable, CaseIterable {
    /// The daemon balances accuracy and power: at most one update per 5 s.
    case `default`
    /// Turn-by-turn navigation in a vehicle: every epoch, up to 5 Hz.
    case automotiveNavigation
    /// Navigation on foot, by bicycle or by boat: 1 Hz.
    case otherNavigation
    /// Workouts: 1 Hz.
    case fitness
    /// Air travel: 1 Hz.
    case airborne

    /// The minimum time between two updates, measured on the receiver's time of fix.
    public var minimumInterval: Instant.Span {
        switch self {
        case .automotiveNavigation: .milliseconds(200)
        case .otherNavigation, .fitness, .airborne: .seconds(1)
        case .default: .seconds(5)
        }
    }
}
