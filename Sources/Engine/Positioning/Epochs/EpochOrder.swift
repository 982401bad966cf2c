import Chronology
import NMEA

/// The order of a receiver's epochs: decides whether an epoch whose time does not follow from the
/// one before is held back, until a later time confirms it.
///
/// A multiplexer may repeat an old burst, and a damaged sentence may state any time. Such a time
/// stands alone: the next one continues from the time before it. A clock that was set, or a
/// recording with a gap, continues from the new time. Arrival times confirm a gap at once.
struct EpochOrder: Sendable {
    /// The largest step in milliseconds that needs no confirmation while the period is unknown.
    private static let maxUnknownStep = 10_000
    /// The shortest time without an epoch after which any later time follows.
    private static let minFailure = Instant.Span.seconds(5)
    /// The number of epochs to drop before the times of a receiver do not matter: its clock may run
    /// backwards.
    private static let maxDisorder = 3
    /// The longest period in milliseconds of a receiver.
    private static let maxPeriod = 60_000

    /// The last epoch with a time that followed or was confirmed.
    private var last: (time: TimeOfDay, opened: Instant, hasPosition: Bool)?
    /// The epoch that is held back.
    private var held: (time: TimeOfDay, opened: Instant)?
    /// The number of dropped epochs in succession whose times neither continue nor are continued.
    private var disorder = 0
    private var hadPosition = false
    /// Milliseconds of the last two steps.
    private var deltas: (Int, Int)?

    /// Milliseconds between epochs: the shorter of the last two steps, so that one lost epoch does
    /// not double it. Nil before the second epoch.
    var period: Int? { deltas.map { min($0.0, $0.1) } }

    /// The time of the last epoch, confirmed or not.
    var latest: TimeOfDay? { held?.time ?? last?.time }

    func includes(_ time: TimeOfDay) -> Bool {
        isSame(time, last?.time) || isSame(time, held?.time)
    }

    private func isSame(_ time: TimeOfDay, _ other: TimeOfDay?) -> Bool {
        guard let other else { return false }
        return EpochAssembler.interval(between: other, and: time) <= EpochAssembler.sameTimeTolerance
    }

    /// The largest step in milliseconds to the next epoch: one and a half times the longer of the
    /// last two.
    var maxStep: Int { deltas.map { max($0.0, $0.1) * 3 / 2 } ?? EpochOrder.maxUnknownStep }

    /// Returns whether an epoch that began at `opened` may have this time.
    func follows(_ time: TimeOfDay, openedAt opened: Instant) -> Bool {
        guard let last else { return true }
        let step = EpochAssembler.step(from: last.time, to: time) - (last.time.isLeapSecond ? 1000 : 0)
        if step <= maxStep { return step >= -EpochAssembler.sameBurstTolerance }
        let pause = opened - last.opened
        // Buffers may shorten the pause before a burst, and a clock may be set after a failure.
        return pause * 4 >= .milliseconds(Int64(step) * 3)
            || pause >= max(EpochOrder.minFailure, .milliseconds(Int64(maxStep) * 3))
    }

    /// Returns whether an epoch must be held back. Only positions need an order.
    func holds(_ epoch: Epoch) -> Bool {
        guard let time = epoch.time, let last, disorder < EpochOrder.maxDisorder else { return false }
        // A clock may be set when the first position is known, but it does not go back later.
        let isBack = EpochAssembler.step(from: last.time, to: time) < 0
        guard isBack ? hadPosition : last.hasPosition else { return false }
        return !follows(time, openedAt: epoch.opened) && epoch.hasFix
    }

    /// Returns whether a time continues from the last confirmed one rather than from a later one.
    func continues(_ time: TimeOfDay, ratherThanFrom other: TimeOfDay) -> Bool {
        guard let last else { return false }
        let step = EpochAssembler.step(from: last.time, to: time)
        let otherStep = EpochAssembler.step(from: other, to: time)
        return step > EpochAssembler.sameTimeTolerance
            && (otherStep < -EpochAssembler.sameBurstTolerance || step <= otherStep)
    }

    /// Adds an epoch that ended. Returns whether it is held back.
    mutating func add(_ epoch: Epoch) -> Bool {
        guard let time = epoch.time else {
            if !epoch.hasFix { last?.hasPosition = false }
            return false
        }
        if holds(epoch) {
            held = (time, epoch.opened)
            return true
        }
        accept(time, openedAt: epoch.opened, hasPosition: epoch.hasFix)
        return false
    }

    /// Processes the time of the next epoch. Returns whether this confirms the epoch that was held
    /// back; otherwise it is dropped, or remains held back if the time is its own.
    mutating func confirms(_ time: TimeOfDay) -> Bool {
        guard let held, !includes(time) else { return false }
        let step = EpochAssembler.step(from: held.time, to: time)
        // The times of one burst may differ.
        guard step > 0 || step < -EpochAssembler.sameBurstTolerance else { return false }
        let isConfirmed = step > 0 && !continues(time, ratherThanFrom: held.time)
        self.held = nil
        let isContinued = isConfirmed || continues(time, ratherThanFrom: held.time)
        disorder = isContinued ? 0 : disorder + 1
        if isConfirmed { accept(held.time, openedAt: held.opened, hasPosition: true) }
        return isConfirmed
    }

    /// Records that several times have shown that the clock went back.
    mutating func recordClockSetBack() { (last, held) = (nil, nil) }

    private mutating func accept(_ time: TimeOfDay, openedAt opened: Instant, hasPosition: Bool) {
        if let last { updatePeriod(EpochAssembler.interval(between: time, and: last.time)) }
        (last, held) = ((time, opened, hasPosition), nil)
        hadPosition = hadPosition || hasPosition
    }

    private mutating func updatePeriod(_ delta: Int) {
        guard delta > EpochAssembler.sameTimeTolerance, delta <= EpochOrder.maxPeriod else { return }
        deltas = (deltas?.1 ?? delta, delta)
    }
}

extension Epoch {
    /// Whether the receiver reports a valid position.
    fileprivate var hasFix: Bool { position != nil && quality?.isPosition != false }
}

extension TimeOfDay {
    /// Whether a leap second may lie between this time and the next one: 23:59:60 or 24:00:00.
    fileprivate var isLeapSecond: Bool { milliseconds >= Int(UTCTime.millisecondsPerDay) }
}

/// Detects a receiver that keeps reporting a position with a time that does not change.
///
/// Trimble's Placer 450 does so after it loses the satellites: GGA has quality 1, and its clock is
/// frozen.
struct FrozenClockDetector: Sendable {
    /// The age below which a repeated time is a late sentence or a multiplexer's repeat. Equal to
    /// the period of the slowest receivers.
    static let minFrozenDuration = Instant.Span.seconds(2)
    /// The silence after which the same time of day belongs to another day.
    static let sameDayLimit = Instant.Span.seconds(43_200)

    private var lastAdvance = Instant.zero
    private var lastReported = Instant.zero
    /// Whether the receiver reports a position with a frozen time.
    private(set) var isFrozen = false

    /// Records the start of an epoch with another time.
    mutating func recordNewTime(at now: Instant) {
        lastAdvance = now
        lastReported = now
        isFrozen = false
    }

    /// Records a sentence that repeats the time of the previous epoch.
    mutating func recordRepeatedTime(_ sentence: Sentence, at now: Instant) {
        lastReported = now
        if now - lastAdvance >= FrozenClockDetector.minFrozenDuration && sentence.claimsPosition { isFrozen = true }
    }

    /// Returns whether the same time of day can still be the same moment.
    func isSameDay(at now: Instant) -> Bool { now - lastReported < FrozenClockDetector.sameDayLimit }
}

extension Sentence {
    /// Whether the sentence reports that the receiver has a position.
    fileprivate var claimsPosition: Bool {
        switch self {
        case .gga(let gga): gga.position != nil && gga.quality.map { $0 > 0 } ?? false
        case .rmc(let rmc): rmc.position != nil && rmc.isValid == true
        case .gll(let gll): gll.position != nil && gll.isValid == true
        case .proprietary(let proprietary):
            ProprietarySolution(proprietary).map { $0.position != nil && $0.quality.isPosition } ?? false
        default: false
        }
    }
}
