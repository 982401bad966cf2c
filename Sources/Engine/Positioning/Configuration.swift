import Chronology

@_exported import enum SextantAPI.Configuration

extension Configuration {
    /// The minimum time between two updates, measured on the receiver's time of fix.
    public var minimumInterval: Instant.Span {
        switch self {
        case .automotiveNavigation: .milliseconds(200)
        case .otherNavigation, .fitness, .airborne: .seconds(1)
        case .default, .unknown: .seconds(5)
        }
    }
}
