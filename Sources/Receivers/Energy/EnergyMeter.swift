import Chronology

/// Adds up what a receiver has drawn: time in each state by the figures of its chip.
public struct EnergyMeter: Sendable, Equatable {
    /// The figures it reckons with.
    public let figures: EnergyFigures
    /// The state since ``changed``.
    public private(set) var state: PowerState
    private var changed: Instant
    private var spans: [PowerState: Instant.Span] = [:]

    /// A meter that starts at an instant.
    public init(_ figures: EnergyFigures, state: PowerState, at now: Instant) {
        (self.figures, self.state, changed) = (figures, state, now)
    }

    /// The receiver is in that state from `now` on. An instant before the last one counts as the last one.
    public mutating func enter(_ state: PowerState, at now: Instant) {
        guard now >= changed else {
            self.state = state
            return
        }
        spans[self.state, default: .zero] = (spans[self.state] ?? .zero) + (now - changed)
        (self.state, changed) = (state, now)
    }

    /// Time spent in a state up to `now`.
    public func time(in state: PowerState, at now: Instant) -> Instant.Span {
        let earlier = spans[state] ?? .zero
        return state == self.state && now > changed ? earlier + (now - changed) : earlier
    }

    /// Milliampere hours up to `now`.
    public func charge(at now: Instant) -> Double {
        PowerState.allCases.reduce(0) { $0 + figures.current(in: $1) * time(in: $1, at: now).seconds / 3600 }
    }

    /// Joules up to `now`.
    ///
    /// - Parameter supply: Volts of what feeds the receiver; nil for those at which the figures hold.
    public func energy(at now: Instant, supply: Double? = nil) -> Double {
        charge(at: now) * 3.6 * (supply ?? figures.volts)
    }
}
