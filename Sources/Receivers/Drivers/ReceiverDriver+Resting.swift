import Chronology
import Delivery

// A receiver that nobody needs.
extension ReceiverDriver {
    /// Puts the receiver to rest in the best way that has not failed yet; closes the port when there is none.
    mutating func rest(_ now: Instant) {
        let methods = table.sleeps.filter { isFit($0, now) }
        guard let method = methods.first, !settings.isPassive, !shortcomings.isDeaf else {
            // A rest too short for a timer is not worth closing the port for either.
            let isTooShort = table.sleeps.contains { shortcomings.allows($0.name, at: now) } && planEnd != nil && !shortcomings.isDeaf
            guard settings.mayClose, !isTooShort || settings.isPassive else { return phase = .working }
            phase = .closed
            return act(.closePort)
        }
        act(.remember(memory(isAsleep: true)))
        let step = CommandScript.Step(purpose: .sleep, command: method.enter(seconds(of: method, now)))
        series = CommandSeries()
        series.isVisible = true
        // What closes a receiver's ear again is not said to one that sleeps.
        let opening = table.opening.map { CommandScript.Step(purpose: .frame, command: $0) }
        start(opening + [step], .fallingAsleep(method), at: now)
    }

    private func isFit(_ method: SleepMethod, _ now: Instant) -> Bool {
        guard shortcomings.allows(method.name, at: now) else { return false }
        guard let timer = method.timer, let end = planEnd else { return true }
        return (end - now).seconds >= Double(timer.lowerBound)
    }

    /// Seconds after which the receiver shall wake by itself; nil for never. A daemon that dies does not then leave it asleep for ever.
    private func seconds(of method: SleepMethod, _ now: Instant) -> Int? {
        let rest = planEnd.map { Int(clamping: ($0 - now).nanoseconds / 1_000_000_000) }
        guard let timer = method.timer else { return rest.map { max($0, 1) } }
        guard case .byte = method.waking else { return min(max(rest ?? timer.upperBound, timer.lowerBound), timer.upperBound) }
        // The line wakes it, or else the timer does a little later: so it is found out whether the line can.
        let longest = provenWakes.contains(method.name) ? ReceiverDriver.longestTimer : timer.upperBound
        return min(max(rest.map { $0 + ReceiverDriver.timerSlack } ?? longest, timer.lowerBound), longest)
    }

    /// The command to sleep has been dealt with.
    mutating func toldToSleep(_ method: SleepMethod, _ now: Instant) {
        guard !series.failed(.sleep) else { return failed(method, now) }
        phase = .hushing(method, until: now + method.settling + quiet)
        lastHeard = now
        pursue(now)
    }

    /// As long a silence as no receiver makes that works at the present period.
    private var quiet: Instant.Span {
        max(.seconds(2.5), .milliseconds(Int64(present.period ?? 1000) * 5 / 2))
    }

    /// When the silence will have lasted long enough.
    var hushed: Instant? {
        guard case .hushing = phase, let lastHeard else { return nil }
        return lastHeard + quiet
    }

    /// Judges whether the receiver sleeps.
    mutating func judgeSilence(_ method: SleepMethod, _ now: Instant) {
        guard let hushed, hushed <= now else { return failed(method, now) }
        heeded(true)
        let timed = method.timer != nil || method.name == .ubloxStandby
        phase = .asleep(method, wakes: timed ? seconds(of: method, now).map { now + .seconds(Double($0)) } : nil)
        pursue(now)
    }

    /// A way to rest that this receiver does not have.
    private mutating func failed(_ method: SleepMethod, _ now: Instant) {
        shortcomings.sleepFailed(method.name, at: now)
        heeded(series.isAnswered)
        act(.remember(memory(isAsleep: false)))
        // It may have been heard in part: an engine that stopped without falling silent would give no fix for ever.
        for command in method.resume where !shortcomings.isDeaf { act(.write(command.bytes)) }
        unbiddenWakes = 0
        phase = .working
        pursue(now)
    }

    /// The rest is over, or the receiver should have woken by itself and did not.
    mutating func endRest(_ now: Instant) {
        if case .asleep(let method, let wakes?) = phase, wakes + .seconds(10) <= now {
            if method.waking == .timer { unresponsive(now) } else { wake(method, attempt: 1, now) }
        } else {
            pursue(now)
        }
    }

    /// A sleeping receiver talks. Its timer may have ended its sleep; if it had none, it does not really sleep.
    mutating func wokeUnbidden(_ method: SleepMethod, at now: Instant) {
        if method.timer == nil, !isDue(now) {
            unbiddenWakes += 1
            if unbiddenWakes >= 3 { return failed(method, now) }
        }
        awake(method, now)
    }

    private func isDue(_ now: Instant) -> Bool {
        if case .asleep(_, let wakes?) = phase { return now >= wakes - .seconds(2) }
        return false
    }

    /// Begins to wake a receiver.
    mutating func wake(_ method: SleepMethod, attempt: Int, _ now: Instant) {
        guard attempt <= 3 else { return unresponsive(now) }
        switch method.waking {
        case .byte(let bytes):
            act(.write(bytes))
            if case .asleep(_, let wakes) = phase { wakesAt = wakes }
            // Where nothing more is to be said, there is nothing to pause for.
            guard !method.resume.isEmpty else { return awaitTalk(method, attempt, now) }
            phase = .waking(method, attempt: attempt, .pausing(until: now + ReceiverDriver.wakingTime))
        case .command: resume(method, attempt, now)
        case .timer: phase = .waking(method, attempt: 3, .awaiting(until: now + .seconds(Double(method.timer?.upperBound ?? 60) + 10)))
        }
    }

    private mutating func resume(_ method: SleepMethod, _ attempt: Int, _ now: Instant) {
        let steps = framed(method.resume.map { CommandScript.Step(purpose: .resume, command: $0) })
        start(steps, .waking(method, attempt: attempt, .resuming), at: now)
    }

    /// Waits for the receiver to talk.
    mutating func awaitTalk(_ method: SleepMethod, _ attempt: Int, _ now: Instant) {
        phase = .waking(method, attempt: attempt, .awaiting(until: now + talkTime))
    }

    /// From waking to the first sentence of a fix, at most.
    var talkTime: Instant.Span { max(Instant.Span.seconds(4), quiet) }

    /// A step of waking has taken its time.
    mutating func wakeFurther(_ method: SleepMethod, _ attempt: Int, _ now: Instant) {
        if case .waking(_, _, .pausing) = phase { return resume(method, attempt, now) }
        wake(method, attempt: attempt + 1, now)
    }

    /// It talks.
    mutating func woke(_ method: SleepMethod, at now: Instant) {
        (patience, rousingPause) = (ReceiverDriver.firstPatience, ReceiverDriver.rousingTime)
        unbiddenWakes = 0
        if method.timer != nil, case .byte = method.waking, let wakesAt, now < wakesAt { provenWakes.insert(method.name) }
        wakesAt = nil
        awake(method, now)
    }

    private mutating func awake(_ method: SleepMethod, _ now: Instant) {
        guard chip != nil else {
            // Woken for the memory's sake: it has still to show what it is.
            phase = .unproven(rouse: nil)
            return proof.isProven ? proven(at: now) : ()
        }
        act(.remember(memory(isAsleep: false)))
        if method.losesSettings { present.forget() }
        watch.restart()
        phase = .working
        pursue(now)
    }

    /// Nothing helps at present. Opening the port anew raises DTR, which wakes or resets some; else one waits, ever longer.
    mutating func unresponsive(_ now: Instant) {
        rousingPause = patience
        if settings.mayClose { [.closePort, .openPort].forEach { act($0) } }
        begin(at: now)
        patience = min(Instant.Span(nanoseconds: patience.nanoseconds &* 2), ReceiverDriver.longestPatience)
    }
}
