import Chronology

// The end of the program: nothing that was set outlives it.
extension ReceiverDriver {
    /// Takes back everything that was set, and wakes a receiver that rests. Answers are not waited for: go on with ``advance(to:)`` at each
    /// ``deadline`` until ``isFinished``, a second or two.
    public mutating func finish(at now: Instant) {
        switch phase {
        case .asleep(let method, _), .hushing(let method, _), .fallingAsleep(let method), .waking(let method, _, _):
            // A timer cannot be hurried; the state directory goes on knowing of it.
            guard method.waking != .timer else { return phase = .finished }
            if case .byte(let bytes) = method.waking { act(.write(bytes)) }
            if method.losesSettings { present = initial }
            let resume = method.resume.map { CommandScript.Step(purpose: .resume, command: $0) }
            takeBack(framed(resume) + steps(from: present, to: initial), now, after: now + ReceiverDriver.wakingTime)
        case .configuring:
            // Some of it may have been heard.
            present = wanted
            takeBack(steps(from: present, to: initial, restoring: true), now, after: now)
        case .watching, .working: takeBack(steps(from: present, to: initial), now, after: now)
        case .closed where steps(from: present, to: initial).isEmpty == false:
            act(.openPort)
            takeBack(steps(from: present, to: initial), now, after: now)
        case .finishing: break
        default:
            // Nothing has been set.
            phase = .finished
        }
    }

    /// Whether nothing more will come.
    public var isFinished: Bool {
        if case .finished = phase { return true }
        return false
    }

    private mutating func takeBack(_ steps: [CommandScript.Step], _ now: Instant, after: Instant) {
        start(steps, .finishing(after: after), at: after, isHurried: true)
        advance(to: now)
    }

    mutating func finishFurther(_ now: Instant) {
        for bytes in script.advance(to: now) { act(.write(bytes)) }
        guard script.isDone else { return }
        phase = .finished
        act(.remember(nil))
    }
}
