import Chronology

/// What sleeping costs with one receiver: it decides which pauses are worth it.
public struct ReceiverCosts: Sendable, Equatable {
    /// Seconds from waking to a fix while its orbits are still good.
    public var hotStart: Instant.Span
    /// Power while it searches over power while it tracks.
    public var searchFactor: Double
    /// Whether it can be put to sleep and woken over the line at all.
    public var sleeps: Bool

    /// The costs of a receiver.
    public init(hotStart: Instant.Span = .seconds(2), searchFactor: Double = 1.2, sleeps: Bool = true) {
        self.hotStart = hotStart
        self.searchFactor = searchFactor
        self.sleeps = sleeps
    }

    /// The shortest pause that saves anything: what is searched for again must have cost less than tracking on, twice over, since a start
    /// in poor sky takes longer than in the data sheet (`docs/power.md`).
    public var leastPause: Instant.Span { .seconds(max(3, hotStart.seconds * searchFactor * 2)) }
}
