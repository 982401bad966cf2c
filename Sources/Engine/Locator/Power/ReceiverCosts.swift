import Chronology

/// The cost of sleep for one receiver. It decides which pauses save energy.
public struct ReceiverCosts: Sendable, Equatable {
    /// Time from waking to the first fix while the ephemerides are valid.
    public var hotStart: Instant.Span
    /// Ratio of power while searching to power while tracking.
    public var searchFactor: Double
    /// Whether commands on the line can put the receiver to sleep and wake it.
    public var supportsSleep: Bool

    /// Creates the costs of a receiver.
    public init(hotStart: Instant.Span = .seconds(2), searchFactor: Double = 1.2, supportsSleep: Bool = true) {
        self.hotStart = hotStart
        self.searchFactor = searchFactor
        self.supportsSleep = supportsSleep
    }

    /// The shortest pause that saves energy. Tracking through the pause must cost at least twice
    /// the search afterwards, since a start under a poor sky takes longer than the data sheet value
    /// (`docs/power.md`).
    public var minSleepDuration: Instant.Span { .seconds(max(3, hotStart.seconds * searchFactor * 2)) }
}
