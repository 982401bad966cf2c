import Chronology
import NMEA

/// Groups the sentences of one receiver into epochs: exactly one per reported moment, in any order
/// of sentences.
///
/// An epoch ends at the first of these events: a sentence with another time, the sentence that
/// usually ends this receiver's bursts, an idle line, a repeated untimed sentence, or a hard limit.
/// Late sentences belong to no epoch and start none. Only GGA, RMC, GLL, GNS, `PUBX,00` and the
/// sentences of a ``ProprietarySolution`` start an epoch; earlier sentences join the epoch that
/// such a sentence starts.
public struct EpochAssembler: Sendable {
    /// Milliseconds within which sentences have the same time; clocks drift by a few. SL869 has
    /// epochs 10 ms apart when it steps its clock.
    static let sameTimeTolerance = 9
    /// Milliseconds within which sentences may belong to one burst. Trimble R1 and R2 report times
    /// up to 50 ms apart in one burst.
    package static let sameBurstTolerance = 60
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
    private var endPredictor = EpochEndPredictor()
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
        if silence >= EpochAssembler.burstEndSilence { endPredictor.recordSilence() }
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
    /// sentence before ``add(_:from:at:)``.
    public mutating func close(before sentence: Sentence, from address: Address, at now: Instant) -> Epoch? {
        guard case .open = state, startsNextEpoch(sentence, from: address, at: now) else { return nil }
        return close(at: now)
    }

    /// Adds a sentence. Returns the epoch if this was its last sentence.
    public mutating func add(_ sentence: Sentence, from address: Address, at now: Instant) -> Epoch? {
        guard let role = role(of: sentence) else { return nil }
        if let time = role.time, role != .clock(time),
            isLate(time, at: now) || belongsToClosedBurst(time, address: address)
        {
            // The epoch of this time has been published. A second one would give two fixes of the
            // same moment.
            if case .closedEarly = state {
                endPredictor.recordMisprediction()
            } else {
                endPredictor.recordLateSentence()
            }
            clock.recordRepeatedTime(sentence, at: now)
            return nil
        }
        if case .closedEarly = state, !role.isCore {
            endPredictor.recordMisprediction()
            state = .waiting
        }
        if role.isCore, !isOpen { begin(at: now) }
        recordRole(role, of: address)
        epoch.merge(sentence, from: address)
        let trailing = TrailingSentence(sentence, from: address, in: epoch)
        epoch.last = trailing
        guard endPredictor.record(trailing.tag), case .open = state else { return nil }
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
    private func role(of sentence: Sentence) -> Sentence.EpochRole? {
        let role = sentence.epochRole
        guard case .core(nil) = role, case .proprietary = sentence, closedTime ?? epoch.time != nil else {
            return role
        }
        return .untimed
    }

    private func isLate(_ time: TimeOfDay, at now: Instant) -> Bool {
        guard let closedTime,
            epoch.time.map({ EpochAssembler.interval(between: $0, and: time) > EpochAssembler.sameTimeTolerance })
                ?? true
        else { return false }
        return EpochAssembler.interval(between: closedTime, and: time) <= EpochAssembler.sameTimeTolerance
            && clock.isSameDay(at: now)
    }

    /// Returns whether a time belongs to a burst that was closed too early. This covers Trimble's
    /// times, which differ within a burst.
    private func belongsToClosedBurst(_ time: TimeOfDay, address: Address) -> Bool {
        guard case .closedEarly = state, let closedTime, !epoch.hasCore, !core.contains(address) else { return false }
        return isWithinBurst(EpochAssembler.interval(between: closedTime, and: time))
    }

    private func isWithinBurst(_ interval: Int) -> Bool {
        interval <= EpochAssembler.sameBurstTolerance && interval * 10 < (period ?? 1000) * 3
    }

    /// Returns whether a sentence cannot belong to the open epoch.
    private func startsNextEpoch(_ sentence: Sentence, from address: Address, at now: Instant) -> Bool {
        switch role(of: sentence) {
        case .core(let time?):
            if isLate(time, at: now) { return false }
            guard let current = epoch.time else { return untimed.contains(address) }
            return !belongs(time, to: current, address: address)
        case .core(nil):
            return untimed.contains(address) || (epoch.time != nil && core.contains(address))
        case .errors(let time):
            guard let time, let current = epoch.time, !isLate(time, at: now) else { return false }
            return EpochAssembler.interval(between: current, and: time) > EpochAssembler.sameBurstTolerance
        case .clock(let time):
            // ZDA is the clock, not the fix, and may be off by seconds (AC12). It separates epochs
            // only if no other sentence has a time.
            guard epoch.time == nil, let time, let current = epoch.zda?.time else { return false }
            return EpochAssembler.interval(between: current, and: time) > EpochAssembler.sameTimeTolerance
        case .untimed, nil:
            return false
        }
    }

    private func belongs(_ time: TimeOfDay, to current: TimeOfDay, address: Address) -> Bool {
        let interval = EpochAssembler.interval(between: current, and: time)
        if interval <= EpochAssembler.sameTimeTolerance { return true }
        return isWithinBurst(interval) && !core.contains(address)
    }

    private mutating func begin(at now: Instant) {
        epoch.opened = now
        epoch.time = nil
        clock.recordNewTime(at: now)
        core.removeAll(keepingCapacity: true)
        state = .open
    }

    private mutating func recordRole(_ role: Sentence.EpochRole, of address: Address) {
        guard role.isCore else { return }
        if let time = role.time { epoch.time = epoch.time ?? time }
        if core.count < 8, !core.contains(address) { core.append(address) }
        if role.time == nil, untimed.count < 8 { untimed.append(address) }
    }

    private mutating func close(at now: Instant) -> Epoch {
        // A late ZDA contains the time of an earlier epoch.
        if epoch.time == nil, let clock = epoch.zda?.time, !isLate(clock, at: now) { epoch.time = clock }
        epoch.closed = now
        let closed = epoch
        if let time = closed.time {
            if let closedTime { updatePeriod(EpochAssembler.interval(between: time, and: closedTime)) }
            closedTime = time
        }
        endPredictor.endEpoch()
        epoch = Epoch(opened: now)
        untimed.removeAll(keepingCapacity: true)
        state = .waiting
        return closed
    }

    /// Updates the period: the shorter of the last two steps, so that one lost epoch does not
    /// double it.
    private mutating func updatePeriod(_ delta: Int) {
        guard delta > EpochAssembler.sameTimeTolerance, delta <= 10_000 else { return }
        period = min(delta, lastDelta ?? delta)
        lastDelta = delta
    }

    /// Returns the milliseconds between two times of day, the shorter interval across midnight. The
    /// leap second 23:59:60 is one second before 00:00:00.
    static func interval(between a: TimeOfDay, and b: TimeOfDay) -> Int {
        let day = Int(UTCTime.millisecondsPerDay)
        let gap = abs(a.milliseconds - b.milliseconds)
        let round = day + (max(a.milliseconds, b.milliseconds) >= day ? 1000 : 0)
        return min(gap, round - gap)
    }
}
