import Chronology
import NMEA

/// Groups the sentences of one receiver into epochs: exactly one per reported moment, in any order
/// of sentences.
///
/// An epoch ends at the first of these events: a sentence with another time, the sentence that
/// usually ends this receiver's bursts, an idle line, a repeated untimed sentence, or a hard limit.
/// Late sentences belong to no epoch and start none. Only GGA, RMC, GLL, GNS, `PUBX,00` and the
/// sentences of a ``ProprietarySolution`` start an epoch; earlier sentences join the epoch that
/// such a sentence starts. A sentence whose time contradicts the burst adds no position; a dated
/// RMC decides the time.
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

    /// The largest step back in milliseconds of a sentence that was delayed or repeated. Above the
    /// delay of most multiplexers.
    package static let maxDelay = 10_000
    /// The number of consecutive bursts in which RMC must contradict a sentence. Afterwards that
    /// sentence's time no longer counts.
    private static let requiredContradictions = 3
    /// The number of sentences with contradicting times and without an epoch after which their
    /// times count again: RMC is no longer sent.
    private static let maxContradictorySentences = 30

    /// The relation of a stated time to the times before it.
    private enum Relation {
        /// The time of the present or of the next epoch.
        case current
        /// The time contradicts that of the burst in which it arrives.
        case contradictory
        /// An old sentence that was delayed or repeated.
        case old
    }

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
    private var order = EpochOrder()
    /// The epoch that ``order`` holds back, if any. In an array, so that copies of this type are
    /// small.
    private var held: [Epoch] = []
    /// The core sentences whose times do not count, because RMC contradicts them.
    private var misdated: [Address] = []
    /// The number of consecutive bursts in which RMC contradicted the time.
    private var contradictions = 0
    /// Whether RMC has contradicted the present burst.
    private var isContradicted = false
    /// The number of contradictory sentences since the present epoch started.
    private var contradictorySentences = 0
    /// The time of the last old sentence since the present epoch started.
    private var oldTime: TimeOfDay?
    private var endPredictor = EpochEndPredictor()
    private var lastActivity = Instant.zero
    private var clock = FrozenClockDetector()

    /// Milliseconds between epochs according to the receiver's times; nil before the second epoch.
    public var period: Int? { order.period }

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

    /// Returns the open epoch as if it ended now; nil while none is open, or while its time must be
    /// confirmed.
    public func unfinished(at now: Instant) -> Epoch? {
        guard case .open = state, !order.holds(epoch) else { return nil }
        var epoch = epoch
        epoch.closed = now
        return epoch
    }

    /// The latest sentence of the open epoch; nil while none is open, or while its time must be
    /// confirmed.
    public var latest: TrailingSentence? { state == .open && !order.holds(epoch) ? epoch.last : nil }

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

    /// Closes and returns the open epoch if the sentence cannot belong to it, or returns the one
    /// before if the sentence confirms its time. Call this with each sentence before
    /// ``add(_:from:at:)``.
    public mutating func close(before sentence: Sentence, from address: Address, at now: Instant) -> Epoch? {
        if state == .open {
            guard startsNextEpoch(sentence, from: address, at: now) else { return nil }
            if let closed = close(at: now) { return closed }
        }
        guard !held.isEmpty, !misdated.contains(address), case .core(let time?) = role(of: sentence),
            order.confirms(time)
        else { return nil }
        return held.popLast()
    }

    /// Adds a sentence. Returns the epoch if this was its last sentence.
    public mutating func add(_ sentence: Sentence, from address: Address, at now: Instant) -> Epoch? {
        guard record(sentence, from: address, at: now), state == .open else { return nil }
        defer { state = .closedEarly }
        return close(at: now)
    }

    /// Records a sentence. Returns whether it is the one that usually ends a burst.
    private mutating func record(_ sentence: Sentence, from address: Address, at now: Instant) -> Bool {
        guard let role = role(of: sentence) else { return false }
        let relation = relation(of: role, from: address)
        if relation == .old {
            oldTime = role.time
            if !core.contains(address) { recordContradiction(sentence, from: address) }
            return false
        }
        if relation == .contradictory { return recordContradictory(sentence, at: role.time, from: address) }
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
            return false
        }
        if case .closedEarly = state, !role.isCore {
            endPredictor.recordMisprediction()
            state = .waiting
        }
        if role.isCore, state != .open { begin(role.time, at: now) }
        recordRole(role, of: address)
        if case .rmc = sentence { contradictions = 0 }
        epoch.merge(sentence, from: address)
        return recordTrailing(sentence, from: address)
    }

    /// Records a core sentence whose time contradicts the burst. It starts no epoch and adds no
    /// position, unless it is a dated RMC that decides the time.
    private mutating func recordContradictory(
        _ sentence: Sentence, at time: TimeOfDay?, from address: Address
    ) -> Bool {
        if case .closedEarly = state {
            endPredictor.recordMisprediction()
            state = .waiting
        }
        contradictorySentences += 1
        if contradictorySentences > EpochAssembler.maxContradictorySentences { misdated = [] }
        if state == .open, core.count < 8, !core.contains(address) { core.append(address) }
        if let time, let current = epoch.time,
            EpochAssembler.interval(between: current, and: time) <= EpochAssembler.sameTimeTolerance
        {
            misdated.removeAll { $0 == address }
            epoch.merge(sentence, from: address)
        } else if state == .open, let time, sentence.isDated, epoch.rmc == nil, decidesTime(time) {
            epoch.time = time
            epoch.forgetPosition()
            epoch.merge(sentence, from: address)
        } else {
            recordContradiction(sentence, from: address)
            epoch.mergeWithoutPosition(sentence, from: address)
        }
        return recordTrailing(sentence, from: address)
    }

    @inline(__always)
    private mutating func recordTrailing(_ sentence: Sentence, from address: Address) -> Bool {
        let trailing = TrailingSentence(sentence, from: address, in: epoch)
        epoch.last = trailing
        return endPredictor.record(trailing.tag)
    }

    private var idleTimeout: Instant.Span {
        min(max(EpochAssembler.minIdle, .milliseconds(Int64((period ?? 0) / 10))), EpochAssembler.maxIdle)
    }

    /// Records that a sentence contradicts the time of the burst. If RMC does so repeatedly, the
    /// times of the burst's other sentences no longer count.
    private mutating func recordContradiction(_ sentence: Sentence, from address: Address) {
        guard sentence.isDated else { return }
        contradictions += 1
        isContradicted = true
        guard contradictions >= EpochAssembler.requiredContradictions else { return }
        contradictions = 0
        misdated = core.filter { $0 != address }
    }

    /// Returns whether the time of a dated RMC is that of the open epoch: unless it alone does not
    /// follow from the epoch before.
    private func decidesTime(_ time: TimeOfDay) -> Bool {
        guard let latest = order.latest else { return true }
        let step = EpochAssembler.step(from: latest, to: time)
        guard step > EpochAssembler.sameTimeTolerance || step < -EpochAssembler.maxDelay else { return false }
        return order.follows(time, openedAt: epoch.opened)
            || !(epoch.time.map { order.follows($0, openedAt: epoch.opened) } ?? false)
    }

    /// Returns the relation of a core sentence's time to the open epoch, or to the last one.
    ///
    /// A receiver's clock went back, and the sentence is current, if a second later time follows
    /// an old one without a current sentence between them.
    @inline(__always)
    private mutating func relation(of role: Sentence.EpochRole, from address: Address) -> Relation {
        guard case .core(let time?) = role else { return .current }
        if misdated.contains(address) { return .contradictory }
        guard let latest = epoch.time ?? order.latest else { return .current }
        let step = EpochAssembler.step(from: latest, to: time)
        let isRepeated = core.contains(address)
        let isInBurst = state == .open && epoch.time != nil && !isRepeated
        if step >= -EpochAssembler.sameBurstTolerance && step <= (isInBurst ? order.maxStep : EpochAssembler.maxDelay) {
            return .current
        }
        if isInBurst { return .contradictory }
        guard step < 0, step >= -EpochAssembler.maxDelay else { return .current }
        if state == .open, order.holds(epoch), order.continues(time, ratherThanFrom: latest) { return .current }
        if let oldTime, EpochAssembler.step(from: oldTime, to: time) > EpochAssembler.sameTimeTolerance {
            return .current
        }
        return .old
    }

    /// Returns the role of a sentence in an epoch.
    ///
    /// A proprietary solution without a time (`PQTMGPS`) starts an epoch only if the receiver never
    /// reports a time. Otherwise it is unclear to which of two epochs the solution belongs.
    // The queries below are mutating because a call of another method copies this large type.
    @inline(__always)
    private mutating func role(of sentence: Sentence) -> Sentence.EpochRole? {
        let role = sentence.epochRole
        guard case .core(nil) = role, case .proprietary = sentence, order.latest ?? epoch.time != nil else {
            return role
        }
        return .untimed
    }

    @inline(__always)
    private mutating func isLate(_ time: TimeOfDay, at now: Instant) -> Bool {
        if let current = epoch.time,
            EpochAssembler.interval(between: current, and: time) <= EpochAssembler.sameTimeTolerance
        {
            return false
        }
        return order.includes(time) && clock.isSameDay(at: now)
    }

    /// Returns whether a time belongs to a burst that was closed too early. This covers Trimble's
    /// times, which differ within a burst.
    @inline(__always)
    private mutating func belongsToClosedBurst(_ time: TimeOfDay, address: Address) -> Bool {
        guard case .closedEarly = state, let closedTime = order.latest, !epoch.hasCore, !core.contains(address) else {
            return false
        }
        return isWithinBurst(EpochAssembler.interval(between: closedTime, and: time))
    }

    private func isWithinBurst(_ interval: Int) -> Bool {
        interval <= EpochAssembler.sameBurstTolerance && interval * 10 < (period ?? 1000) * 3
    }

    /// Returns whether a sentence cannot belong to the open epoch.
    @inline(__always)
    private mutating func startsNextEpoch(_ sentence: Sentence, from address: Address, at now: Instant) -> Bool {
        switch role(of: sentence) {
        case .core(let time?):
            if relation(of: .core(time), from: address) != .current { return false }
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

    private mutating func begin(_ time: TimeOfDay?, at now: Instant) {
        if oldTime != nil, let time, let latest = order.latest, EpochAssembler.step(from: latest, to: time) < 0 {
            order.recordClockSetBack()
        }
        epoch.opened = now
        epoch.time = nil
        clock.recordNewTime(at: now)
        oldTime = nil
        contradictorySentences = 0
        core.removeAll(keepingCapacity: true)
        state = .open
    }

    @inline(__always)
    private mutating func recordRole(_ role: Sentence.EpochRole, of address: Address) {
        guard role.isCore else { return }
        if let time = role.time { epoch.time = epoch.time ?? time }
        if core.count < 8, !core.contains(address) { core.append(address) }
        if role.time == nil, untimed.count < 8 { untimed.append(address) }
    }

    private mutating func close(at now: Instant) -> Epoch? {
        // A late ZDA contains the time of an earlier epoch.
        if epoch.time == nil, let clock = epoch.zda?.time, !isLate(clock, at: now) { epoch.time = clock }
        epoch.closed = now
        let isHeld = order.add(epoch)
        if isHeld { held = [epoch] }
        let closed = isHeld ? nil : epoch
        endPredictor.endEpoch()
        if !isContradicted { contradictions = 0 }
        isContradicted = false
        epoch = Epoch(opened: now)
        untimed.removeAll(keepingCapacity: true)
        state = .waiting
        return closed
    }

    /// Returns the milliseconds from one time of day to another, the shorter interval across
    /// midnight; negative if the other is earlier.
    package static func step(from earlier: TimeOfDay, to later: TimeOfDay) -> Int {
        let gap = interval(between: earlier, and: later)
        let isForward = later.milliseconds >= earlier.milliseconds
        return isForward == (abs(later.milliseconds - earlier.milliseconds) == gap) ? gap : -gap
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

extension Sentence {
    /// Whether the sentence is an RMC with a position and a date that its clock did not start with.
    fileprivate var isDated: Bool {
        guard case .rmc(let rmc) = self, rmc.isValid == true, rmc.position != nil else { return false }
        return rmc.date?.civilDate.map { $0.daysSince1970 > GNSSCalendar.firstDay } ?? false
    }
}
