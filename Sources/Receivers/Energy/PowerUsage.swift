import Chronology

/// What one receiver has spent over some time, in which states, and for whom.
public struct PowerUsage: Sendable, Equatable {
    /// Consumers told apart at most; those that spend least are summed as ``Consumer/others``.
    public static let mostConsumers = 24

    /// Seconds in each state.
    public private(set) var times: [PowerState: Double] = [:]
    /// Joules spent for each consumer.
    public private(set) var energy: [Consumer: Double] = [:]
    /// Seconds reckoned with the figures of each chip.
    public private(set) var figures: [ReceiverChip: Double] = [:]

    /// Nothing spent.
    public init() {}

    /// Joules in all.
    public var joules: Double { energy.values.reduce(0, +) }
    /// Seconds in all.
    public var seconds: Double { times.values.reduce(0, +) }

    /// Adds a part of a stretch.
    ///
    /// - Parameter part: 0 to 1.
    public mutating func add(_ stretch: PowerStretch, part: Double = 1) {
        let (conduct, seconds) = (stretch.conduct, stretch.span.seconds * part)
        guard seconds > 0 else { return }
        let figures = EnergyFigures.of(conduct.chip)
        let joules = figures.power(in: conduct.state) * seconds
        add(seconds, in: conduct.state)
        add(seconds, reckonedAs: conduct.chip)
        for (consumer, share) in EnergyShares(conduct.needs, figures).parts { add(joules * share, for: consumer) }
        bound()
    }

    /// Adds time in a state.
    public mutating func add(_ seconds: Double, in state: PowerState) { times[state, default: 0] += seconds }
    /// Adds time reckoned with a chip's figures.
    public mutating func add(_ seconds: Double, reckonedAs chip: ReceiverChip) { figures[chip, default: 0] += seconds }
    /// Adds joules.
    public mutating func add(_ joules: Double, for consumer: Consumer) { energy[consumer, default: 0] += joules }

    /// Adds another time's.
    public mutating func add(_ other: PowerUsage) {
        times.merge(other.times, uniquingKeysWith: +)
        energy.merge(other.energy, uniquingKeysWith: +)
        figures.merge(other.figures, uniquingKeysWith: +)
        bound()
    }

    private mutating func bound() {
        let programs = energy.filter { if case .program = $0.key { true } else { false } }
        guard programs.count > PowerUsage.mostConsumers else { return }
        for (consumer, joules) in programs.sorted(by: { $0.value > $1.value }).dropFirst(PowerUsage.mostConsumers) {
            energy[consumer] = nil
            add(joules, for: .others)
        }
    }
}

/// What all receivers have spent over some time, and how often the host woke for it.
public struct PowerPeriod: Sendable, Equatable {
    /// Receivers told apart at most.
    public static let mostReceivers = 16
    /// Under this name the rest are summed.
    public static let otherReceivers = "others"

    /// By name.
    public private(set) var receivers: [String: PowerUsage] = [:]
    /// Times the daemon woke; a part of one where a night was divided at midnight.
    public var wakeups = 0.0

    /// Nothing spent.
    public init() {}

    /// Adds a part of a stretch.
    public mutating func add(_ stretch: PowerStretch, part: Double = 1) {
        receivers[name(stretch.conduct.receiver), default: PowerUsage()].add(stretch, part: part)
    }

    /// Adds what a receiver has spent.
    public mutating func add(_ usage: PowerUsage, of receiver: String) { receivers[name(receiver), default: PowerUsage()].add(usage) }

    /// Adds another time's.
    public mutating func add(_ other: PowerPeriod) {
        for (receiver, usage) in other.receivers { add(usage, of: receiver) }
        wakeups += other.wakeups
    }

    /// What one receiver has spent, or all of them.
    public func usage(of receiver: String?) -> PowerUsage {
        if let receiver { return receivers[receiver] ?? PowerUsage() }
        return receivers.values.reduce(into: PowerUsage()) { $0.add($1) }
    }

    private func name(_ receiver: String) -> String {
        receivers[receiver] != nil || receivers.count < PowerPeriod.mostReceivers ? receiver : PowerPeriod.otherReceivers
    }
}
