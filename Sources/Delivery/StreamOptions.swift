import Chronology

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
    /// Whether the stream falls silent while the device rests.
    public var pausesWhenStationary: Bool

    /// The wishes of a stream; by default none.
    public init(
        desiredAccuracy: DesiredAccuracy = .best, distanceFilter: Double? = nil, minimumInterval: Instant.Span? = nil,
        maximumDelay: Instant.Span? = nil, pausesWhenStationary: Bool = false
    ) {
        self.desiredAccuracy = desiredAccuracy
        self.distanceFilter = distanceFilter
        self.minimumInterval = minimumInterval
        self.maximumDelay = maximumDelay
        self.pausesWhenStationary = pausesWhenStationary
    }

    /// The least time between two updates of a stream with that configuration and these wishes.
    public func interval(_ configuration: LiveConfiguration) -> Instant.Span {
        max(configuration.minimumInterval, desiredAccuracy.minimumInterval, minimumInterval ?? .zero)
    }
}
