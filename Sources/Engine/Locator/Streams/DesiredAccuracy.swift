import Chronology

/// The accuracy that a stream requires. A lower accuracy means fewer updates and lets the receiver
/// sleep. Raw values are the wire names.
///
/// The values match Core Location's `desiredAccuracy` constants; the update rates are Sextant's own
/// (`docs/motion.md` section 4).
public enum DesiredAccuracy: String, Sendable, Codable, CaseIterable {
    /// The best accuracy of the receiver; the configuration sets the rate.
    case best
    /// Accurate to 100 m: at most one update per 10 s.
    case hundredMetres
    /// Accurate to 1 km: at most one update per minute.
    case kilometre
    /// Accurate to 3 km: at most one update per five minutes.
    case threeKilometres
    /// Accurate to the town, not the building: at most one update per 15 minutes.
    case reduced

    /// The minimum time between two updates.
    public var minimumInterval: Instant.Span {
        switch self {
        case .best: .zero
        case .hundredMetres: .seconds(10)
        case .kilometre: .seconds(60)
        case .threeKilometres: .seconds(300)
        case .reduced: .seconds(900)
        }
    }
}
