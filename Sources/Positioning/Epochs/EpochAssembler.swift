import Chronology
import NMEA

/// Groups the sentences of one receiver into epochs: exactly one for each moment that it reports, whatever the order of its burst.
///
/// An epoch is over when a sentence of another time comes, when the sentence comes that this receiver's bursts are known to end with, when
/// the line falls idle, when an untimed sentence comes again, or at a hard limit. A sentence that comes late belongs to no epoch and makes
/// none. Only GGA, RMC, GLL, GNS, `PUBX,00` and the sentences that make a ``Solution`` make an epoch; what comes before the first of them
/// waits for it.
public struct EpochAssembler: Sendable {
    /// Milliseconds within which sentences state the same time; clocks drift by a few. SL869 has epochs 10 ms apart when it steps its clock.
    static let sameTime = 9
    /// Trimble R1 and R2 state times up to 50 ms apart in one burst.
    static let sameBurst = 60
    /// The line is idle after this without a byte, at the least: longer than any USB bridge's or FTDI's latency timer holds bytes back.
    static let shortestIdle = Instant.Span.milliseconds(80)
    /// And after this at the most.
    static let longestIdle = Instant.Span.milliseconds(250)
    /// After this without a byte the burst is surely over: longer than any idle, and than a host under load keeps bytes waiting.
    static let rest = Instant.Span.milliseconds(300)

    private enum State {
        /// Nothing of the next epoch has come but sentences that cannot make one.
        case waiting
        /// A core sentence has come.
        case open
        /// The learned last sentence has closed the epoch, and the line has not been idle since.
        case closedEarly
    }

    private var state = State.waiting
    private var epoch = Epoch(opened: .zero)
    /// Core sentences of the present epoch, or of the one before until it begins.
    private var core: [Address] = []
    /// Core sentences of it that carried no time.
    private var untimed: [Address] = []
    private var closedTime: TimeOfDay?
    private var lastDelta: Int?
    private var lastSentence = LastSentence()
    private var lastHeard = Instant.zero
    private var clock = StillClock()

    /// Milliseconds between epochs as the receiver's times tell; nil until two have been seen.
    public private(set) var period: Int?

    /// Whether the receiver goes on telling of a position at a time that does not move; such sentences make no epoch.
    public var clockStandsStill: Bool { clock.isStill }

    /// An assembler that has heard nothing.
    public init() {
        core.reserveCapacity(8)
        untimed.reserveCapacity(8)
    }

    /// When ``tick(at:)`` wants to be called; nil while no epoch is open.
    public var deadline: Instant? {
        guard case .open = state else { return nil }
        let hardLimit = Instant.Span.milliseconds(Int64(period ?? 2000) * 6 / 5)
        return min(lastHeard + idle, max(epoch.opened, lastHeard - hardLimit) + hardLimit)
    }

    /// The open epoch as it were if it ended now; nil while none is open.
    public func unfinished(at now: Instant) -> Epoch? {
        guard case .open = state else { return nil }
        var epoch = epoch
        epoch.closed = now
        return epoch
    }

    /// The latest sentence of the open epoch; nil while none is open.
    public var latest: LastWord? { isOpen ? epoch.last : nil }

    /// Bytes have arrived, be they of a whole sentence or not. Returns the epoch that the silence before them had ended.
    public mutating func heard(at now: Instant) -> Epoch? {
        defer { lastHeard = now }
        let silence = now - lastHeard
        guard silence >= idle else { return nil }
        if case .closedEarly = state { state = .waiting }
        let closed = tick(at: now)
        if silence >= EpochAssembler.rest { lastSentence.rested() }
        return closed
    }

    /// Closes the epoch if its deadline has come.
    public mutating func tick(at now: Instant) -> Epoch? {
        guard let deadline, now >= deadline else { return nil }
        return close(at: now)
    }

    /// The input has ended: whatever is open is over.
    public mutating func finish(at now: Instant) -> Epoch? {
        guard case .open = state else { return nil }
        return close(at: now)
    }

    /// To be called with each sentence before ``take(_:_:at:)``: returns the epoch that it shows to be over.
    public mutating func close(before address: Address, _ sentence: Sentence, at now: Instant) -> Epoch? {
        guard case .open = state, ends(address, sentence, at: now) else { return nil }
        return close(at: now)
    }

    /// Takes a sentence in; returns the epoch if this was its last one.
    public mutating func take(_ address: Address, _ sentence: Sentence, at now: Instant) -> Epoch? {
        guard let timing = timing(of: sentence) else { return nil }
        if let time = timing.time, timing != .clock(time), isLate(time, at: now) || isOfClosedBurst(time, address) {
            // The epoch of this time has been published: one more would be a second fix of the same moment.
            if case .closedEarly = state { lastSentence.wasWrong() } else { lastSentence.cameLate() }
            clock.repeats(sentence, at: now)
            return nil
        }
        if case .closedEarly = state, !timing.isCore {
            lastSentence.wasWrong()
            state = .waiting
        }
        if timing.isCore, !isOpen { begin(at: now) }
        note(timing, address)
        epoch.merge(address, sentence)
        let word = LastWord(address, sentence, in: epoch)
        epoch.last = word
        guard lastSentence.saw(word.tag), case .open = state else { return nil }
        let closed = close(at: now)
        state = .closedEarly
        return closed
    }

    private var idle: Instant.Span {
        min(max(EpochAssembler.shortestIdle, .milliseconds(Int64((period ?? 0) / 10))), EpochAssembler.longestIdle)
    }

    private var isOpen: Bool { if case .open = state { true } else { false } }

    /// A maker's own solution without a time (`PQTMGPS`) makes an epoch only of a receiver that never states one: beside sentences that do,
    /// nothing tells to which of two epochs it belongs.
    private func timing(of sentence: Sentence) -> Sentence.Timing? {
        let timing = sentence.timing
        guard case .core(nil) = timing, case .proprietary = sentence, closedTime ?? epoch.time != nil else { return timing }
        return .untimed
    }

    private func isLate(_ time: TimeOfDay, at now: Instant) -> Bool {
        guard let closedTime, epoch.time.map({ EpochAssembler.apart($0, time) > EpochAssembler.sameTime }) ?? true else { return false }
        return EpochAssembler.apart(closedTime, time) <= EpochAssembler.sameTime && clock.isSameDay(at: now)
    }

    /// Whether a time belongs to the burst that was closed too early, and is one of Trimble's that stand beside the others.
    private func isOfClosedBurst(_ time: TimeOfDay, _ address: Address) -> Bool {
        guard case .closedEarly = state, let closedTime, !epoch.hasCore, !core.contains(address) else { return false }
        return isBeside(EpochAssembler.apart(closedTime, time))
    }

    private func isBeside(_ apart: Int) -> Bool { apart <= EpochAssembler.sameBurst && apart * 10 < (period ?? 1000) * 3 }

    /// Whether a sentence cannot belong to the open epoch.
    private func ends(_ address: Address, _ sentence: Sentence, at now: Instant) -> Bool {
        switch timing(of: sentence) {
        case .core(let time?):
            if isLate(time, at: now) { return false }
            guard let present = epoch.time else { return untimed.contains(address) }
            return !belongs(time, to: present, address)
        case .core(nil):
            return untimed.contains(address) || (epoch.time != nil && core.contains(address))
        case .errors(let time):
            guard let time, let present = epoch.time, !isLate(time, at: now) else { return false }
            return EpochAssembler.apart(present, time) > EpochAssembler.sameBurst
        case .clock(let time):
            // ZDA is the clock, not the fix, and may be seconds off (AC12). It parts epochs only where nothing else tells the time.
            guard epoch.time == nil, let time, let present = epoch.zda?.time else { return false }
            return EpochAssembler.apart(present, time) > EpochAssembler.sameTime
        case .untimed, nil:
            return false
        }
    }

    private func belongs(_ time: TimeOfDay, to present: TimeOfDay, _ address: Address) -> Bool {
        let apart = EpochAssembler.apart(present, time)
        if apart <= EpochAssembler.sameTime { return true }
        return isBeside(apart) && !core.contains(address)
    }

    private mutating func begin(at now: Instant) {
        epoch.opened = now
        epoch.time = nil
        clock.moves(at: now)
        core.removeAll(keepingCapacity: true)
        state = .open
    }

    private mutating func note(_ timing: Sentence.Timing, _ address: Address) {
        guard timing.isCore else { return }
        if let time = timing.time { epoch.time = epoch.time ?? time }
        if core.count < 8, !core.contains(address) { core.append(address) }
        if timing.time == nil, untimed.count < 8 { untimed.append(address) }
    }

    private mutating func close(at now: Instant) -> Epoch {
        // A clock that came late states the time of an epoch before this one.
        if epoch.time == nil, let clock = epoch.zda?.time, !isLate(clock, at: now) { epoch.time = clock }
        epoch.closed = now
        let closed = epoch
        if let time = closed.time {
            if let closedTime { learnPeriod(EpochAssembler.apart(time, closedTime)) }
            closedTime = time
        }
        lastSentence.closeEpoch()
        epoch = Epoch(opened: now)
        untimed.removeAll(keepingCapacity: true)
        state = .waiting
        return closed
    }

    /// The shorter of the last two steps: one lost epoch does not double the period.
    private mutating func learnPeriod(_ delta: Int) {
        guard delta > EpochAssembler.sameTime, delta <= 10_000 else { return }
        period = min(delta, lastDelta ?? delta)
        lastDelta = delta
    }

    /// Milliseconds between two times of day, the short way round midnight. The leap second 23:59:60 lies a second before 00:00:00.
    static func apart(_ a: TimeOfDay, _ b: TimeOfDay) -> Int {
        let day = Int(UTCTime.day)
        let gap = abs(a.milliseconds - b.milliseconds)
        let round = day + (max(a.milliseconds, b.milliseconds) >= day ? 1000 : 0)
        return min(gap, round - gap)
    }
}
