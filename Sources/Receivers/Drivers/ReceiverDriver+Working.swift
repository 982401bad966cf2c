import Chronology
import Delivery

// A receiver that works, told how.
extension ReceiverDriver {
    /// What the plan comes to at this moment: a rest that is over, or too short, is none.
    func planNow(_ now: Instant) -> ReceiverPlan {
        guard case .standby(let until) = plan else { return plan }
        let isResting =
            switch phase {
            case .asleep, .closed, .hushing, .fallingAsleep: true
            default: false
            }
        return until - now < (isResting ? Instant.Span(nanoseconds: 1) : ReceiverDriver.shortestRest) ? .run(lastRun) : plan
    }

    /// When a rest is over; nil while none is planned, or one without end.
    var planEnd: Instant? {
        if case .standby(let until) = plan { return until }
        return nil
    }

    /// Takes the next step towards the plan, if nothing else is under way.
    mutating func pursue(_ now: Instant) {
        switch (phase, planNow(now)) {
        case (.working, .run(let run)), (.watching, .run(let run)): configure(for: run, now)
        case (.working, _), (.watching, _): rest(now)
        case (.hushing(let method, _), .run), (.asleep(let method, _), .run):
            // A sleep that only its timer ends is waited for.
            if method.waking != .timer { wake(method, attempt: 1, now) }
        case (.closed, .run):
            phase = .opening
            act(.openPort)
        default: break
        }
    }

    /// Tells the receiver what of the plan it does not do yet.
    private mutating func configure(for run: RunPlan, _ now: Instant) {
        // What a look is for, the receiver does as it is: whether it kept its settings over a sleep or went back to its own.
        if run.isLook, isRestored, fixesOften {
            if case .watching = phase { return }
            return phase = .working
        }
        wanted = settings(for: run)
        let steps = steps(from: present, to: wanted, restoring: !isRestored)
        guard !steps.isEmpty else {
            // A period that is being looked at is looked at to the end.
            if case .watching = phase { return }
            return phase = .working
        }
        series = CommandSeries()
        series.isVisible = wanted.period != present.period || wanted.statesError != present.statesError
        act(.remember(memory(isAsleep: false)))
        start(steps, .configuring, at: now)
    }

    /// Whether the receiver fixes about once a second as it is set.
    private var fixesOften: Bool { (present.period ?? initial.period ?? 1000) <= 2000 }

    /// The settings that serve a plan, as far as this receiver has them.
    private func settings(for run: RunPlan) -> RunSettings {
        guard !settings.isPassive, !shortcomings.isDeaf else { return present }
        var wanted = RunSettings(period: present.period ?? initial.period)
        wanted.isThrifty = run.isThrifty && table.saveBetweenFixes != nil && !shortcomings.purposes.contains(.thrift)
        let saysAlready = initialSentences.contains("GST") || initialSentences.contains("PUBX00")
        wanted.statesError =
            table.setErrorSentence != nil && !shortcomings.purposes.contains(.errorSentence) && !saysAlready
            && (present.statesError || lineFloor(with: ReceiverDriver.errorSentenceBytes) <= initial.period ?? 1000)
        let more = wanted.statesError && !present.statesError ? ReceiverDriver.errorSentenceBytes : 0
        var asked = max(Int(clamping: run.period.nanoseconds / 1_000_000), min(lineFloor(with: more), initial.period ?? 1000))
        if wanted.isThrifty { asked = max(asked / 1000, 1) * 1000 }
        if let period = table.periods.serving(asked), !shortcomings.purposes.contains(.period), !shortcomings.periods.contains(period) {
            wanted.period = period
        }
        if table.setDynamics != nil, !shortcomings.purposes.contains(.dynamics) { wanted.dynamics = run.dynamics }
        return wanted
    }

    /// GST with its line end, at most.
    private static let errorSentenceBytes = 80

    /// The shortest period, in ms, at which an epoch and `more` bytes fit on the line with a fifth to spare; 0 where it has no speed.
    private func lineFloor(with more: Int) -> Int {
        guard let baud = settings.baud, baud > 0, watch.epochBytes > 0 else { return 0 }
        let milliseconds = (watch.epochBytes + more) * 12_500 / baud
        return (milliseconds + 99) / 100 * 100
    }

    /// The commands that lead from one state to another; saving comes last, so that the others are heard by a receiver that is awake.
    func steps(from old: RunSettings, to new: RunSettings, restoring: Bool = false) -> [CommandScript.Step] {
        guard !settings.isPassive, !shortcomings.isDeaf else { return [] }
        var steps: [CommandScript.Step] = []
        func add(_ purpose: CommandScript.Purpose, _ commands: [Command]) {
            steps += commands.map { CommandScript.Step(purpose: purpose, command: $0) }
        }
        if restoring || (old.isThrifty && !new.isThrifty) { add(.full, table.workFully) }
        if let period = new.period, period != old.period { add(.period, table.setPeriod(period, initialSentences)) }
        if let dynamics = new.dynamics, dynamics != old.dynamics, let command = table.setDynamics { add(.dynamics, command(dynamics)) }
        if new.statesError != old.statesError, let command = table.setErrorSentence {
            add(.errorSentence, command(new.statesError, initialSentences))
        }
        if new.isThrifty, !old.isThrifty, let commands = table.saveBetweenFixes { add(.thrift, commands) }
        return framed(steps)
    }

    /// With what must precede and follow each series.
    func framed(_ steps: [CommandScript.Step]) -> [CommandScript.Step] {
        guard !steps.isEmpty else { return [] }
        return table.opening.map { .init(purpose: .frame, command: $0) } + steps
            + table.closing.map { .init(purpose: .frame, command: $0) }
    }

    /// Everything has been said; now it is seen what comes of it.
    mutating func configured(_ now: Instant) {
        isRestored = true
        let before = present
        present = wanted
        for purpose in series.refused where series.failed(purpose) { shortcomings.purposes.insert(purpose) }
        if series.failed(.period) { present.period = before.period }
        if series.failed(.dynamics) { present.dynamics = before.dynamics }
        if series.failed(.errorSentence) { present.statesError = before.statesError }
        if series.failed(.thrift) { present.isThrifty = before.isThrifty }
        watch.restart()
        lastHeard = nil
        let period = Instant.Span.milliseconds(Int64(max(present.period ?? 1000, before.period ?? 1000)))
        phase = .watching(until: now + max(.seconds(5), Instant.Span(nanoseconds: period.nanoseconds &* 4)))
        pursue(now)
    }

    /// Three epochs a period apart are enough to see.
    mutating func settleIfSeen(_ now: Instant) {
        if watch.agreeing >= 3, watch.period == present.period { judge(now) }
    }

    /// Judges the settings by what came.
    mutating func judge(_ now: Instant) {
        guard lastHeard != nil else { return fallBack(now) }
        var showsEffect = series.isAnswered
        if let seen = watch.period, let asked = present.period {
            if abs(seen - asked) * 5 > asked, watch.agreeing >= 2 {
                shortcomings.periods.insert(asked)
                present.period = seen
            } else if watch.agreeing >= 2 {
                showsEffect = true
            }
        }
        let states = watch.formatters.contains("GST") || watch.formatters.contains("PUBX00")
        if present.statesError, !states {
            shortcomings.purposes.insert(.errorSentence)
        } else if present.statesError {
            showsEffect = true
        }
        // A receiver that does not know the time yet shows no period: that says nothing against it.
        let isJudged = watch.period != nil || showsEffect
        if isJudged { heeded(showsEffect || !(series.isUnanswered || series.isVisible)) }
        series = CommandSeries()
        phase = .working
        pursue(now)
    }

    /// Keeps count of series that nobody seems to have heard.
    mutating func heeded(_ heard: Bool) {
        shortcomings.unheard = heard ? 0 : shortcomings.unheard + 1
    }

    /// The receiver has fallen silent over its settings: everything is taken back, and not tried again.
    private mutating func fallBack(_ now: Instant) {
        guard present != initial, !shortcomings.isDeaf else { return unresponsive(now) }
        if present.isThrifty { shortcomings.purposes.insert(.thrift) }
        if present.period != initial.period, let period = present.period { shortcomings.periods.insert(period) }
        wanted = initial
        let steps = steps(from: present, to: initial, restoring: true)
        series = CommandSeries()
        start(steps, .configuring, at: now)
    }
}
