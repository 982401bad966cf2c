import Chronology
import NMEA

/// Groups the sentences of one receiver into epochs: exactly one per reported moment, in any order
/// of sentences.
///
/// An epoch ends at the first of these events: a sentence with another time, the sentence that
/// usually ends this receiver's bursts, an idle line, a repeated untimed sentence, or a hard limit.
/// Late sentences belong to no epoch and start none. Only GGA, RMC, GLL, GNS, `PUBX,00` and the
/// sentences of a ``ProprietarySolution`` start an epoch; earlier sentences join the epoch that such a
/// sentence starts.
public struct EpochAssembler: Sendable {
    /// Milliseconds within which sentences have the same time; clocks drift by a few. SL869 has
    /// epochs 10 ms apart when it steps its clock.
    static let sameTimeTolerance = 9
    /// Milliseconds within which sentences may belong to one burst. Trimble R1 and R2 report times
    /// up to 50 ms apart in one burst.
    static let sameBurstTolerance = 60
    /// The shortest time without a byte after which the line is idle. USB bridges and FTDI latency
    /// timers hold bytes back for less.
    static let minIdle = Instant.Span.milliseconds(80)
    /// The longest time without a byte after which the line is idle.
    static let maxIdle = Instant.Span.milliseconds(250)
    /// The time without a byte after which the burst is certainly over: longer than any idle limit
    /// and than the delays of a loaded host.
    static let burstEndSilence = Instant.Span.milliseconds(300)

    private enum State {
        /// No sentence that starts an epoch has arrived yet.
        case waiting
        /// A core sentence has arrived.
        case open
        /// The expected last sentence closed the epoch, and the line has not been idle since.
        case closedEarly
    }

    private var state = State.waiting
    private var epoch = Epoch(opened: .zero)
    /// The core sentences of the present epoch, or of the previous one until the next starts.
    private var core: [Address] = []
    /// The core sentences of the epoch that have no time.
    private var untimed: [Address] = []
    private var closedTime: TimeOfDay?
    private var lastDelta: Int?
    private var lastSentence = EpochEndPredictor()
    private var lastActivity = Instant.zero
    private var clock = FrozenClockDetector()

    /// Milliseconds between epochs according to the receiver's times; nil before the second epoch.
    public private(set) var period: Int?

    /// Whether the receiver keeps reporting a position with a time that does not change; such
    /// sentences start no epoch.
    public var isClockFrozen: Bool { clock.isFrozen }

    /// Creates an assembler without any data.
    public init() {
        core.reserveCapacity(8)
        untimed.reserveCapacity(8)
    }

    /// When the caller must call ``tick(at:)``; nil while no epoch is open.
    public var deadline: Instant? {
        guard case .open = state else { return nil }
        let hardLimit = Instant.Span.milliseconds(Int64(period ?? 2000) * 6 / 5)
        return min(lastActivity + idleTimeout, max(epoch.opened, lastActivity - hardLimit) + hardLimit)
    }

    /// Returns the open epoch as if it ended now; nil while none is open.
    public func unfinished(at now: Instant) -> Epoch? {
        guard case .open = state else { return nil }
        var epoch = epoch
        epoch.closed = now
        return epoch
    }

    /// The latest sentence of the open epoch; nil while none is open.
    public var latest: TrailingSentence? { isOpen ? epoch.last : nil }

    /// Records that bytes have arrived, whether or not they complete a sentence. Returns the epoch
    /// that the preceding silence ended.
    public mutating func recordActivity(at now: Instant) -> Epoch? {
        defer { lastActivity = now }
        let silence = now - lastActivity
        guard silence >= idleTimeout else { return nil }
        if case .closedEarly = state { state = .waiting }
        let closed = tick(at: now)
        if silence >= EpochAssembler.burstEndSilence { lastSentence.recordSilence() }
        return closed
    }

    /// Closes the epoch if its deadline has passed.
    public mutating func tick(at now: Instant) -> Epoch? {
        guard let deadline, now >= deadline else { return nil }
        return close(at: now)
    }

    /// Closes the open epoch at the end of the input.
    public mutating func finish(at now: Instant) -> Epoch? {
        guard case .open = state else { return nil }
        return close(at: now)
    }

    /// Closes and returns the open epoch if the sentence cannot belong to it. Call this with each
    /// sentence before ``take(_:_:at:)``.
    public mutating func close(before address: Address, _ sentence: Sentence, at now: Instant) -> Epoch? {
        guard case .open = state, startsNextEpoch(address, sentence, at: now) else { return nil }
        return close(at: now)
    }

    /// Adds a sentence. Returns the epoch if this was its last sentence.
    public mutating func add(_ address: Address, _ sentence: Sentence, at now: Instant) -> Epoch? {
        guard let timing = timing(of: sentence) else { return nil }
        if let time = timing.time, timing != .clock(time), isLate(time, at: now) || belongsToClosedBurst(time, address)
        {
            // The epoch of this time has been published. A second one would give two fixes of the
            // same moment.
            if case .closedEarly = state {
                lastSentence.recordMisprediction()
            } else {
                lastSentence.recordLateSentence()
            }
            clock.recordRepeatedTime(sentence, at: now)
            return nil
        }
        if case .closedEarly = state, !timing.isCore {
            lastSentence.recordMisprediction()
            state = .waiting
        }
        if timing.isCore, !isOpen { begin(at: now) }
        recordTiming(timing, address)
        epoch.merge(address, sentence)
        let word = TrailingSentence(address, sentence, in: epoch)
        epoch.last = word
        guard lastSentence.record(word.tag), case .open = state else { return nil }
        let closed = close(at: now)
        state = .closedEarly
        return closed
    }

    private var idleTimeout: Instant.Span {
        min(max(EpochAssembler.minIdle, .milliseconds(Int64((period ?? 0) / 10))), EpochAssembler.maxIdle)
    }

    private var isOpen: Bool { if case .open = state { true } else { false } }

    /// Returns the role of a sentence in an epoch.
    ///
    /// A proprietary solution without a time (`PQTMGPS`) starts an epoch only if the receiver never
    /// reports a time. Otherwise it is unclear to which of two epochs the solution belongs.
    private func timing(of sentence: Sentence) -> Sentence.EpochRole? {
        let timing = sentence.epochRole
        guard case .core(nil) = timing, case .proprietary = sentence, closedTime ?? epoch.time != nil else {
            return timing
        }
        return .untimed
    }

    private func isLate(_ time: TimeOfDay, at now: Instant) -> Bool {
        guard let closedTime,
            epoch.time.map({ EpochAssembler.interval(between: $0, time) > EpochAssembler.sameTimeTolerance }) ?? true
        else { return false }
        return EpochAssembler.interval(between: closedTime, time) <= EpochAssembler.sameTimeTolerance
            && clock.isSameDay(at: now)
    }

    /// Returns whether a time belongs to a burst that was closed too early. This covers Trimble's
    /// times, which differ within a burst.
    private func belongsToClosedBurst(_ time: TimeOfDay, _ address: Address) -> Bool {
        guard case .closedEarly = state, let closedTime, !epoch.hasCore, !core.contains(address) else { return false }
        return isWithinBurst(EpochAssembler.interval(between: closedTime, time))
    }

    private func isWithinBurst(_ apart: Int) -> Bool {
        apart <= EpochAssembler.sameBurstTolerance && apart * 10 < (period ?? 1000) * 3
    }

    /// Returns whether a sentence cannot belong to the open epoch.
    private func startsNextEpoch(_ address: Address, _ sentence: Sentence, at now: Instant) -> Bool {
        switch timing(of: sentence) {
        case .core(let time?):
            if isLate(time, at: now) { return false }
            guard let present = epoch.time else { return untimed.contains(address) }
            return !belongs(time, to: present, address)
        case .core(nil):
            return untimed.contains(address) || (epoch.time != nil && core.contains(address))
        case .errors(let time):
            guard let time, let present = epoch.time, !isLate(time, at: now) else { return false }
            return EpochAssembler.interval(between: present, time) > EpochAssembler.sameBurstTolerance
        case .clock(let time):
            // ZDA is the clock, not the fix, and may be off by seconds (AC12). It separates epochs
            // only if no other sentence has a time.
            guard epoch.time == nil, let time, let present = epoch.zda?.time else { return false }
            return EpochAssembler.interval(between: present, time) > EpochAssembler.sameTimeTolerance
        case .untimed, nil:
            return false
        }
    }

    private func belongs(_ time: TimeOfDay, to present: TimeOfDay, _ address: Address) -> Bool {
        let apart = EpochAssembler.interval(between: present, time)
        if apart <= EpochAssembler.sameTimeTolerance { return true }
        return isWithinBurst(apart) && !core.contains(address)
    }

    private mutating func begin(at now: Instant) {
        epoch.opened = now
        epoch.time = nil
        clock.recordNewTime(at: now)
        core.removeAll(keepingCapacity: true)
        state = .open
    }

    private mutating func recordTiming(_ timing: Sentence.EpochRole, _ address: Address) {
        guard timing.isCore else { return }
        if let time = timing.time { epoch.time = epoch.time ?? time }
        if core.count < 8, !core.contains(address) { core.append(address) }
        if timing.time == nil, untimed.count < 8 { untimed.append(address) }
    }

    private mutating func close(at now: Instant) -> Epoch {
        // A late ZDA contains the time of an earlier epoch.
        if epoch.time == nil, let clock = epoch.zda?.time, !isLate(clock, at: now) { epoch.time = clock }
        epoch.closed = now
        let closed = epoch
        if let time = closed.time {
            if let closedTime { learnPeriod(EpochAssembler.interval(between: time, closedTime)) }
            closedTime = time
        }
        lastSentence.endEpoch()
        epoch = Epoch(opened: now)
        untimed.removeAll(keepingCapacity: true)
        state = .waiting
        return closed
    }

    /// Updates the period: the shorter of the last two steps, so that one lost epoch does not
    /// double it.
    private mutating func learnPeriod(_ delta: Int) {
        guard delta > EpochAssembler.sameTimeTolerance, delta <= 10_000 else { return }
        period = min(delta, lastDelta ?? delta)
        lastDelta = delta
    }

    /// Returns the milliseconds between two times of day, the shorter interval across midnight. The
    /// leap second 23:59:60 is one second before 00:00:00.
    static func interval(between a: TimeOfDay, _ b: TimeOfDay) -> Int {
        let day = Int(UTCTime.millisecondsPerDay)
        let gap = abs(a.milliseconds - b.milliseconds)
        let round = day + (max(a.milliseconds, b.milliseconds) >= day ? 1000 : 0)
        return min(gap, round - gap)
    }
}
