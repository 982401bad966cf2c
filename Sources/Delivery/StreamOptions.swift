import Chronology
import Positioning

/// What a stream asks for beyond its configuration; each makes it slower, none faster.
public struct StreamOptions: Sendable, Equatable {
    /// How good positions must be.
    public var desiredAccuracy: DesiredAccuracy
    /// Metres that the device must have moved since the last update, above 0; nil for no such wish.
    public var distanceFilter: Double?
    /// Least time between two updates; nil for that of the configuration.
    public var minimumInterval: Instant.Span?
    /// How long updates may be held to be delivered together; nil for each at once.
    public var maximumDelay: Instant.Span?
    /// Whether the stream falls silent while the device rests; all do unless they are told not to, as Core Location's live updates.
    public var pausesWhenStationary: Bool
    /// Only when the device is somewhere else: 500 m on and five minutes later at least, by ``SignificantChange``.
    public var isSignificantChange: Bool
    /// Takes what others cause the receivers to tell and asks for nothing itself.
    public var isPassive: Bool

    /// The wishes of a stream; by default none.
    public init(
        desiredAccuracy: DesiredAccuracy = .best, distanceFilter: Double? = nil, minimumInterval: Instant.Span? = nil,
        maximumDelay: Instant.Span? = nil, pausesWhenStationary: Bool = true,
        isSignificantChange: Bool = false, isPassive: Bool = false
    ) {
        self.desiredAccuracy = desiredAccuracy
        self.distanceFilter = distanceFilter
        self.minimumInterval = minimumInterval
        self.maximumDelay = maximumDelay
        self.pausesWhenStationary = pausesWhenStationary
        self.isSignificantChange = isSignificantChange
        self.isPassive = isPassive
    }

    /// The least time between two updates of a stream with that configuration and these wishes.
    public func interval(_ configuration: LiveConfiguration) -> Instant.Span {
        let wished = max(configuration.minimumInterval, desiredAccuracy.minimumInterval, minimumInterval ?? .zero)
        return isSignificantChange ? max(wished, SignificantChange.interval) : wished
    }
}
