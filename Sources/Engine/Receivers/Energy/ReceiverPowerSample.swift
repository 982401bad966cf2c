import Chronology
import Locator

/// The power state of a receiver, and its consumers.
package struct ReceiverPowerSample: Sendable, Equatable {
    /// The receiver's name as clients see it.
    package var receiver: String
    package var state: ReceiverPowerState
    package var demands: [ConsumerDemand]
    /// The generation of the chip; ``ReceiverChip/generic`` until it is identified.
    package var chip: ReceiverChip

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
    package var span: Instant.Span

    package init(_ sample: ReceiverPowerSample, lasting span: Instant.Span) {
        (self.sample, self.span) = (sample, span)
    }
}

/// The demand of one consumer on a receiver.
package struct ConsumerDemand: Sendable, Equatable {
    package var consumer: EnergyUser
    package var demand: Demand
    /// Whether the consumer gets no updates while the device is stationary, so that duty-cycle
    /// fixes are enough for it now.
    package var needsOnlyDutyCycle: Bool

    package init(_ consumer: EnergyUser, demand: Demand, needsOnlyDutyCycle: Bool = false) {
        self.consumer = consumer
        self.demand = demand
        self.needsOnlyDutyCycle = needsOnlyDutyCycle
    }

    /// Returns the mean power, in watts, that a receiver would draw for this demand alone: the
    /// basis for sharing energy.
    package func power(_ figures: EnergyFigures) -> Double {
        if needsOnlyDutyCycle, let checks = demand.stationaryCheckInterval {
            return dutyCycle(figures, every: checks.last)
        }
        if demand.interval >= PowerPlanner.minDutyCycleInterval { return dutyCycle(figures, every: demand.interval) }
        return figures.power(in: demand.isLowLatency ? .tracking : .powerSave)
    }

    /// The mean power of a search and one second of tracking, for the fix, in each period.
    private func dutyCycle(_ figures: EnergyFigures, every interval: Instant.Span) -> Double {
        let period = interval.seconds
        let search = min(1, figures.hotStart / period)
        let track = min(1 - search, 1 / period)
        let mean =
            figures.power(in: .acquiring) * search + figures.power(in: .tracking) * track
            + figures.power(in: .standby) * (1 - search - track)
        // A receiver that draws as much while asleep is left awake.
        return min(mean, figures.power(in: .tracking))
    }
}
