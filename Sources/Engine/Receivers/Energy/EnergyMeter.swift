import Chronology

/// Sums the energy of a receiver: the time in each state and the figures of its chip.
package struct EnergyMeter: Sendable, Equatable {
    package let figures: EnergyFigures
    /// The state since ``changed``.
    package private(set) var state: ReceiverPowerState
    private var changed: Instant
    private var spans: [ReceiverPowerState: Instant.Span] = [:]

    /// Creates a meter that starts at `now`.
    package init(_ figures: EnergyFigures, state: ReceiverPowerState, at now: Instant) {
        self.figures = figures
        self.state = state
        changed = now
    }

    /// Records that the receiver enters a state at `now`. An instant before the last one counts as
    /// the last one.
    package mutating func enter(_ state: ReceiverPowerState, at now: Instant) {
        guard now >= changed else {
            self.state = state
            return
        }
        spans[self.state, default: .zero] = (spans[self.state] ?? .zero) + (now - changed)
        (self.state, changed) = (state, now)
    }

    package func time(in state: ReceiverPowerState, at now: Instant) -> Instant.Span {
        let earlier = spans[state] ?? .zero
        return state == self.state && now > changed ? earlier + (now - changed) : earlier
    }

    /// Returns the charge up to `now`, in milliampere hours.
    package func charge(at now: Instant) -> Double {
        ReceiverPowerState.allCases.reduce(0) { $0 + figures.current(in: $1) * time(in: $1, at: now).seconds / 3600 }
    }

    /// Returns the energy up to `now`, in joules.
    ///
    /// - Parameter supply: The supply voltage of the receiver; nil for the voltage of the figures.
    package func energy(at now: Instant, supply: Double? = nil) -> Double {
        charge(at: now) * 3.6 * (supply ?? figures.volts)
    }
}
