import Chronology
import Delivery
import Locator
import Receivers
import Serial
import SerialLine
import Systemd

// Reading of the port and processing of its bytes.
extension Port {
    /// The longest time that bytes stay unread, well below the silence after which the core reports
    /// a silent receiver.
    static let maxPause = Instant.Span.seconds(4.5)

    /// Sets the core's read pace for this port.
    func setPace(_ pace: ReadPolicy) {
        if case .interval(let span) = pace {
            schedule.setPolicy(.interval(min(span, Port.maxPause)))
        } else {
            schedule.setPolicy(pace)
        }
        watchAgain()
    }

    /// Handles events of the descriptor. A hangup is reported even if no event is requested.
    func ready(_ events: IOEvents, at now: Instant) {
        if events.contains(.writable) { writeUnsent(at: now) }
        guard !events.subtracting(.writable).isEmpty else { return }
        if events.subtracting(.writable) == .readable, leavesToKernel(at: now) { return watchAgain() }
        readable(at: now)
    }

    /// Returns whether arriving bytes stay in the kernel's buffer until the burst or the response
    /// is complete.
    private func leavesToKernel(at now: Instant) -> Bool {
        guard isConfirmed, hunt?.isLocked ?? true, !driving.needsImmediateReads else { return false }
        return schedule.shouldDeferRead(at: now, isTalking: driving.isListening)
    }

    /// Updates the events that the descriptor is watched for. None are requested while the port
    /// sleeps through a burst.
    func watchAgain() {
        var wanted: IOEvents = schedule.wakesOnData ? .readable : []
        if driving.hasUnsent { wanted.insert(.writable) }
        guard let source, wanted != driving.watched else { return }
        driving.watched = wanted
        // If the change fails, the descriptor continues to wake the loop as before.
        try? source.setEvents(wanted)
    }

    /// Reads the available bytes.
    func readable(at now: Instant) {
        guard let serial else { return }
        switch serial.read(into: &buffer) {
        case .bytes(let count): buffer.withUnsafeBytes { take($0.bytes.extracting(0..<count), at: now) }
        case .wouldBlock: note(0, ReadSummary(), at: now)
        case .gone(let loss): handleLoss(loss, at: now)
        }
    }

    /// Receives the body of each framed sentence; nil while the driver needs none.
    var onFrame: ((RawSpan) -> Void)? {
        needsMessages ? { [unowned self] body in input.addSentence(body) } : nil
    }

    /// Whether the driver needs the messages of this read. It may start to do so when the baud rate
    /// is detected.
    private var needsMessages: Bool { driving.isListening || hunt.map { !$0.isLocked } ?? false }

    private func take(_ bytes: RawSpan, at now: Instant) {
        // The back-off is not reset when the port is opened, because it may be opened and lost
        // again repeatedly.
        backoff.reset()
        if needsMessages { input.addFrames(in: bytes) }
        let reception = isConfirmed ? events.bytes(self, bytes, now) : ReadSummary(sentences: prove(bytes, at: now))
        follow(hunt?.received(bytes: bytes.byteCount, goodSentences: reception.sentences, at: now), at: now)
        note(bytes.byteCount, reception, at: now)
        guard driving.isListening else { return input.removeMessages() }
        notifyDriver(at: now) { [unowned self] in $0.receive(&input, at: now) }
    }

    /// Updates the read schedule. A port that is unconfirmed or whose baud rate is being detected
    /// is read immediately.
    private func note(_ count: Int, _ reception: ReadSummary, at now: Instant) {
        if isConfirmed && hunt?.isLocked ?? true {
            schedule.read(count, closed: reception.closed, isOpen: reception.isOpen, at: now)
        } else {
            schedule.restart()
        }
        watchAgain()
    }

    /// Records that the idle line ended an epoch in the core, and with it the burst, without a
    /// read.
    func burstEnded(at now: Instant) {
        guard isOpen, schedule.wakesOnData else { return }
        note(0, ReadSummary(closed: 1), at: now)
    }

    private func prove(_ bytes: RawSpan, at now: Instant) -> Int {
        let sentences = proof.receive(bytes, at: now, onFrame: onFrame)
        guard proof.isConfirmed else { return sentences }
        isConfirmed = true
        events.confirmed(self, now)
        return sentences
    }

    func follow(_ action: BaudRateDetector.Action?, at now: Instant) {
        switch action {
        case .setBaud(let speed):
            setStatus(
                .detectingBaudRate(
                    "\(device.path) sends no NMEA at the baud rates tried so far; now trying \(speed) baud"),
                at: now)
            do {
                try serial?.setSpeed(speed)
            } catch {
                follow(hunt?.speedRefused(), at: now)
            }
        case .locked(let speed):
            setStatus(.open, at: now)
            events.locked(self, speed)
            startDriver(at: now)
        case nil: break
        }
    }

    func handleLoss(_ loss: PortLoss, at now: Instant) {
        close()
        (driving.isClosedByDriver, driving.hasReportedOpen) = (false, false)
        notifyDriver(at: now) { $0.portLost(at: now) }
        setStatus(
            .absent("\(device.path) was lost (\(loss)); it is reopened as soon as it is available", lost: true), at: now
        )
        // Discovered ports are retried too. The device may have returned before the loss was
        // detected, or only been hung up.
        scheduleRetry(at: now)
    }

    /// Closes a converter without GNSS NMEA, which has another device behind it. It stays closed
    /// until it is plugged in again.
    func abandon(at now: Instant) {
        close()
        setStatus(
            .absent("\(device.path) sends no GNSS NMEA; it stays closed until it is plugged in again", lost: false),
            at: now)
    }
}
