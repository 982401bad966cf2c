import Chronology
import Delivery

/// What one consumer needs of a receiver.
public struct PowerNeed: Sendable, Equatable {
    /// Who needs it.
    public var consumer: Consumer
    /// What.
    public var demand: Demand
    /// It is told nothing while the device rests: looks are enough for it now.
    public var isSilent: Bool

    /// A need.
    public init(_ consumer: Consumer, _ demand: Demand, isSilent: Bool = false) {
        (self.consumer, self.demand, self.isSilent) = (consumer, demand, isSilent)
    }

    /// Watts that a receiver would draw, in the mean, if this were all that is needed of it: the measure by which energy is divided.
    public func power(_ figures: EnergyFigures) -> Double {
        if isSilent, let looks = demand.looksAtRest {
            return duty(figures, awake: PowerPlanner.lookSpan.seconds, every: looks.last.seconds)
        }
        // One second of tracking: the fix itself.
        if demand.interval >= PowerPlanner.dutyInterval { return duty(figures, awake: 1, every: demand.interval.seconds) }
        return figures.power(in: demand.isUrgent ? .tracking : .powerSave)
    }

    private func duty(_ figures: EnergyFigures, awake: Double, every period: Double) -> Double {
        let search = min(1, figures.hotStart / period)
        let track = min(1 - search, awake / period)
        let mean =
            figures.power(in: .acquiring) * search + figures.power(in: .tracking) * track
            + figures.power(in: .standby) * (1 - search - track)
        // One that draws as much asleep is left awake.
        return min(mean, figures.power(in: .tracking))
    }
}
