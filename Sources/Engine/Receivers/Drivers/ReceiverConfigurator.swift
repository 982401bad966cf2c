import Chronology
import Locator

/// Configures an identified receiver for a plan and verifies by its output that the settings took
/// effect.
struct ReceiverConfigurator: Sendable {
    /// The phase of the configuration.
    private enum Phase: Sendable {
        /// No operation is in progress.
        case idle
        /// Commands are being written.
        case configuring
        /// The output is observed until the instant.
        case verifying(until: Instant)
    }

    /// What the driver must do next.
    enum Outcome: Sendable, Equatable {
        /// Nothing: the operation continues.
        case pending
        /// Apply the plan: the settings are verified, or the commands are finished.
        case finished
        /// Handle a receiver that no longer responds.
        case unresponsive
    }

    /// The maximum length of GST with its line end, in bytes.
    private static let errorEstimateBytes = 80

    private var phase = Phase.idle
    /// The commands of the identified chip.
    private(set) var table = CommandTable(family: .generic)
    /// The settings before anything was written; ``present`` and ``wanted`` are the current and the
    /// intended ones.
    private var initial = ReceiverSettings()
    private var present = ReceiverSettings()
    private var wanted = ReceiverSettings()
    /// The formatters of the sentences that the receiver sent before anything was written.
    private var initialFormatters: SentenceFormatters = []
    /// The settings that failed, which are not tried again while the port is open.
    private var unsupported = UnsupportedSettings()
    private let predictsOrbits: Bool
    private let isNativeUSB: Bool
    /// Whether all power saving modes have been ended since the receiver was found.
    private var isRestored = false

    init(_ settings: DriverSettings) {
        predictsOrbits = settings.predictsOrbits
        isNativeUSB = settings.isNativeUSB
    }

    /// The current fix period in milliseconds; nil if unknown.
    var period: Int? { present.period }

    /// Whether the receiver saves power between fixes.
    var savesPower: Bool { present.allowsPowerSave }

    /// Whether commands are being written.
    var isConfiguring: Bool { if case .configuring = phase { true } else { false } }

    /// Whether the output is being observed.
    var isVerifying: Bool { if case .verifying = phase { true } else { false } }

    /// Returns when ``advance(_:at:)`` has work to do.
    func deadline(_ channel: CommandChannel) -> Instant? {
        switch phase {
        case .idle: nil
        case .configuring: channel.deadline
        case .verifying(let until): until
        }
    }

    /// Clears the present settings, because the port was opened and the receiver may have lost
    /// them.
    mutating func begin() {
        phase = .idle
        present.reset()
        isRestored = false
    }

    /// Clears the present settings after a sleep in which the receiver loses them, and observes
    /// the output again.
    mutating func receiverWoke(losingSettings: Bool, _ channel: inout CommandChannel) {
        phase = .idle
        if losingSettings { present.reset() }
        channel.restartObservation()
    }

    /// Ends an operation in progress, because the receiver is put to sleep or its port is closed.
    mutating func stop() { phase = .idle }

    /// Selects the commands of the identified chip. The observed settings become the initial and
    /// present settings.
    mutating func identified(as chip: ReceiverChip, protocolNumber: Double?, on channel: inout CommandChannel) {
        let number = protocolNumber ?? channel.savedState?.protocolNumber
        table = CommandTable(for: chip, protocolNumber: number, isNativeUSB: isNativeUSB)
        initialFormatters = channel.output.formatters
        initial = ReceiverSettings(period: channel.output.period ?? 1000)
        present = ReceiverSettings(period: channel.output.period)
        if let state = channel.savedState, state.chip == chip { restore(state, on: &channel) }
    }

    /// Returns how to wake a receiver that is not identified, by the first method of its family,
    /// and takes all that its record may mean for set; nil if no record names it as asleep.
    mutating func assume(_ state: ReceiverStateRecord?) -> SleepMethod? {
        guard let state, state.isAsleep else { return nil }
        table = CommandTable(for: state.chip, protocolNumber: state.protocolNumber, isNativeUSB: isNativeUSB)
        initial = ReceiverSettings(period: state.initialPeriod ?? 1000)
        present = ReceiverSettings(
            dynamics: state.dynamics == .any ? .any : nil, allowsPowerSave: table.startPowerSave != nil,
            outputsErrorEstimate: state.outputsErrorEstimate)
        return table.sleepMethods.first
    }

    /// Restores the state of an earlier run that did not restore the receiver's settings; that is
    /// still to be done.
    private mutating func restore(_ state: ReceiverStateRecord, on channel: inout CommandChannel) {
        initial.period = state.initialPeriod ?? 1000
        if state.dynamics != .any { present.dynamics = nil }
        if state.outputsErrorEstimate {
            present.outputsErrorEstimate = initialFormatters.containErrorEstimate
            initialFormatters.subtract(["GST", "PUBX00"])
        }
        var awake = state
        awake.isAsleep = false
        channel.request(.saveState(awake))
    }

    /// Returns the state to save of this receiver, with what was changed in it.
    func record(of chip: ReceiverChip, protocolNumber: Double?, isAsleep: Bool) -> ReceiverStateRecord {
        var record = ReceiverStateRecord(chip: chip, protocolNumber: protocolNumber, isAsleep: isAsleep)
        record.initialPeriod = initial.period
        record.dynamics = wanted.dynamics ?? .any
        record.outputsErrorEstimate = wanted.outputsErrorEstimate || present.outputsErrorEstimate
        return record
    }

    /// Returns the commands for the parts of a plan that the receiver does not fulfil yet, after
    /// others; nil if there are none. Pass them to ``configure(_:on:at:)``.
    mutating func commands(
        for run: RunPlan, after prelude: [CommandSequence.Step], _ channel: CommandChannel
    ) -> [CommandSequence.Step]? {
        // A duty-cycle fix needs no settings: the receiver serves it whether it kept its settings
        // over the sleep or reverted to its own.
        if !run.isDutyCycleFix || !isRestored || !hasShortPeriod || !prelude.isEmpty {
            wanted = settings(for: run, channel)
            let steps = steps(from: present, to: wanted, channel, after: prelude, restoring: !isRestored)
            if !steps.isEmpty { return steps }
        }
        // Let a verification in progress finish.
        if !isVerifying { phase = .idle }
        return nil
    }

    mutating func configure(_ steps: [CommandSequence.Step], on channel: inout CommandChannel, at now: Instant) {
        let hasObservableEffect =
            wanted.period != present.period || wanted.outputsErrorEstimate != present.outputsErrorEstimate
        write(steps, on: &channel, at: now, hasObservableEffect: hasObservableEffect)
    }

    private mutating func write(
        _ steps: [CommandSequence.Step], on channel: inout CommandChannel, at now: Instant, hasObservableEffect: Bool
    ) {
        phase = .configuring
        channel.start(steps, at: now, hasObservableEffect: hasObservableEffect)
        channel.advance(to: now)
    }

    /// Processes the end of the configuration commands and starts to observe their effect.
    mutating func commandsFinished(_ channel: inout CommandChannel, at now: Instant) -> Outcome {
        guard isConfiguring else { return .pending }
        isRestored = true
        let before = present
        let results = channel.results
        present = wanted
        for purpose in results.refused where results.failed(purpose) { unsupported.purposes.insert(purpose) }
        if results.failed(.period) { present.period = before.period }
        if results.failed(.dynamics) { present.dynamics = before.dynamics }
        if results.failed(.prediction) { present.predictsOrbits = false }
        if results.failed(.errorEstimate) { present.outputsErrorEstimate = before.outputsErrorEstimate }
        if results.failed(.powerSave) { present.allowsPowerSave = before.allowsPowerSave }
        channel.restartObservation()
        channel.clearLastReceived()
        let period = Instant.Span.milliseconds(Int64(max(present.period ?? 1000, before.period ?? 1000)))
        phase = .verifying(until: now + max(.seconds(5), period * 4))
        return .finished
    }

    /// Processes the arrival of a standard sentence: evaluates the settings early after three equal
    /// intervals of the configured period.
    mutating func sentenceArrived(_ channel: inout CommandChannel, at now: Instant) -> Outcome {
        guard isVerifying, channel.output.equalIntervals >= 3, channel.output.period == present.period else {
            return .pending
        }
        return evaluate(&channel, at: now)
    }

    /// Performs the work that is due.
    mutating func advance(_ channel: inout CommandChannel, at now: Instant) -> Outcome {
        switch phase {
        case .idle: return .pending
        case .configuring:
            channel.advance(to: now)
            return .pending
        case .verifying: return evaluate(&channel, at: now)
        }
    }

    /// Evaluates the settings by the received sentences.
    private mutating func evaluate(_ channel: inout CommandChannel, at now: Instant) -> Outcome {
        guard channel.lastReceived != nil else { return revert(&channel, at: now) }
        let output = channel.output
        var showsEffect = channel.results.hasReply
        if let seen = output.period, let requested = present.period {
            if abs(seen - requested) * 5 > requested, output.equalIntervals >= 2 {
                unsupported.periods.insert(requested)
                present.period = seen
            } else if output.equalIntervals >= 2 {
                showsEffect = true
            }
        }
        if present.outputsErrorEstimate, !output.formatters.containErrorEstimate {
            unsupported.purposes.insert(.errorEstimate)
        } else if present.outputsErrorEstimate {
            showsEffect = true
        }
        // A receiver that does not know the time yet shows no period. That does not count against
        // the settings.
        if output.period != nil || showsEffect {
            let isUnproved = channel.results.lacksReply || channel.results.hasObservableEffect
            channel.recordEffect(showsEffect || !isUnproved)
        }
        channel.clearResults()
        phase = .idle
        return .finished
    }

    /// Restores the initial settings after the receiver fell silent, and records the failed
    /// settings so that they are not tried again.
    private mutating func revert(_ channel: inout CommandChannel, at now: Instant) -> Outcome {
        guard present != initial, !channel.isUnresponsive else { return .unresponsive }
        if present.allowsPowerSave { unsupported.purposes.insert(.powerSave) }
        if present.period != initial.period, let period = present.period { unsupported.periods.insert(period) }
        wanted = initial
        let steps = steps(from: present, to: initial, channel, restoring: true)
        write(steps, on: &channel, at: now, hasObservableEffect: false)
        return .pending
    }
}

// The commands.
extension ReceiverConfigurator {
    /// Returns the commands that restore the initial settings at the end of the program.
    ///
    /// - Parameter losesSettings: Whether the receiver sleeps and has lost its settings.
    mutating func stepsToRestore(_ channel: CommandChannel, losesSettings: Bool = false) -> [CommandSequence.Step] {
        if losesSettings { present = initial }
        guard isConfiguring else { return steps(from: present, to: initial, channel) }
        // The receiver may have executed some of the commands.
        present = wanted
        return steps(from: present, to: initial, channel, restoring: true)
    }

    /// Returns the steps between the wrapper commands of the table.
    func wrapped(_ steps: [CommandSequence.Step]) -> [CommandSequence.Step] {
        guard !steps.isEmpty else { return [] }
        return table.openingWrapper.map { .init(purpose: .wrapper, command: $0) } + steps
            + table.closingWrapper.map { .init(purpose: .wrapper, command: $0) }
    }

    /// Whether the present settings give at least one fix every 2 s.
    private var hasShortPeriod: Bool { (present.period ?? initial.period ?? 1000) <= 2000 }

    /// Returns the settings for a plan, limited to those that this receiver supports.
    private func settings(for run: RunPlan, _ channel: CommandChannel) -> ReceiverSettings {
        guard channel.acceptsCommands else { return present }
        let ownPeriod = initial.period ?? 1000
        var wanted = ReceiverSettings(period: present.period ?? initial.period)
        wanted.allowsPowerSave =
            run.allowsPowerSave && table.startPowerSave != nil && !unsupported.purposes.contains(.powerSave)
        wanted.outputsErrorEstimate =
            table.setErrorEstimateOutput != nil && !unsupported.purposes.contains(.errorEstimate)
            && !initialFormatters.containErrorEstimate
            && (present.outputsErrorEstimate
                || minimumPeriod(adding: ReceiverConfigurator.errorEstimateBytes, channel) <= ownPeriod)
        let more =
            wanted.outputsErrorEstimate && !present.outputsErrorEstimate ? ReceiverConfigurator.errorEstimateBytes : 0
        wanted.predictsOrbits =
            predictsOrbits && !table.predictOrbits.isEmpty && !unsupported.purposes.contains(.prediction)
        var requested = max(
            Int(clamping: run.period.nanoseconds / 1_000_000),
            min(minimumPeriod(adding: more, channel), ownPeriod))
        if wanted.allowsPowerSave { requested = max(requested / 1000, 1) * 1000 }
        if let period = table.periods.period(requested), !unsupported.purposes.contains(.period),
            !unsupported.periods.contains(period)
        {
            wanted.period = period
        }
        if table.setDynamics != nil, !unsupported.purposes.contains(.dynamics) { wanted.dynamics = run.dynamics }
        return wanted
    }

    /// Returns the shortest period, in ms, at which an epoch and `more` bytes use at most four
    /// fifths of the line; 0 if the port has no baud rate.
    private func minimumPeriod(adding more: Int, _ channel: CommandChannel) -> Int {
        guard let baud = channel.baud, baud > 0, channel.output.epochBytes > 0 else { return 0 }
        let milliseconds = (channel.output.epochBytes + more) * 12_500 / baud
        return (milliseconds + 99) / 100 * 100
    }

    /// Returns the commands that change `old` settings to `new` ones. Power saving comes last, so
    /// that the receiver is awake for the other commands.
    private func steps(
        from old: ReceiverSettings, to new: ReceiverSettings, _ channel: CommandChannel,
        after prelude: [CommandSequence.Step] = [], restoring: Bool = false
    ) -> [CommandSequence.Step] {
        guard channel.acceptsCommands else { return [] }
        var steps = prelude
        func add(_ purpose: CommandSequence.Purpose, commands: [Command]) {
            steps += commands.map { CommandSequence.Step(purpose: purpose, command: $0) }
        }
        if restoring || (old.allowsPowerSave && !new.allowsPowerSave) {
            add(.endPowerSave, commands: table.endPowerSave)
        }
        if let period = new.period, period != old.period {
            add(.period, commands: table.setPeriod(period, initialFormatters))
        }
        if let dynamics = new.dynamics, dynamics != old.dynamics, let command = table.setDynamics {
            add(.dynamics, commands: command(dynamics))
        }
        if new.outputsErrorEstimate != old.outputsErrorEstimate, let command = table.setErrorEstimateOutput {
            add(.errorEstimate, commands: command(new.outputsErrorEstimate, initialFormatters))
        }
        // The prediction is not ended at the end: the receiver may have made it before.
        if new.predictsOrbits, !old.predictsOrbits { add(.prediction, commands: table.predictOrbits) }
        if new.allowsPowerSave, !old.allowsPowerSave, let commands = table.startPowerSave {
            add(.powerSave, commands: commands)
        }
        return wrapped(steps)
    }
}

extension SentenceFormatters {
    /// Whether a sentence with an error estimate is among them.
    fileprivate var containErrorEstimate: Bool { contains("GST") || contains("PUBX00") }
}

/// The settings of a working receiver.
struct ReceiverSettings: Sendable, Equatable {
    /// The fix period in milliseconds; nil if unknown.
    var period: Int?
    /// The dynamic platform model; nil if unknown.
    var dynamics: Dynamics? = .any
    var allowsPowerSave = false
    /// Whether a sentence with an error estimate was enabled.
    var outputsErrorEstimate = false
    /// Whether the receiver was told to predict orbits.
    var predictsOrbits = false

    /// Resets the settings after a restart of the receiver.
    mutating func reset() {
        self = ReceiverSettings()
    }
}

/// The settings that failed with a receiver.
struct UnsupportedSettings: Sendable, Equatable {
    /// The purposes of commands that the receiver refused, or that silenced it.
    var purposes: Set<CommandSequence.Purpose> = []
    /// Periods that the receiver did not keep, in milliseconds.
    var periods: Set<Int> = []
}
