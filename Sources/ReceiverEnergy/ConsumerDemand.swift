import Chronology
import Delivery
import Receivers

/// The demand of one consumer on a receiver.
package struct ConsumerDemand: Sendable, Equatable {
    /// The consumer.
    package var consumer: Consumer
    /// The demand.
    package var demand: Demand
    /// Whether the consumer gets no updates while the device is stationary, so that duty-cycle
    /// fixes are enough for it now.
    package var needsOnlyDutyCycle: Bool

    /// Creates a demand.
    package init(_ consumer: Consumer, demand: Demand, needsOnlyDutyCycle: Bool = false) {
        self.consumer = consumer
        self.demand = demand
        self.needsOnlyDutyCycle = needsOnlyDutyCycle
    }

    /// Returns the mean power, in watts, that a receiver would draw for this demand alone: the
    /// basis for sharing energy.
    package func power(_ figures: EnergyFigures) -> Double {
        if needsOnlyDutyCycle, let checks = demand.stationaryCheckInterval {
            return duty(figures, awake: checks.checkDuration.seconds, every: checks.last.seconds)
        }
        // One second of tracking for the fix itself.
        if demand.interval >= PowerPlanner.minDutyCycleInterval {
            return duty(figures, awake: 1, every: demand.interval.seconds)
        }
        return figures.power(in: demand.isLowLatency ? .tracking : .powerSave)
    }

    private func duty(_ figures: EnergyFigures, awake: Double, every period: Double) -> Double {
        let search = min(1, figures.hotStart / period)
        let track = min(1 - search, awake / period)
        let mean =
            figures.power(in: .acquiring) * search + figures.power(in: .tracking) * track
            + figures.power(in: .standby) * (1 - search - track)
        // A receiver that draws as much while asleep is left awake.
        return min(mean, figures.power(in: .tracking))
    }
}
