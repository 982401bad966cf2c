import Chronology

/// The energy use of one receiver over a period, by state and by consumer.
package struct ReceiverEnergyUse: Sendable, Equatable {
    /// The maximum number of separate consumers. Those with the least energy are summed as
    /// ``EnergyUser/others``.
    package static let maxConsumers = 24

    package private(set) var secondsByState: [ReceiverPowerState: Double] = [:]
    package private(set) var joulesByConsumer: [EnergyUser: Double] = [:]
    /// The seconds for which the figures of each chip were used.
    package private(set) var secondsByChip: [ReceiverChip: Double] = [:]

    /// Creates an empty record.
    package init() {}

    /// The total energy in joules.
    package var joules: Double { joulesByConsumer.values.reduce(0, +) }
    /// The total time in seconds.
    package var seconds: Double { secondsByState.values.reduce(0, +) }

    /// Adds a fraction of an interval.
    ///
    /// - Parameter fraction: 0 to 1.
    package mutating func add(_ interval: PowerInterval, fraction: Double = 1) {
        let (sample, seconds) = (interval.sample, interval.span.seconds * fraction)
        guard seconds > 0 else { return }
        let figures = EnergyFigures(for: sample.chip)
        let joules = figures.power(in: sample.state) * seconds
        add(seconds, in: sample.state)
        add(seconds, countedAs: sample.chip)
        for (consumer, share) in EnergyAttribution(sample.demands, figures: figures).parts {
            add(joules * share, for: consumer)
        }
        bound()
    }

    /// Adds time in a state.
    package mutating func add(_ seconds: Double, in state: ReceiverPowerState) {
        secondsByState[state, default: 0] += seconds
    }
    /// Adds time for which a chip's figures were used.
    package mutating func add(_ seconds: Double, countedAs chip: ReceiverChip) {
        secondsByChip[chip, default: 0] += seconds
    }
    package mutating func add(_ joules: Double, for consumer: EnergyUser) {
        joulesByConsumer[consumer, default: 0] += joules
    }

    package mutating func add(_ other: ReceiverEnergyUse) {
        secondsByState.merge(other.secondsByState, uniquingKeysWith: +)
        joulesByConsumer.merge(other.joulesByConsumer, uniquingKeysWith: +)
        secondsByChip.merge(other.secondsByChip, uniquingKeysWith: +)
        bound()
    }

    private mutating func bound() {
        let programs = joulesByConsumer.filter { if case .program = $0.key { true } else { false } }
        guard programs.count > ReceiverEnergyUse.maxConsumers else { return }
        for (consumer, joules) in programs.sorted(by: { $0.value > $1.value }).dropFirst(
            ReceiverEnergyUse.maxConsumers)
        {
            joulesByConsumer[consumer] = nil
            add(joules, for: .others)
        }
    }
}

/// The energy use of all receivers over a period, and the number of wakeups of the daemon.
package struct EnergyUse: Sendable, Equatable {
    /// The maximum number of separate receivers.
    package static let maxReceivers = 16
    /// The name for the sum of all further receivers.
    package static let otherReceivers = "others"

    package private(set) var receivers: [String: ReceiverEnergyUse] = [:]
    /// The number of wakeups of the daemon; fractional if an interval was split at midnight.
    package var wakeups = 0.0

    /// Creates an empty period.
    package init() {}

    package mutating func add(_ interval: PowerInterval, fraction: Double = 1) {
        receivers[name(interval.sample.receiver), default: ReceiverEnergyUse()].add(interval, fraction: fraction)
    }

    package mutating func add(_ usage: ReceiverEnergyUse, of receiver: String) {
        receivers[name(receiver), default: ReceiverEnergyUse()].add(usage)
    }

    package mutating func add(_ other: EnergyUse) {
        for (receiver, usage) in other.receivers { add(usage, of: receiver) }
        wakeups += other.wakeups
    }

    /// Returns the energy use of one receiver, or of all if `receiver` is nil.
    package func usage(of receiver: String?) -> ReceiverEnergyUse {
        if let receiver { return receivers[receiver] ?? ReceiverEnergyUse() }
        return receivers.values.reduce(into: ReceiverEnergyUse()) { $0.add($1) }
    }

    private func name(_ receiver: String) -> String {
        receivers[receiver] != nil || receivers.count < EnergyUse.maxReceivers ? receiver : EnergyUse.otherReceivers
    }
}

/// Attributes the power of a receiver to its consumers.
///
/// Each consumer has a stand-alone power: what the receiver would draw for its demand alone. All
/// consumers share the part up to the smallest such power equally. The remaining consumers share
/// the difference to the next power equally, and so on.
///
/// A greater demand therefore gets a greater share, equal demands get equal shares, and the shares
/// add up to one. This is the Shapley value of the airport game (Littlechild and Owen, 1973).
package struct EnergyAttribution: Sendable, Equatable {
    /// The share of each consumer, 0 to 1; the sum is 1.
    package let parts: [EnergyUser: Double]

    /// Computes the shares of the consumers of a receiver. Without demands, all energy is
    /// attributed to ``EnergyUser/nobody``. A consumer with several demands counts with the
    /// greatest.
    package init(_ demands: [ConsumerDemand], figures: EnergyFigures) {
        var powers: [EnergyUser: Double] = [:]
        for demand in demands {
            powers[demand.consumer] = max(powers[demand.consumer] ?? 0, demand.power(figures))
        }
        let ranked = powers.sorted { $0.value < $1.value }
        guard let greatest = ranked.last?.value, greatest > 0, greatest.isFinite else {
            parts = [.nobody: 1]
            return
        }
        var parts: [EnergyUser: Double] = [:]
        var (paid, reached) = (0.0, 0.0)
        for (index, one) in ranked.enumerated() {
            paid += (one.value - reached) / greatest / Double(ranked.count - index)
            reached = one.value
            parts[one.key] = paid
        }
        self.parts = parts
    }
}
