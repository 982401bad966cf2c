import Chronology
import Locator

/// The demand of one consumer on a receiver.
package struct ConsumerDemand: Sendable, Equatable {
    /// The consumer.
    package var consumer: EnergyUser
    /// The demand.
    package var demand: Demand
    /// Whether the consumer gets no updates while the device is stationary, so that duty-cycle
    /// fixes are enough for it now.
    package var needsOnlyDutyCycle: Bool

    /// Creates a demand.
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
