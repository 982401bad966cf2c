import Chronology

@_exported import enum SextantAPI.DesiredAccuracy

extension DesiredAccuracy {
    /// The minimum time between two updates.
    public var minimumInterval: Instant.Span {
        switch self {
        case .best, .unknown: .zero
        case .hundredMetres: .seconds(10)
        case .kilometre: .seconds(60)
        case .threeKilometres: .seconds(300)
        case .reduced: .seconds(900)
        }
    }
}
