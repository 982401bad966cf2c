import Chronology
import Delivery
import Locator
import Receivers
import Serial
import Systemd

// When bytes are taken, and what becomes of them.
extension Port {
    /// The longest that bytes are left unread: a good bit less than the silence after which the core takes a receiver for dead.
    static let longestPause = Instant.Span.seconds(4.5)

    /// The core says how soon this port's bytes are wanted.
    func setPace(_ pace: ReadPace) {
        switch pace {
        case .atOnce: schedule.setPace(.atOnce)
        case .everyBurst: schedule.setPace(.everyBurst)
        case .atMostEvery(let span): schedule.setPace(.atMostEvery(min(span, Port.longestPause)))
        }
        watchAgain()
    }

    /// Something has happened to the descriptor; that it was hung up is told even while nothing is asked for.
    func ready(_ events: IOEvents, at now: Instant) {
        if events.contains(.writable) { writeUnsent(at: now) }
        guard !events.subtracting(.writable).isEmpty else { return }
        if events.subtracting(.writable) == .readable, leavesToKernel(at: now) { return watchAgain() }
        readable(at: now)
    }

    /// Whether what has begun to arrive is left alone until it is a whole burst, or all of an answer.
    private func leavesToKernel(at now: Instant) -> Bool {
        guard isBelieved, hunt?.isLocked ?? true, !driving.isInHurry else { return false }
        return schedule.leaves(at: now, isTalking: driving.isListening)
    }

    /// Asks for those events that are of use now: while a burst is slept through, for none.
    func watchAgain() {
        var wanted: IOEvents = schedule.watches ? .readable : []
        if driving.hasUnsent { wanted.insert(.writable) }
        guard let source, wanted != driving.watched else { return }
        driving.watched = wanted
        // What cannot be unwatched wakes as it always did.
        try? source.setEvents(wanted)
    }

    /// Takes what is there.
    func readable(at now: Instant) {
        guard let serial else { return }
        switch serial.read(into: &buffer) {
        case .bytes(let count): buffer.withUnsafeBytes { take($0.bytes.extracting(0..<count), at: now) }
        case .wouldBlock: note(0, Reception(), at: now)
        case .gone(let loss): lose(loss, at: now)
        }
    }

    private func take(_ bytes: RawSpan, at now: Instant) {
        // Not when it was opened: a port may be opened and lost again at once, over and over.
        backoff.reset()
        let reception = isBelieved ? events.bytes(self, bytes, now) : Reception(sentences: prove(bytes, at: now))
        follow(hunt?.received(bytes: bytes.byteCount, goodSentences: reception.sentences, at: now), at: now)
        note(bytes.byteCount, reception, at: now)
        if driving.isListening { drive(at: now) { $0.heard(bytes, at: now) } }
    }

    /// Lets the schedule learn. A port whose speed is hunted, or that has shown nothing yet, is read at once.
    private func note(_ count: Int, _ reception: Reception, at now: Instant) {
        if isBelieved && hunt?.isLocked ?? true {
            schedule.read(count, closed: reception.closed, isOpen: reception.isOpen, at: now)
        } else {
            schedule.restart()
        }
        watchAgain()
    }

    /// Silence has told the core that an epoch was over, and with it the burst, though nothing was read.
    func burstEnded(at now: Instant) {
        guard isOpen, schedule.watches else { return }
        note(0, Reception(closed: 1), at: now)
    }

    private func prove(_ bytes: RawSpan, at now: Instant) -> Int {
        let sentences = proof.take(bytes, at: now)
        guard proof.isProven else { return sentences }
        isBelieved = true
        events.proven(self, now)
        return sentences
    }

    func follow(_ action: BaudHunt.Action?, at now: Instant) {
        switch action {
        case .setBaud(let speed):
            setStatus(.hunting("\(device.path) sends what is no NMEA at the speeds tried so far; now trying \(speed) baud"), at: now)
            do {
                try serial?.setSpeed(speed)
            } catch {
                follow(hunt?.speedRefused(), at: now)
            }
        case .locked(let speed):
            setStatus(.open, at: now)
            events.locked(self, speed)
            beginDriving(at: now)
        case nil: break
        }
    }

    func lose(_ loss: PortLoss, at now: Instant) {
        close()
        (driving.isClosed, driving.knowsOpen) = (false, false)
        drive(at: now) { $0.lost(at: now) }
        setStatus(.absent("\(device.path) is gone (\(loss)); it is opened again as soon as it is back", lost: true), at: now)
        // Also one that was discovered: it may be back already, told of before this was seen, or may only have been hung up.
        scheduleRetry(at: now)
    }

    /// A converter that has not shown GNSS NMEA has something else behind it: it is left to others until it is plugged in again.
    func leave(at now: Instant) {
        close()
        setStatus(.absent("\(device.path) has shown no GNSS NMEA and is left alone", lost: false), at: now)
    }
}
