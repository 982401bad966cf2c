import Chronology

/// The power state of a receiver, and its consumers.
package struct ReceiverPowerSample: Sendable, Equatable {
    /// The receiver's name as clients see it.
    package var receiver: String
    /// The power state.
    package var state: ReceiverPowerState
    /// The demands of its consumers.
    package var demands: [ConsumerDemand]
    /// The generation of the chip; ``ReceiverChip/generic`` until it is identified.
    package var chip: ReceiverChip

    /// Creates a sample of a receiver in a state.
    package init(
        _ receiver: String, state: ReceiverPowerState, demands: [ConsumerDemand] = [], chip: ReceiverChip = .generic
    ) {
        self.receiver = receiver
        self.state = state
        self.demands = demands
        self.chip = chip
    }

    /// Returns whether energy and shares stay the same. A change of the chip does not count,
    /// because it applies to the time before as well.
    func isContinued(as other: ReceiverPowerSample) -> Bool { state == other.state && demands == other.demands }
}

/// An interval during which a receiver had one state and the same consumers.
package struct PowerInterval: Sendable, Equatable {
    /// The state and the consumers.
    package var sample: ReceiverPowerSample
    /// The duration.
    package var span: Instant.Span

    /// Creates an interval.
    package init(_ sample: ReceiverPowerSample, lasting span: Instant.Span) {
        (self.sample, self.span) = (sample, span)
    }
}
