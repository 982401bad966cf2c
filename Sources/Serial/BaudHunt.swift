import Chronology

/// Finds the speed a receiver talks at, by listening: at the right one, sentences with good checksums appear.
///
/// Only bytes teach anything. At a wrong speed a talking receiver still makes bytes, garbled ones; a silent port would be as silent at any
/// other speed. So silence changes nothing and arms nothing: an open and silent port costs no wakeup, however long.
///
/// A speed is given up ``patience`` after the first byte heard at it, if no good checksum came. That suffices for a receiver that talks at
/// least once a second: the hunt may have tuned in at the tail of a burst, but the next burst and its first sentence fit in. A slower
/// one, silent again when patience ends, is given its next burst, from its first byte, before the speed is judged.
public struct BaudHunt: Sendable {
    /// What is to be done to the port.
    public enum Action: Sendable, Hashable {
        /// Change the line to so many bits per second and discard what was received before.
        case setBaud(Int)
        /// The receiver talks at this speed: worth remembering for the device.
        case locked(Int)
    }

    /// The speeds tried, after the one to begin with: the two defaults of most receivers, then the rest by how often they are met.
    public static let order = [9600, 38_400, 115_200, 4800, 57_600, 19_200, 230_400, 460_800, 921_600]
    /// From the first byte at a speed to giving it up: one second between bursts and 0.2 s for a sentence of 82 characters at 4800 baud.
    public static let patience = Instant.Span.milliseconds(1200)
    /// Silent this long when patience ends: not a receiver that talks once a second, for its next burst would have begun.
    static let slowTalkerSilence = Instant.Span.milliseconds(500)
    /// After a lock, hearing bytes this long without a good sentence begins the hunt anew.
    public static let doubtLimit = Instant.Span.milliseconds(2000)
    /// A single silence counts as no more than this towards ``doubtLimit``: a slow talker is not doubted for being slow.
    static let doubtPerSilence = Instant.Span.milliseconds(1000)
    /// Rounds over all speeds before the hunt rests.
    public static let roundsBeforeRest = 2
    /// How long it rests at the first speed; whoever talks there is no NMEA receiver, or one in a binary mode.
    public static let rest = Instant.Span.seconds(60)

    private enum State: Sendable {
        /// Nothing was heard at this speed so far; there is nothing to judge.
        case listening
        /// Bytes came, but no good checksum yet.
        case trying(Trial)
        /// A snippet came and then silence; what comes next is a burst from its first byte.
        case awaitingBurst
        /// A good sentence was read at this speed.
        case locked(Doubt)
        /// No speed brought a good sentence; until then changing the speed is not worth it.
        case resting(until: Instant)
    }

    private struct Trial: Sendable {
        var since: Instant
        var lastHeard: Instant
        var isLast: Bool
    }

    private struct Doubt: Sendable {
        var lastHeard: Instant?
        var heardFor = Instant.Span.zero

        mutating func heard(at now: Instant) {
            if let lastHeard { heardFor = heardFor + min(max(now - lastHeard, .zero), BaudHunt.doubtPerSilence) }
            lastHeard = now
        }
    }

    private var state = State.listening
    private var candidates: [Int]
    private var index = 0
    private var rounds = 0

    /// A hunt on a port that is about to be opened, or has just been.
    ///
    /// - Parameters:
    ///   - present: the speed the port has, bits per second; `nil` when it is unknown.
    ///   - remembered: the speed this device was last understood at; it goes before `present`.
    public init(present: Int?, remembered: Int? = nil) {
        let first = remembered ?? present ?? Self.order[0]
        candidates = [first] + Self.order.filter { $0 != first }
    }

    /// The speed the port should have now, bits per second. Set it when the port is opened; later changes are told as actions.
    public var speed: Int { candidates[index] }

    /// Whether the receiver is understood at ``speed``.
    public var isLocked: Bool {
        if case .locked = state { true } else { false }
    }

    /// When ``tick(at:)`` is due; `nil` in silence and after a lock.
    public var deadline: Instant? {
        if case .trying(let trial) = state { trial.since + Self.patience } else { nil }
    }

    /// Bytes were read from the port.
    ///
    /// - Parameters:
    ///   - bytes: how many; 0 is no event.
    ///   - goodSentences: how many sentences with a good checksum ended in them.
    ///   - now: the instant of this wakeup.
    /// - Returns: what to do, if anything.
    public mutating func received(bytes: Int, goodSentences: Int, at now: Instant) -> Action? {
        guard bytes > 0 else { return nil }
        guard goodSentences == 0 else { return understood() }
        switch state {
        case .listening:
            state = .trying(Trial(since: now, lastHeard: now, isLast: false))
        case .awaitingBurst:
            state = .trying(Trial(since: now, lastHeard: now, isLast: true))
        case .trying(let trial):
            return heard(during: trial, at: now)
        case .locked(var doubt):
            doubt.heard(at: now)
            state = doubt.heardFor < Self.doubtLimit ? .locked(doubt) : beginAnew(at: now)
        case .resting(let until):
            if now >= until { state = .trying(Trial(since: now, lastHeard: now, isLast: false)) }
        }
        return nil
    }

    /// The ``deadline`` has come. Before it this does nothing.
    public mutating func tick(at now: Instant) -> Action? {
        guard case .trying(let trial) = state, now >= trial.since + Self.patience else { return nil }
        guard isTail(trial, at: now) else { return giveUp(at: now) }
        state = .awaitingBurst
        return nil
    }

    /// The port does not run at ``speed``: it is taken off the list.
    ///
    /// - Returns: the next speed to set; `nil` when no other is left.
    public mutating func speedRefused() -> Action? {
        guard candidates.count > 1 else { return nil }
        candidates.remove(at: index)
        index %= candidates.count
        state = .listening
        return .setBaud(speed)
    }

    private mutating func understood() -> Action? {
        let wasLocked = isLocked
        state = .locked(Doubt())
        rounds = 0
        return wasLocked ? nil : .locked(speed)
    }

    /// The deadline may be told after the bytes that came later than it, when the machine was busy or asleep.
    private mutating func heard(during trial: Trial, at now: Instant) -> Action? {
        var trial = trial
        if now < trial.since + Self.patience {
            trial.lastHeard = now
        } else if isTail(trial, at: now) {
            trial = Trial(since: now, lastHeard: now, isLast: true)
        } else {
            return giveUp(at: now)
        }
        state = .trying(trial)
        return nil
    }

    private func isTail(_ trial: Trial, at now: Instant) -> Bool {
        !trial.isLast && now - trial.lastHeard >= Self.slowTalkerSilence
    }

    private mutating func giveUp(at now: Instant) -> Action? {
        let before = speed
        index = (index + 1) % candidates.count
        if index == 0 { rounds += 1 }
        state = rounds < Self.roundsBeforeRest ? .listening : .resting(until: now + Self.rest)
        if rounds == Self.roundsBeforeRest { rounds = 0 }
        return speed == before ? nil : .setBaud(speed)
    }

    /// The speed that was right until now goes first, and is tried once more: a disturbance is likelier than a receiver that changed.
    private mutating func beginAnew(at now: Instant) -> State {
        let first = speed
        candidates = [first] + candidates.filter { $0 != first }
        index = 0
        rounds = 0
        return .trying(Trial(since: now, lastHeard: now, isLast: false))
    }
}
