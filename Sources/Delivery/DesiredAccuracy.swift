import Chronology

/// How good a stream's positions must be; who can do with less is served less often and lets the receiver rest. Raw values are the
/// wire's names.
///
/// The steps are Core Location's `desiredAccuracy` constants; their rates are Sextant's own (`docs/motion.md` section 4).
public enum DesiredAccuracy: String, Sendable, Codable, CaseIterable {
    /// As good as the receiver can; the configuration sets the rate.
    case best
    /// Good to 100 m: at most one update per 10 s.
    case hundredMetres
    /// Good to 1 km: at most one update a minute.
    case kilometre
    /// Good to 3 km: at most one update per five minutes.
    case threeKilometres
    /// The town and not the house: at most one update per quarter of an hour.
    case reduced

    /// The least time between two updates.
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
