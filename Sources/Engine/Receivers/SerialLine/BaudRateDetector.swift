import Chronology

/// Detects a receiver's baud rate by reading: at the right rate, sentences with valid checksums
/// appear.
///
/// Only received bytes give information. At a wrong rate, an active receiver still produces garbled
/// bytes; a silent port would be silent at any rate. Silence therefore changes nothing and sets no
/// timer: an open but silent port costs no wakeup.
///
/// A rate is abandoned ``timeout`` after the first byte received at it, if no valid checksum
/// arrived. That is enough for a receiver that sends at least once a second: detection may start at
/// the end of a burst, but the next burst and its first sentence fit in. A slower receiver is
/// silent again when ``timeout`` ends. Its next burst is read from the first byte before the rate
/// is abandoned.
///
/// A whole frame of a binary protocol extends the time of its rate to ``frameTimeout``, in which
/// the protocol is recognised or not. The rate of a recognised protocol is held.
package struct BaudRateDetector: Sendable {
    /// An action for the port.
    package enum Action: Sendable, Hashable {
        /// Change the line to this many bits per second and discard the data received before.
        case setBaud(Int)
        /// The receiver sends at this rate; save it for the device.
        case locked(Int)
    }

    /// The rates to try after the initial one: the two defaults of most receivers, then the others
    /// by how common they are.
    package static let order = [9600, 38_400, 115_200, 4800, 57_600, 19_200, 230_400, 460_800, 921_600]
    /// The time from the first byte at a rate to abandoning it: one second between bursts, and 0.2
    /// s for a sentence of 82 characters at 4800 baud.
    package static let timeout = Instant.Span.milliseconds(1200)
    /// The time at a rate at which a whole frame of a binary protocol arrived.
    package static let frameTimeout = BinaryRecognizer.window
    /// A silence of this length at the end of ``timeout`` shows a receiver that sends less than
    /// once a second: otherwise its next burst would have begun.
    static let slowReceiverSilence = Instant.Span.milliseconds(500)
    /// After a lock, detection restarts when bytes arrive for this long without a valid sentence.
    package static let maxInvalidTime = Instant.Span.milliseconds(2000)
    /// The maximum that a single silence adds towards ``maxInvalidTime``, so that a slow receiver
    /// does not lose its lock.
    static let maxSilenceContribution = Instant.Span.milliseconds(1000)
    /// The number of rounds over all rates before detection pauses.
    package static let roundsBeforePause = 2
    /// The length of the pause at the first rate. A device that still sends is no NMEA receiver, or
    /// is in a binary mode.
    package static let pause = Instant.Span.seconds(60)

    private enum State: Sendable {
        /// No bytes received at this rate so far.
        case listening
        /// Bytes arrived, but no valid checksum yet.
        case trying(Trial)
        /// A few bytes arrived, then silence; the next data is a burst from its first byte.
        case awaitingBurst
        /// A valid sentence arrived at this rate.
        case locked(LockLossTimer)
        /// A binary protocol was recognised at this rate.
        case held(LockLossTimer)
        /// No rate gave a valid sentence; detection pauses until the instant.
        case paused(until: Instant)
    }

    private struct Trial: Sendable {
        var since: Instant
        var lastReceived: Instant
        var isLast: Bool
        var hasFrame = false

        var deadline: Instant { since + (hasFrame ? BaudRateDetector.frameTimeout : BaudRateDetector.timeout) }
    }

    /// How long bytes have arrived without a valid sentence.
    struct LockLossTimer: Sendable {
        var lastReceived: Instant?
        var receivingTime = Instant.Span.zero

        mutating func recordBytes(at now: Instant) {
            if let lastReceived {
                receivingTime =
                    receivingTime + min(max(now - lastReceived, .zero), BaudRateDetector.maxSilenceContribution)
            }
            lastReceived = now
        }
    }

    private var state = State.listening
    private var candidates: [Int]
    private var index = 0
    private var rounds = 0

    /// Creates a detector for a port that is about to be opened or was just opened.
    ///
    /// - Parameters:
    ///   - present: The port's current rate in bits per second; nil if unknown.
    ///   - saved: The rate last detected for this device; takes precedence over `present`.
    package init(present: Int?, saved: Int? = nil) {
        let first = saved ?? present ?? Self.order[0]
        candidates = [first] + Self.order.filter { $0 != first }
    }

    /// The rate that the port should have now, in bits per second. Set it when the port is opened;
    /// later changes are returned as actions.
    package var baudRate: Int { candidates[index] }

    /// Whether valid sentences arrive at ``baudRate``.
    package var isLocked: Bool {
        if case .locked = state { true } else { false }
    }

    /// Whether the frames of a recognised protocol arrive at ``baudRate``.
    package var isHeld: Bool {
        if case .held = state { true } else { false }
    }

    /// When ``tick(at:)`` is due; nil during silence and after a lock.
    package var deadline: Instant? {
        if case .trying(let trial) = state { trial.deadline } else { nil }
    }

    /// Processes bytes read from the port.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes; 0 has no effect.
    ///   - goodSentences: The number of sentences with a valid checksum that ended in them.
    ///   - frames: The number of whole frames of binary protocols that ended in them.
    ///   - isRecognized: Whether one of those protocols is recognised at this rate.
    ///   - now: The instant of this wakeup.
    /// - Returns: The action to perform, if any.
    package mutating func received(
        bytes: Int, goodSentences: Int, frames: Int = 0, isRecognized: Bool = false, at now: Instant
    ) -> Action? {
        guard bytes > 0 else { return nil }
        guard goodSentences == 0 else { return confirmRate() }
        if frames > 0, isRecognized {
            state = .held(LockLossTimer(lastReceived: now))
            rounds = 0
            return nil
        }
        switch state {
        case .listening:
            state = .trying(Trial(since: now, lastReceived: now, isLast: false, hasFrame: frames > 0))
        case .awaitingBurst:
            state = .trying(Trial(since: now, lastReceived: now, isLast: true, hasFrame: frames > 0))
        case .trying(var trial):
            if frames > 0, now < trial.deadline { trial.hasFrame = true }
            return continueTrial(trial, at: now)
        case .locked(var timer):
            timer.recordBytes(at: now)
            state = timer.receivingTime < Self.maxInvalidTime ? .locked(timer) : restart(at: now)
        case .held(var timer):
            timer.recordBytes(at: now)
            state = timer.receivingTime < Self.frameTimeout ? .held(timer) : restart(at: now)
        case .paused(let until):
            if now >= until { state = .trying(Trial(since: now, lastReceived: now, isLast: false)) }
        }
        return nil
    }

    /// Processes the ``deadline``; has no effect before it.
    package mutating func tick(at now: Instant) -> Action? {
        guard case .trying(let trial) = state, now >= trial.deadline else { return nil }
        guard isEndOfBurst(trial, at: now) else { return tryNextRate(at: now) }
        state = .awaitingBurst
        return nil
    }

    /// Removes ``baudRate`` from the candidates because the port does not support it.
    ///
    /// - Returns: The next rate to set; nil if none is left.
    package mutating func baudRateRefused() -> Action? {
        guard candidates.count > 1 else { return nil }
        candidates.remove(at: index)
        index %= candidates.count
        state = .listening
        return .setBaud(baudRate)
    }

    private mutating func confirmRate() -> Action? {
        let wasLocked = isLocked
        state = .locked(LockLossTimer())
        rounds = 0
        return wasLocked ? nil : .locked(baudRate)
    }

    /// Handles bytes during a trial. If the machine was busy or suspended, bytes received after the
    /// deadline can be processed before it.
    private mutating func continueTrial(_ trial: Trial, at now: Instant) -> Action? {
        var trial = trial
        if now < trial.deadline {
            trial.lastReceived = now
        } else if isEndOfBurst(trial, at: now) {
            trial = Trial(since: now, lastReceived: now, isLast: true)
        } else {
            return tryNextRate(at: now)
        }
        state = .trying(trial)
        return nil
    }

    private func isEndOfBurst(_ trial: Trial, at now: Instant) -> Bool {
        !trial.isLast && now - trial.lastReceived >= Self.slowReceiverSilence
    }

    private mutating func tryNextRate(at now: Instant) -> Action? {
        let before = baudRate
        index = (index + 1) % candidates.count
        if index == 0 { rounds += 1 }
        state = rounds < Self.roundsBeforePause ? .listening : .paused(until: now + Self.pause)
        if rounds == Self.roundsBeforePause { rounds = 0 }
        return baudRate == before ? nil : .setBaud(baudRate)
    }

    /// Restarts detection with the previously locked rate, which is tried once more: interference
    /// is more likely than a changed receiver.
    private mutating func restart(at now: Instant) -> State {
        let first = baudRate
        candidates = [first] + candidates.filter { $0 != first }
        index = 0
        rounds = 0
        return .trying(Trial(since: now, lastReceived: now, isLast: false))
    }
}
