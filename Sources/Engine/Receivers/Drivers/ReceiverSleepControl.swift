import Chronology

/// Puts a receiver to sleep and wakes it, and verifies both by its output.
struct ReceiverSleepControl: Sendable {
    /// The phase of the sleep.
    private enum Phase: Sendable {
        /// The receiver is not asleep, and nothing is in progress.
        case awake
        /// The sleep command is being written.
        case entering(SleepMethod)
        /// The receiver must fall silent by the instant.
        case awaitingSilence(SleepMethod, until: Instant)
        /// The receiver sleeps; it wakes by itself at the instant.
        case asleep(SleepMethod, wakes: Instant?)
        /// The receiver is being woken.
        case waking(SleepMethod, attempt: Int, WakingStep)
    }

    private enum WakingStep: Sendable {
        /// The wake byte was written; the receiver would still lose commands.
        case pausing(until: Instant)
        /// The resume commands are being written.
        case resuming
        /// The receiver should send data by the instant.
        case awaiting(until: Instant)
    }

    /// What the driver must do next.
    enum Outcome: Sendable, Equatable {
        /// Nothing: the operation continues.
        case pending
        /// Apply the plan: an operation is finished, or the standby is over.
        case planDue
        /// The receiver is awake again; `wasWoken` unless it woke by itself.
        case awake(SleepMethod, wasWoken: Bool)
        /// The receiver does not support this sleep method and stays awake.
        case unsupported(SleepMethod)
        /// Handle a receiver that does not wake.
        case unresponsive
    }

    /// The time from the wake byte to the first command that the receiver accepts ([UB M9N
    /// 3.11.2.3.1]).
    static let wakeByteDelay = Instant.Span.milliseconds(500)
    /// The time from waking to the end of the boot messages: half a second, and ten lines at 9,600
    /// baud.
    private static let bootTime = Instant.Span.seconds(1)
    /// The maximum number of attempts to wake a receiver.
    private static let maxAttempts = 3
    /// The number of unexpected wakes after which a method counts as unsupported.
    private static let maxUnexpectedWakes = 3
    /// How late the silence is judged by a host that was not suspended.
    private static let maxDelay = Instant.Span.milliseconds(250)
    /// How often the silence is awaited again: a host that is always late must judge it too.
    private static let maxLateWaits = 3
    /// How long a receiver may sleep longer than its timer.
    private static let timerTolerance = Instant.Span.seconds(10)
    /// The timer value, in seconds, for a receiver that the line is known to wake. The timer wakes
    /// it if this program dies.
    private static let maxTimer = 3600
    /// The seconds by which such a timer exceeds the planned standby.
    private static let timerSlack = 10

    /// Whether methods that lose the settings in RAM are not used.
    var mustKeepSettings = false
    private var phase = Phase.awake
    /// How often the silence of this sleep was judged too late.
    private var lateWaits = 0
    private var failedMethods = FailedSleepMethods()
    /// Sleep methods with a timer that the line has ended before the timer; these sleeps may be
    /// longer.
    private var lineWakeableMethods: Set<SleepMethod.Name> = []
    /// When the receiver that is being woken would have woken by itself.
    private var expectedTimerWake: Instant?
    private var unexpectedWakes = 0

    /// The method of a receiver that sleeps or is about to; nil if it is awake.
    var method: SleepMethod? {
        switch phase {
        case .awake: nil
        case .entering(let method), .awaitingSilence(let method, _), .asleep(let method, _), .waking(let method, _, _):
            method
        }
    }

    /// The method with which the receiver sleeps; nil if it is not known to sleep.
    var methodInUse: SleepMethod? { if case .asleep(let method, _) = phase { method } else { nil } }

    /// Whether the receiver sleeps, or has got all commands for that.
    var isToldToSleep: Bool {
        switch phase {
        case .awaitingSilence, .asleep: true
        case .awake, .entering, .waking: false
        }
    }

    /// Whether the receiver sleeps, or is being put to sleep.
    var isAsleep: Bool {
        switch phase {
        case .entering, .awaitingSilence, .asleep: true
        case .awake, .waking: false
        }
    }

    /// Returns when ``advance(_:at:)`` has work to do.
    ///
    /// - Parameters:
    ///   - period: The fix period in milliseconds.
    ///   - standbyEnd: The planned end of the standby; nil if it has none.
    func deadline(_ channel: CommandChannel, period: Int?, standbyEnd: Instant?) -> Instant? {
        switch phase {
        case .awake: nil
        case .entering, .waking(_, _, .resuming): channel.deadline
        case .awaitingSilence(_, let until): earliest(until, silenceDeadline(channel, period: period))
        case .asleep(let method, let wakes):
            earliest(
                method.wakeTrigger == .timer ? nil : standbyEnd, wakes.map { $0 + ReceiverSleepControl.timerTolerance })
        case .waking(_, _, .pausing(let until)), .waking(_, _, .awaiting(let until)): until
        }
    }

    /// Until when received data does not matter: a receiver that is being woken first sends its
    /// boot messages.
    func ignoresInputUntil(period: Int?) -> Instant? {
        guard case .waking(_, _, .awaiting(let until)) = phase else { return nil }
        return until - ReceiverSleepControl.wakeTimeout(period: period) + ReceiverSleepControl.bootTime
    }

    /// Clears the operation in progress, because the port was opened or lost.
    mutating func reset() { phase = .awake }
}

// Putting to sleep.
extension ReceiverSleepControl {
    /// Returns the best sleep method that may be used until `standbyEnd`.
    func usableMethod(_ table: CommandTable, until standbyEnd: Instant?, at now: Instant) -> SleepMethod? {
        table.sleepMethods.first { method in
            guard allows(method, at: now) else { return false }
            guard let timer = method.timer, let standbyEnd else { return true }
            return (standbyEnd - now).seconds >= Double(timer.lowerBound)
        }
    }

    /// Returns whether any sleep method of the table may be used.
    func hasMethod(_ table: CommandTable, at now: Instant) -> Bool {
        table.sleepMethods.contains { allows($0, at: now) }
    }

    /// Returns whether a method has not failed, and keeps the settings if that is necessary.
    private func allows(_ method: SleepMethod, at now: Instant) -> Bool {
        failedMethods.allow(method.name, at: now) && !(mustKeepSettings && method.losesSettings)
    }

    mutating func enter(
        _ method: SleepMethod, from table: CommandTable, until standbyEnd: Instant?, on channel: inout CommandChannel,
        at now: Instant
    ) {
        let command = method.makeSleepCommand(timer(of: method, until: standbyEnd, at: now))
        // The sequence omits the closing wrapper because the receiver is asleep by then.
        let opening = table.openingWrapper.map { CommandSequence.Step(purpose: .wrapper, command: $0) }
        phase = .entering(method)
        channel.start(
            opening + [CommandSequence.Step(purpose: .sleep, command: command)], at: now, hasObservableEffect: true)
        channel.advance(to: now)
    }

    /// Returns the seconds until the receiver shall wake by itself; nil for never. The timer wakes
    /// the receiver even if the daemon has died.
    private func timer(of method: SleepMethod, until standbyEnd: Instant?, at now: Instant) -> Int? {
        let rest = standbyEnd.map { Int(clamping: ($0 - now).nanoseconds / 1_000_000_000) }
        guard let timer = method.timer else { return rest.map { max($0, 1) } }
        guard case .byte = method.wakeTrigger else {
            return min(max(rest ?? timer.upperBound, timer.lowerBound), timer.upperBound)
        }
        // The driver wakes the receiver over the line; the timer expires a little later. This shows
        // whether the line can wake it.
        let longest =
            lineWakeableMethods.contains(method.name) ? ReceiverSleepControl.maxTimer : timer.upperBound
        return min(max(rest.map { $0 + ReceiverSleepControl.timerSlack } ?? longest, timer.lowerBound), longest)
    }

    mutating func commandsFinished(_ channel: inout CommandChannel, period: Int?, at now: Instant) -> Outcome {
        switch phase {
        case .entering(let method):
            guard !channel.results.failed(.sleep) else { return fail(method, channel: &channel, at: now) }
            awaitSilence(method, period: period, at: now)
            channel.recordActivity(at: now)
            return .planDue
        case .waking(let method, let attempt, .resuming):
            awaitOutput(method, attempt: attempt, period: period, at: now)
            return .pending
        case .awake, .awaitingSilence, .asleep, .waking: return .pending
        }
    }

    /// Waits until a receiver that was told to sleep is silent.
    private mutating func awaitSilence(_ method: SleepMethod, period: Int?, at now: Instant) {
        phase = .awaitingSilence(
            method, until: now + method.silenceDelay + ReceiverSleepControl.silenceThreshold(period: period))
        lateWaits = 0
    }

    /// Waits for the silence again if the host was suspended meanwhile: what is read now came
    /// before, or the command has left the host only now. Call it before bytes are recorded.
    @discardableResult mutating func awaitSilenceAgain(
        _ channel: inout CommandChannel, period: Int?, at now: Instant
    ) -> Bool {
        guard case .awaitingSilence(let method, let until) = phase, lateWaits < ReceiverSleepControl.maxLateWaits,
            let due = earliest(until, silenceDeadline(channel, period: period)),
            now - due > ReceiverSleepControl.maxDelay
        else { return false }
        let count = lateWaits + 1
        awaitSilence(method, period: period, at: now)
        lateWaits = count
        channel.recordActivity(at: now)
        return true
    }

    /// Returns a silence longer than any pause of a working receiver with this period.
    private static func silenceThreshold(period: Int?) -> Instant.Span {
        max(.seconds(2.5), .milliseconds(Int64(period ?? 1000) * 5 / 2))
    }

    /// Returns when the silence is long enough to show that the receiver sleeps.
    private func silenceDeadline(_ channel: CommandChannel, period: Int?) -> Instant? {
        channel.lastReceived.map { $0 + ReceiverSleepControl.silenceThreshold(period: period) }
    }

    private mutating func evaluateSilence(
        _ method: SleepMethod, on channel: inout CommandChannel, period: Int?, standbyEnd: Instant?, at now: Instant
    ) -> Outcome {
        guard let silent = silenceDeadline(channel, period: period), silent <= now else {
            return fail(method, channel: &channel, at: now)
        }
        channel.recordEffect(true)
        let hasTimer = method.timer != nil || method.name == .ubloxStandby
        let seconds = hasTimer ? timer(of: method, until: standbyEnd, at: now) : nil
        phase = .asleep(method, wakes: seconds.map { now + .seconds(Double($0)) })
        return .planDue
    }

    /// Records that the receiver does not support a sleep method.
    private mutating func fail(_ method: SleepMethod, channel: inout CommandChannel, at now: Instant) -> Outcome {
        failedMethods.record(method.name, at: now)
        channel.recordEffect(channel.results.hasReply)
        unexpectedWakes = 0
        phase = .awake
        return .unsupported(method)
    }
}

// Waking.
extension ReceiverSleepControl {
    /// Starts to wake the receiver for a plan. If only its timer can wake it, nothing happens.
    mutating func wakeForPlan(
        _ channel: inout CommandChannel, using configurator: ReceiverConfigurator, at now: Instant
    ) -> Outcome {
        switch phase {
        case .awaitingSilence(let method, _), .asleep(let method, _):
            method.wakeTrigger == .timer ? .pending : wake(method, on: &channel, using: configurator, at: now)
        case .awake, .entering, .waking: .pending
        }
    }

    mutating func wake(
        _ method: SleepMethod, attempt: Int = 1, on channel: inout CommandChannel,
        using configurator: ReceiverConfigurator, at now: Instant
    ) -> Outcome {
        guard attempt <= ReceiverSleepControl.maxAttempts else { return .unresponsive }
        switch method.wakeTrigger {
        case .byte(let bytes):
            channel.request(.write(bytes))
            if case .asleep(_, let wakes) = phase { expectedTimerWake = wakes }
            // Without resume commands, no pause is needed.
            if method.resumeCommands.isEmpty {
                awaitOutput(method, attempt: attempt, period: configurator.period, at: now)
            } else {
                phase = .waking(
                    method, attempt: attempt, .pausing(until: now + ReceiverSleepControl.wakeByteDelay))
            }
        case .command: resume(method, attempt: attempt, on: &channel, using: configurator, at: now)
        case .timer:
            let longest = Double(method.timer?.upperBound ?? 60)
            phase = .waking(
                method, attempt: ReceiverSleepControl.maxAttempts,
                .awaiting(until: now + .seconds(longest) + ReceiverSleepControl.timerTolerance))
        }
        return .pending
    }

    /// Writes the commands that a woken receiver needs.
    private mutating func resume(
        _ method: SleepMethod, attempt: Int, on channel: inout CommandChannel, using configurator: ReceiverConfigurator,
        at now: Instant
    ) {
        phase = .waking(method, attempt: attempt, .resuming)
        channel.start(configurator.wrapped(ReceiverSleepControl.resumeSteps(method)), at: now)
        channel.advance(to: now)
    }

    /// Returns the commands that a woken receiver needs.
    static func resumeSteps(_ method: SleepMethod) -> [CommandSequence.Step] {
        method.resumeCommands.map { CommandSequence.Step(purpose: .resume, command: $0) }
    }

    private mutating func awaitOutput(_ method: SleepMethod, attempt: Int, period: Int?, at now: Instant) {
        phase = .waking(
            method, attempt: attempt, .awaiting(until: now + ReceiverSleepControl.wakeTimeout(period: period)))
    }

    /// Returns the maximum time from waking to the first standard sentence.
    private static func wakeTimeout(period: Int?) -> Instant.Span {
        max(Instant.Span.seconds(4), silenceThreshold(period: period))
    }

    /// Performs the work that is due.
    mutating func advance(
        _ channel: inout CommandChannel, using configurator: ReceiverConfigurator, standbyEnd: Instant?, at now: Instant
    ) -> Outcome {
        switch phase {
        case .awake: return .pending
        case .entering, .waking(_, _, .resuming):
            channel.advance(to: now)
            return .pending
        case .awaitingSilence(let method, _):
            if awaitSilenceAgain(&channel, period: configurator.period, at: now) { return .pending }
            return evaluateSilence(method, on: &channel, period: configurator.period, standbyEnd: standbyEnd, at: now)
        case .asleep(let method, let wakes?) where wakes + ReceiverSleepControl.timerTolerance <= now:
            return method.wakeTrigger == .timer
                ? .unresponsive : wake(method, on: &channel, using: configurator, at: now)
        case .asleep: return .planDue
        case .waking(let method, let attempt, .pausing):
            resume(method, attempt: attempt, on: &channel, using: configurator, at: now)
            return .pending
        case .waking(let method, let attempt, .awaiting):
            return wake(method, attempt: attempt + 1, on: &channel, using: configurator, at: now)
        }
    }

    /// Processes the arrival of a standard sentence.
    mutating func sentenceArrived(_ channel: inout CommandChannel, at now: Instant) -> Outcome {
        switch phase {
        case .asleep(let method, let wakes): wokeByItself(method, wakes: wakes, on: &channel, at: now)
        case .waking(let method, _, .awaiting): wakeSucceeded(method, at: now)
        case .awake, .entering, .awaitingSilence, .waking: .pending
        }
    }

    /// Processes output from a sleeping receiver. Its timer may have expired. Without a timer, the
    /// receiver does not really sleep.
    private mutating func wokeByItself(
        _ method: SleepMethod, wakes: Instant?, on channel: inout CommandChannel, at now: Instant
    ) -> Outcome {
        let isDue = wakes.map { now >= $0 - .seconds(2) } ?? false
        if method.timer == nil, !isDue {
            unexpectedWakes += 1
            if unexpectedWakes >= ReceiverSleepControl.maxUnexpectedWakes {
                return fail(method, channel: &channel, at: now)
            }
        }
        phase = .awake
        return .awake(method, wasWoken: false)
    }

    /// Processes the first output after waking.
    private mutating func wakeSucceeded(_ method: SleepMethod, at now: Instant) -> Outcome {
        unexpectedWakes = 0
        if method.timer != nil, case .byte = method.wakeTrigger, let expectedTimerWake, now < expectedTimerWake {
            lineWakeableMethods.insert(method.name)
        }
        expectedTimerWake = nil
        phase = .awake
        return .awake(method, wasWoken: true)
    }
}

/// The sleep methods that failed with a receiver. They are tried again after an hour.
struct FailedSleepMethods: Sendable {
    /// How long a failed method is not tried again: the quality of the line may have improved hours
    /// later.
    static let retryDelay = Instant.Span.seconds(3600)

    private var retryTimes: [SleepMethod.Name: Instant] = [:]

    mutating func record(_ name: SleepMethod.Name, at now: Instant) {
        retryTimes[name] = now + FailedSleepMethods.retryDelay
    }

    /// Returns whether a method may be tried.
    func allow(_ name: SleepMethod.Name, at now: Instant) -> Bool { retryTimes[name].map { $0 <= now } ?? true }
}
