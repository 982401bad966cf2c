import Chronology
import Locator
import Positioning

/// Configures one receiver over its serial line for the planner's demand, and verifies the effect.
///
/// A value type: its inputs are messages and instants, its outputs are ``DriverAction``s. It writes
/// nothing before the port has shown GNSS NMEA, except to wake a receiver that was put to sleep,
/// and to restore it at the end. A passive driver never writes.
///
/// Three parts do the work, one at a time: ``ReceiverIdentification``, ``ReceiverConfigurator`` and
/// ``ReceiverSleepControl``. They write through one ``CommandChannel``.
///
/// All settings are in the receiver's RAM and are restored at the end. If the output shows that the
/// receiver did not apply a setting, the driver records that and does not try again. If no sleep
/// method works, it closes the port.
package struct ReceiverDriver: Sendable {
    private let mayClose: Bool
    private var stage = ReceiverDriverStage.absent
    private var plan = DriverPlan()
    var channel: CommandChannel
    private var identification: ReceiverIdentification
    private var configurator: ReceiverConfigurator
    var sleepControl = ReceiverSleepControl()
    /// The start in progress, and what the receiver may be told then.
    package var starts = StartTracker()
    private var database: DatabaseReader
    /// The time to the next attempt to wake a receiver that does not respond.
    private var wakeBackoff = ExponentialBackoff()
    /// The silence to wait for before waking a receiver that was put to sleep.
    private var wakeDelay = ReceiverIdentification.minWakeSilence

    /// Creates a driver for a port that is not open yet.
    package init(_ settings: DriverSettings = DriverSettings()) {
        mayClose = settings.mayClose
        sleepControl.mustKeepSettings = settings.mustKeepSettings
        channel = CommandChannel(
            isPassive: settings.isPassive, baud: settings.baud, savedState: settings.savedState)
        identification = ReceiverIdentification(settings.identity)
        configurator = ReceiverConfigurator(settings)
        database = DatabaseReader(isEnabled: settings.keepsDatabase)
    }
}

// What the port needs to know.
extension ReceiverDriver {
    /// When ``advance(to:)`` has work to do; nil if only the receiver or the planner can trigger
    /// any.
    package var deadline: Instant? {
        switch stage {
        case .absent, .reopening, .reopeningToFinish, .finished: nil
        case .identification: identification.deadline(channel)
        case .operation: configurator.deadline(channel)
        case .readingDatabase: channel.deadline
        case .sleep: sleepControl.deadline(channel, period: configurator.period, standbyEnd: plan.standbyEnd)
        case .closed: plan.standbyEnd
        case .finishing(let after, _): channel.isDone ? after : channel.deadline.map { max($0, after) }
        }
    }

    /// Whether the driver uses messages. While false, ``receive(_:at:)`` only records the time.
    package var usesInput: Bool {
        switch stage {
        case .identification, .readingDatabase, .sleep, .finishing: true
        case .operation: configurator.isConfiguring || configurator.isVerifying
        case .absent, .closed, .reopening, .reopeningToFinish, .finished: false
        }
    }

    /// Until when received data does not matter: a receiver that is being woken first sends its
    /// boot messages.
    package var ignoresInputUntil: Instant? {
        guard case .sleep = stage else { return nil }
        return sleepControl.ignoresInputUntil(period: configurator.period)
    }

    /// Whether the driver waits for a reply that determines the next write within milliseconds,
    /// so that data must be read immediately.
    package var needsImmediateReads: Bool { usesInput && channel.repeatsRapidly }

    /// Whether the driver has no more actions.
    package var isFinished: Bool { if case .finished = stage { true } else { false } }

    package var report: DriverReport {
        var report = DriverReport(
            activity: .configuring, chip: identification.chip, isUnresponsive: channel.isUnresponsive)
        report.period = configurator.period.map { .milliseconds(Int64($0)) }
        switch stage {
        case .absent, .finished: report.activity = .unknown
        case .identification where identification.isUndetected: report.activity = .unknown
        case .operation where !configurator.isConfiguring, .readingDatabase:
            report.activity = configurator.savesPower ? .savingPower : .running
            report.state = configurator.savesPower ? .powerSave : nil
        case .sleep:
            report.isToldToSleep = sleepControl.isToldToSleep
            guard let method = sleepControl.methodInUse else { break }
            report.activity = .asleep
            report.sleepMethod = method.name.rawValue
            report.state = method.state
        case .closed, .reopening, .reopeningToFinish: report.activity = .portClosed
        case .identification, .operation, .finishing: break
        }
        return report
    }
}

// Events.
extension ReceiverDriver {
    /// Calls `body` with this driver. It is too large to copy for every line.
    package mutating func modify(_ body: (inout ReceiverDriver) -> Void) { body(&self) }

    /// Returns and removes the pending actions.
    package mutating func takeActions() -> [DriverAction] { channel.takeActions() }

    package mutating func portOpened(at now: Instant) {
        switch stage {
        case .reopening, .closed:
            stage = .operation
            applyPlan(at: now)
        case .reopeningToFinish: restoreSettings(configurator.stepsToRestore(channel), at: now, after: now)
        case .finishing, .finished: break
        case .absent, .identification, .operation, .readingDatabase, .sleep: begin(at: now)
        }
    }

    /// Processes the loss of the port: it was unplugged, was closed for another reason than this
    /// driver's actions, or cannot be opened to restore the settings. The receiver may have lost
    /// power and its settings. If it has not, the state directory keeps the record of them.
    package mutating func portLost(at now: Instant) {
        switch stage {
        case .finished: return
        case .finishing, .reopeningToFinish: stage = .finished
        default: stage = .absent
        }
        channel.cancelSequence()
        database.cancel()
    }

    package mutating func setPlan(_ plan: ReceiverPlan, at now: Instant) {
        if self.plan.update(plan) { applyPlan(at: now) }
    }

    /// Processes what arrived at the port, also if it contains no message. Call ``advance(to:)`` at
    /// the ``deadline`` as well.
    package mutating func receive(_ input: inout MessageCollector, at now: Instant) {
        let messages = input.takeMessages()
        sleepControl.awaitSilenceAgain(&channel, period: configurator.period, at: now)
        channel.recordActivity(at: now)
        guard usesInput else { return }
        for message in messages { process(message, at: now) }
        advance(to: now)
    }

    /// Performs the work that is due.
    package mutating func advance(to now: Instant) {
        // A phase that ends may start another that is due as well. More than a few in one call
        // would be a bug.
        for _ in 0..<8 {
            guard let due = deadline, due <= now else { break }
            step(at: now)
        }
    }

    /// Records that the last epoch has a fix, or no longer.
    package mutating func recordEpoch(hasFix: Bool, at now: Instant) {
        database.record(hasFix: hasFix, at: now)
        if let start = starts.recordEpoch(hasFix: hasFix, at: now) { channel.request(.report(.started(start))) }
        if !hasFix, starts.isUnassisted, case .operation = stage { applyPlan(at: now) }
    }

    /// Restores all settings and wakes a receiver that sleeps, or that the state directory names as
    /// asleep, without waiting for replies. Keep calling ``advance(to:)`` at each ``deadline``
    /// until ``isFinished``, for a second or two.
    package mutating func finish(at now: Instant) {
        switch stage {
        case .identification where identification.receivesOtherData(channel, at: now): stage = .finished
        case .sleep, .identification:
            // If only the timer ends this sleep, the state directory keeps the record of it.
            guard let method = sleepMethod(), method.wakeTrigger != .timer else { return stage = .finished }
            if case .byte(let bytes) = method.wakeTrigger { channel.request(.write(bytes)) }
            let resume = configurator.wrapped(ReceiverSleepControl.resumeSteps(method))
            let restore = configurator.stepsToRestore(channel, losesSettings: method.losesSettings)
            restoreSettings(resume + restore, at: now, after: now + ReceiverSleepControl.wakeByteDelay)
        case .operation, .readingDatabase:
            let dump = database.steps(identification, channel, isAtEnd: true, at: now)
            restoreSettings(dump + configurator.stepsToRestore(channel), at: now, after: now)
        case .closed:
            guard !configurator.stepsToRestore(channel).isEmpty else { return stage = .finished }
            stage = .reopeningToFinish
            channel.request(.openPort)
        case .reopeningToFinish, .finishing: break
        case .absent, .reopening, .finished:
            // The driver has changed no settings.
            stage = .finished
        }
    }

    private mutating func restoreSettings(_ steps: [CommandSequence.Step], at now: Instant, after: Instant) {
        let keepsRecord = if case .identification = stage { true } else { false }
        stage = .finishing(after: after, keepsRecord: keepsRecord)
        channel.start(steps, at: after, skipsReplies: true)
        advance(to: now)
    }
}

// The stages.
extension ReceiverDriver {
    /// Starts on an open port. Only saved evidence about the receiver is known.
    private mutating func begin(at now: Instant) {
        channel.reset()
        configurator.begin()
        sleepControl.reset()
        starts.portOpened(at: now)
        let mayWake = channel.savedState?.isAsleep == true && !channel.isPassive
        identification.begin(wake: mayWake ? now + wakeDelay : nil, wasIdentified: starts.data?.database != nil)
        stage = .identification
    }

    private mutating func step(at now: Instant) {
        switch stage {
        case .identification: continueIdentification(identification.advance(&channel, at: now), at: now)
        case .operation: continueOperation(configurator.advance(&channel, at: now), at: now)
        case .sleep:
            let outcome = sleepControl.advance(&channel, using: configurator, standbyEnd: plan.standbyEnd, at: now)
            continueSleep(outcome, at: now)
        case .closed: applyPlan(at: now)
        case .finishing(_, let keepsRecord):
            channel.advance(to: now)
            guard channel.isDone else { return }
            database.end(identification, on: &channel)
            stage = .finished
            if !keepsRecord { channel.request(.saveState(nil)) }
        case .readingDatabase: channel.advance(to: now)
        case .absent, .reopening, .reopeningToFinish, .finished: break
        }
        collectOutcomes(at: now)
    }

    private mutating func process(_ message: ReceivedMessage, at now: Instant) {
        channel.process(message, at: now)
        identification.record(message)
        database.receive(message)
        if case .standardSentence = message { sentenceArrived(at: now) }
        collectOutcomes(at: now)
    }

    /// Processes a standard sentence; some phases only wait for one.
    private mutating func sentenceArrived(at now: Instant) {
        switch stage {
        case .identification: continueIdentification(identification.sentenceArrived(&channel, at: now), at: now)
        case .operation: continueOperation(configurator.sentenceArrived(&channel, at: now), at: now)
        case .sleep: continueSleep(sleepControl.sentenceArrived(&channel, at: now), at: now)
        case .absent, .readingDatabase, .closed, .reopening, .reopeningToFinish, .finishing, .finished: break
        }
    }

    /// Processes the outcomes of commands, and continues when the sequence is finished.
    private mutating func collectOutcomes(at now: Instant) {
        if let probe = channel.recordOutcomes() {
            return continueIdentification(identification.recordReply(toProbe: probe, on: &channel), at: now)
        }
        guard channel.isDone else { return }
        switch stage {
        case .identification: continueIdentification(identification.probesFinished(), at: now)
        case .operation: continueOperation(configurator.commandsFinished(&channel, at: now), at: now)
        case .readingDatabase:
            database.end(identification, on: &channel)
            stage = .operation
            applyPlan(at: now)
        case .sleep:
            continueSleep(sleepControl.commandsFinished(&channel, period: configurator.period, at: now), at: now)
        case .absent, .closed, .reopening, .reopeningToFinish, .finishing, .finished: break
        }
    }

    private mutating func continueIdentification(_ outcome: ReceiverIdentification.Outcome, at now: Instant) {
        switch outcome {
        case .pending: break
        case .wakeReceiver: wakeUnidentified(at: now)
        case .identified:
            guard let chip = identification.chip else { return }
            configurator.identified(as: chip, protocolNumber: identification.protocolNumber, on: &channel)
            stage = .operation
            applyPlan(at: now)
        }
    }

    private mutating func continueOperation(_ outcome: ReceiverConfigurator.Outcome, at now: Instant) {
        switch outcome {
        case .pending: break
        case .finished: applyPlan(at: now)
        case .unresponsive: handleUnresponsiveReceiver(at: now)
        }
    }

    private mutating func continueSleep(_ outcome: ReceiverSleepControl.Outcome, at now: Instant) {
        switch outcome {
        case .pending: break
        case .planDue: applyPlan(at: now)
        case .awake(let method, let wasWoken): receiverWoke(method, wasWoken: wasWoken, at: now)
        case .unsupported(let method):
            channel.request(.saveState(stateRecord(isAsleep: false)))
            // The command may have had a partial effect: an engine that stopped while the output
            // continued would never produce a fix.
            for command in method.resumeCommands where !channel.isUnresponsive {
                channel.request(.write(command.bytes))
            }
            starts.stayedAwake()
            stage = .operation
            applyPlan(at: now)
        case .unresponsive: handleUnresponsiveReceiver(at: now)
        }
    }

    /// Wakes a silent receiver that was put to sleep earlier.
    private mutating func wakeUnidentified(at now: Instant) {
        guard let method = sleepMethod() else { return identification.cancelWaking() }
        stage = .sleep
        continueSleep(sleepControl.wake(method, on: &channel, using: configurator, at: now), at: now)
    }

    /// Returns how the receiver sleeps. Before it is identified, that is the first method of the
    /// family that the state directory names; nil if it does not name the receiver as asleep.
    private mutating func sleepMethod() -> SleepMethod? {
        identification.chip == nil ? configurator.assume(channel.savedState) : sleepControl.method
    }

    private mutating func receiverWoke(_ method: SleepMethod, wasWoken: Bool, at now: Instant) {
        if wasWoken {
            wakeBackoff.reset()
            wakeDelay = ReceiverIdentification.minWakeSilence
        }
        guard identification.chip != nil else {
            // The receiver was woken because of its saved state; it must still be detected and
            // identified.
            stage = .identification
            return continueIdentification(identification.resume(&channel, at: now), at: now)
        }
        channel.request(.saveState(stateRecord(isAsleep: false)))
        configurator.receiverWoke(losingSettings: method.losesSettings, &channel)
        starts.woke(at: now)
        stage = .operation
        applyPlan(at: now)
    }

    /// Handles a receiver that does not respond. Reopening the port raises DTR, which wakes or
    /// resets some receivers. Otherwise the driver retries after a timeout that doubles each time.
    private mutating func handleUnresponsiveReceiver(at now: Instant) {
        wakeDelay = wakeBackoff.next(from: .seconds(60), max: .seconds(960))
        if mayClose { [DriverAction.closePort, .openPort].forEach { channel.request($0) } }
        begin(at: now)
    }

    /// Returns the state to save in the state directory for this receiver.
    private func stateRecord(isAsleep: Bool) -> ReceiverStateRecord? {
        let number = identification.protocolNumber ?? channel.savedState?.protocolNumber
        return identification.chip.map { configurator.record(of: $0, protocolNumber: number, isAsleep: isAsleep) }
    }
}

// The plan.
extension ReceiverDriver {
    /// Whether the receiver sleeps, or its port is closed for the same purpose.
    private var isAsleep: Bool {
        if case .closed = stage { true } else if case .sleep = stage { sleepControl.isAsleep } else { false }
    }

    /// Takes the next step towards the plan, unless another operation is in progress.
    private mutating func applyPlan(at now: Instant) {
        switch (stage, plan.effective(at: now, isAsleep: isAsleep)) {
        case (.operation, _) where configurator.isConfiguring: break
        case (.operation, .run(let run)): configure(for: run, at: now)
        case (.operation, _): enterStandby(at: now)
        case (.sleep, .run):
            continueSleep(sleepControl.wakeForPlan(&channel, using: configurator, at: now), at: now)
            collectOutcomes(at: now)
        case (.closed, .run):
            stage = .reopening
            channel.request(.openPort)
        default: break
        }
    }

    /// Configures the receiver for the parts of the plan that it does not fulfil yet.
    private mutating func configure(for run: RunPlan, at now: Instant) {
        let assistance = starts.commands(for: identification, on: channel, configurator.table, at: now)
        guard let steps = configurator.commands(for: run, after: assistance, channel) else { return }
        channel.request(.saveState(stateRecord(isAsleep: false)))
        configurator.configure(steps, on: &channel, at: now)
        collectOutcomes(at: now)
    }

    /// Puts the receiver to sleep by the best method that has not failed; closes the port if there
    /// is none.
    private mutating func enterStandby(at now: Instant) {
        configurator.stop()
        if database.begin(identification, until: plan.standbyEnd, on: &channel, at: now) {
            return stage = .readingDatabase
        }
        let table = configurator.table
        guard channel.acceptsCommands,
            let method = sleepControl.usableMethod(table, until: plan.standbyEnd, at: now)
        else { return closePort(at: now) }
        channel.request(.saveState(stateRecord(isAsleep: true)))
        starts.fellAsleep(at: now)
        database.record(hasFix: false, at: now)
        stage = .sleep
        sleepControl.enter(method, from: table, until: plan.standbyEnd, on: &channel, at: now)
        collectOutcomes(at: now)
    }

    /// Closes the port of a receiver that cannot be put to sleep.
    private mutating func closePort(at now: Instant) {
        // A standby too short for a sleep timer is also too short to close the port.
        let isTooShort =
            sleepControl.hasMethod(configurator.table, at: now) && plan.standbyEnd != nil && !channel.isUnresponsive
        guard mayClose, !isTooShort || channel.isPassive else { return }
        stage = .closed
        channel.request(.closePort)
    }
}
