import Chronology

/// The commands to a receiver: the sequence of commands in progress with its results, the
/// observed output, and the actions for the port.
struct CommandChannel: Sendable {
    /// Whether nothing is ever written.
    let isPassive: Bool
    /// The baud rate of the line; nil if it has none, and until it is known.
    var baud: Int?
    /// The results of the current or last sequence of commands.
    private(set) var results = CommandResults()
    /// The sentences and the period of the receiver's output.
    private(set) var output = OutputRateMonitor()
    /// When bytes last arrived; nil if none arrived since the port was opened or the receiver was
    /// configured.
    private(set) var lastReceived: Instant?
    /// The state in the state directory, including changes in ``takeActions()``.
    private(set) var savedState: ReceiverStateRecord?
    private var sequence = CommandSequence()
    private var actions: [DriverAction] = []
    /// Consecutive sequences of commands without any visible effect.
    private var unansweredSequences = 0

    init(isPassive: Bool, baud: Int? = nil, savedState: ReceiverStateRecord?) {
        (self.isPassive, self.baud) = (isPassive, baud)
        self.savedState = savedState
    }

    /// Whether every command of the sequence is finished.
    var isDone: Bool { sequence.isDone }

    /// When the next command or the timeout of the current one is due.
    var deadline: Instant? { sequence.deadline }

    /// Whether a reply determines the next write within milliseconds.
    var repeatsRapidly: Bool { sequence.repeatsRapidly }

    /// Whether the receiver ignores all commands: the line to the receiver is not connected, or the
    /// chip is not the expected one.
    var isUnresponsive: Bool { unansweredSequences >= 2 }

    /// Whether commands may be written.
    var acceptsCommands: Bool { !isPassive && !isUnresponsive }

    /// Clears the sequence and the output, because the port was opened.
    mutating func reset() {
        cancelSequence()
        output = OutputRateMonitor()
        lastReceived = nil
    }

    /// Clears the rest of the sequence.
    mutating func cancelSequence() { sequence = CommandSequence() }

    /// Clears the period and the sentences of the output, because the receiver has new settings.
    mutating func restartObservation() { output.restart() }

    /// Clears the instant of the last bytes, to detect a receiver that stops sending.
    mutating func clearLastReceived() { lastReceived = nil }

    /// Records that bytes arrived, or that silence is measured from `now` on.
    mutating func recordActivity(at now: Instant) { lastReceived = now }

    /// Requests an action of the port. A passive channel writes nothing, and an unchanged state is
    /// not saved again.
    mutating func request(_ action: DriverAction) {
        switch action {
        case .saveState(let state):
            guard state != savedState else { return }
            savedState = state
        case .write where isPassive: return
        case .write, .closePort, .openPort, .report: break
        }
        actions.append(action)
    }

    mutating func takeActions() -> [DriverAction] {
        defer { actions.removeAll() }
        return actions
    }

    /// Starts a sequence of commands.
    ///
    /// - Parameters:
    ///   - hasObservableEffect: Whether the output will show that the commands succeeded.
    ///   - skipsReplies: Whether the program is about to end, so that replies are not awaited.
    mutating func start(
        _ steps: [CommandSequence.Step], at now: Instant, hasObservableEffect: Bool = false, skipsReplies: Bool = false
    ) {
        results = CommandResults(hasObservableEffect: hasObservableEffect)
        sequence = CommandSequence(steps, at: now, skipsReplies: skipsReplies)
    }

    mutating func advance(to now: Instant) {
        for bytes in sequence.advance(to: now) { request(.write(bytes)) }
    }

    /// Processes a message: it may be a reply, and it is output.
    mutating func process(_ message: ReceivedMessage, at now: Instant) {
        switch message {
        case .standardSentence(let sentence): output.process(sentence)
        case .sentence(let body):
            sequence.process(message, at: now)
            output.process(body)
        case .ubx: sequence.process(message, at: now)
        }
    }

    /// Records the outcomes of finished commands.
    ///
    /// - Returns: The index in ``Probe/all`` of the probe to which the receiver replied, if any.
    mutating func recordOutcomes() -> Int? {
        for (step, outcome) in sequence.takeOutcomes() {
            results.record(step, outcome: outcome)
            if case .probe(let index) = step.purpose, outcome == .accepted { return index }
        }
        return nil
    }

    /// Clears the results, because they have been evaluated.
    mutating func clearResults() { results = CommandResults() }

    /// Counts consecutive sequences of commands that had no visible effect.
    mutating func recordEffect(_ hadEffect: Bool) { unansweredSequences = hadEffect ? 0 : unansweredSequences + 1 }

    /// Returns whether an active receiver has stopped sending. Probes would then be written in
    /// vain, and each costs a wakeup.
    func hasStoppedSending(at now: Instant) -> Bool {
        guard let lastReceived else { return true }
        let timeout =
            output.period.map { max(Instant.Span.seconds(1), .milliseconds(Int64($0) * 5 / 2)) } ?? .seconds(2.5)
        return now - lastReceived > timeout
    }
}

/// The results of one sequence of commands.
struct CommandResults: Sendable {
    /// Whether the sequence contains a command with an observable effect.
    var hasObservableEffect = false
    private(set) var refused: Set<CommandSequence.Purpose> = []
    /// Whether the receiver replied to any command.
    private(set) var hasReply = false
    private var accepted: Set<CommandSequence.Purpose> = []
    private var unanswered = 0

    /// Creates the results of a sequence that has just started.
    init(hasObservableEffect: Bool = false) { self.hasObservableEffect = hasObservableEffect }

    mutating func record(_ step: CommandSequence.Step, outcome: CommandSequence.Outcome) {
        switch outcome {
        case .accepted, .written: accepted.insert(step.purpose)
        case .refused: refused.insert(step.purpose)
        case .unanswered:
            accepted.insert(step.purpose)
            unanswered += 1
            return
        }
        if outcome != .written { hasReply = true }
    }

    /// Whether replies were expected and none arrived.
    var lacksReply: Bool { unanswered > 0 && !hasReply }

    /// Returns whether the receiver refused all commands of a setting. One accepted command is
    /// enough for success.
    func failed(_ purpose: CommandSequence.Purpose) -> Bool { refused.contains(purpose) && !accepted.contains(purpose) }
}
