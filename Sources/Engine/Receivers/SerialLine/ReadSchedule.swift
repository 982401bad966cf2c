import Chronology
import Locator

/// Decides when to read a port: at every byte, once per burst, or once in several bursts.
///
/// A receiver at 9,600 baud spreads the ten lines of a second over half of it. A reader that wakes
/// for each line wakes ten times for one fix. Bursts are as regular as the receiver's clock, so
/// after a few the end of the next is predictable. The schedule ignores the descriptor until then,
/// and one read returns what the kernel has buffered.
///
/// If an expected burst is late or incomplete, the schedule watches the descriptor again until the
/// burst is complete. It also does so from time to time, so that the two clocks do not drift apart.
package struct ReadSchedule: Sendable {
    /// The observed timing of the receiver's bursts.
    private struct BurstTiming: Sendable {
        var period: Instant.Span
        var bytes: Int
        var lastObservedEnd: Instant
        /// The number of bursts since then; the ends of unobserved bursts are predicted.
        var burstsSince = 0
        /// The number of bursts that may pass until one is observed again.
        var burstsUntilObserved = ReadSchedule.minUnobservedBursts

        func end(after bursts: Int) -> Instant {
            lastObservedEnd + period * (burstsSince + bursts)
        }
    }

    private enum State {
        /// Every byte wakes the reader.
        case watching
        /// Only the timer wakes the reader.
        case asleep(until: Instant)
        /// Only the timer wakes the reader, shortly before the end of a burst that is to be
        /// observed.
        case approaching(until: Instant)
        /// A burst has begun and stays in the kernel until it is complete. If its start or length
        /// is unknown, its timing is not measured.
        case gathering(since: Instant, until: Instant, measuresBurst: Bool)
    }

    /// The number of consecutive equal intervals needed to predict the next burst.
    static let requiredMatches = 3
    /// The maximum difference between two equal intervals: USB and a busy host delay the end of a
    /// burst by milliseconds.
    static let tolerance = Instant.Span.milliseconds(30)
    /// The delay of a read after the expected end of a burst: the end varies with the lengths of
    /// the lines, by a millisecond per character at 9,600 baud.
    static let margin = Instant.Span.milliseconds(25)
    /// How long before its expected end the schedule starts to watch a burst. The start of a burst
    /// gives no information and may wake the reader forty times: a UART delivers every eight bytes,
    /// FTDI converters deliver every 16 ms.
    static let approach = Instant.Span.milliseconds(60)
    /// The initial number of bursts after which one is observed. It doubles each time that the
    /// predicted end was right, up to the maximum.
    static let minUnobservedBursts = 8
    static let maxUnobservedBursts = 128
    /// The maximum number of bytes to leave in the kernel: its line buffer holds 4,095, and further
    /// bytes are lost.
    static let maxBytes = 3500
    /// How long data outside bursts, such as replies and boot messages, stays in the kernel: a
    /// third of the driver's timeout for a reply.
    static let replyDelay = Instant.Span.milliseconds(500)
    /// The maximum duration of a burst that is read as a whole.
    static let maxBurst = Instant.Span.milliseconds(900)
    /// The maximum pause within a burst. A longer pause separates a burst from the next, or from
    /// data between them: a line at 4,800 baud takes 170 ms.
    static let maxPauseInBurst = Instant.Span.milliseconds(300)
    /// The number of consecutive missed bursts after which the receiver is assumed to have slept.
    /// Its period is kept, and its phase starts again.
    static let missedBurstLimit = 20
    /// The longest sleep: the interval of a `default` stream. A longer sleep would be mistaken for
    /// silence of the receiver.
    static let maxSleep = Instant.Span.seconds(5.1)

    /// How soon received data is needed. A change to `immediate` takes effect immediately.
    package private(set) var policy = ReadPolicy.immediate
    private var state = State.watching
    private var timing: BurstTiming?
    private var lastEnd: Instant?
    private var lastStep: Instant.Span?
    private var matchingIntervals = 0
    private var bytes = 0
    /// Epochs closed by reads after which an epoch or sentence was still open: the last line of a
    /// burst may arrive in two parts.
    private var unfinished = 0
    /// When the current burst began; `length` is the duration of the last observed burst.
    private var began: Instant?
    private var lastRead: Instant?
    private var length: Instant.Span?
    /// Whether only the end of the current burst is observed, so that its duration is unknown.
    private var isStartUnknown = false
    private var start = BurstStart()

    /// Creates a schedule for a port without received data.
    package init() {}

    /// Whether received bytes shall wake the reader.
    package var wakesOnData: Bool { if case .watching = state { true } else { false } }

    /// When to read the port although no data woke the reader.
    package var deadline: Instant? {
        switch state {
        case .watching: nil
        case .asleep(let until), .approaching(let until), .gathering(_, let until, _): until
        }
    }

    /// When the first byte of the burst that is being read arrived; nil if that was not observed.
    /// Call ``beginRead(at:)`` before.
    package var burstStart: Instant? { start.instant }

    /// Records that bytes are about to be processed; ``read(_:closed:isOpen:at:)`` follows.
    package mutating func beginRead(at now: Instant) {
        switch state {
        case .watching: start.recordArrival(at: now)
        case .gathering(_, _, measuresBurst: true): start.recordRead(at: now)
        case .gathering, .approaching, .asleep: start.recordUnnoticed(at: now)
        }
    }

    /// Returns whether newly arrived bytes should stay in the kernel until the ``deadline``. That
    /// is so if no data is needed immediately and the duration of a burst is known, so that the
    /// reader need not wake for each line.
    ///
    /// - Parameter mayReceiveReplies: Whether data other than bursts may arrive, such as replies to
    ///   commands.
    package mutating func shouldDeferRead(at now: Instant, mayReceiveReplies: Bool = false) -> Bool {
        // Data read long ago is not part of a burst that begins now.
        if let lastRead, now - lastRead > ReadSchedule.maxBurst { bytes = 0 }
        // A pause in an epoch that has begun would be mistaken for its end.
        guard case .watching = state, policy != .immediate, bytes == 0 else { return false }
        if let length {
            start.recordArrival(at: now)
            state = .gathering(since: now, until: now + length + ReadSchedule.margin, measuresBurst: true)
        } else if mayReceiveReplies {
            state = .gathering(since: now, until: now + ReadSchedule.replyDelay, measuresBurst: false)
        } else {
            return false
        }
        return true
    }

    /// Sets how soon received data is needed.
    package mutating func setPolicy(_ policy: ReadPolicy, at now: Instant) {
        guard policy != self.policy else { return }
        let wasTimed = self.policy == .timedBurst
        self.policy = policy
        switch (policy, state) {
        case (.immediate, _), (.timedBurst, .asleep), (.timedBurst, .approaching):
            state = .watching
            start.watch(at: now)
        case (.everyBurst, .watching), (.interval, .watching):
            // The next burst need not wake the reader at its beginning.
            if wasTimed, bytes == 0 { fallAsleep(at: now) }
        case (.timedBurst, _), (.everyBurst, _), (.interval, _): break
        }
    }

    /// Watches the port again after a write to the receiver, because its next data or its silence
    /// must be observed immediately. Bytes left in the kernel would be mistaken for a reply, or
    /// for output of a receiver that was put to sleep.
    package mutating func wrote() {
        switch state {
        case .asleep, .approaching: state = .watching
        case .watching, .gathering: break
        }
        // What follows may be a reply, which begins no burst.
        start.ignore()
    }

    /// Delays reading until an instant because no data before it is worth a wakeup, as while a
    /// receiver sends its boot messages.
    package mutating func ignoreInput(until: Instant, at now: Instant) {
        guard policy != .immediate, until > now, until - now <= ReadSchedule.maxSleep else { return }
        state = .gathering(since: now, until: until, measuresBurst: false)
    }

    /// Restarts the schedule after the port was reopened or its baud rate changed.
    package mutating func restart() {
        let policy = policy
        self = ReadSchedule()
        self.policy = policy
    }

    /// Records a read.
    ///
    /// - Parameters:
    ///   - count: The number of bytes read; 0 if there was no data.
    ///   - closed: The number of epochs closed by the read.
    ///   - isOpen: Whether an epoch or a sentence has begun and is not complete.
    package mutating func read(_ count: Int, closed: Int, isOpen: Bool, at now: Instant) {
        defer { if wakesOnData { start.watch(at: now) } else { start.ignore() } }
        if count > 0 {
            if bytes == 0 || lastRead.map({ now - $0 > ReadSchedule.maxPauseInBurst }) ?? true { began = now }
            lastRead = now
        }
        bytes += count
        let isOver = closed + unfinished > 0 && !isOpen
        unfinished = isOpen ? unfinished + closed : 0
        switch state {
        case .watching:
            guard isOver else { break }
            if !isStartUnknown, let began, began < now, now - began <= ReadSchedule.maxBurst { length = now - began }
            isStartUnknown = false
            ended(at: now)
            fallAsleep(at: now)
        case .approaching:
            state = .watching
            isStartUnknown = true
            // The burst is already over: its end has moved by more than clock drift.
            if closed > 0 { forget() }
        case .gathering(let since, _, let measuresBurst):
            state = .watching
            began = since
            guard measuresBurst, isOver else {
                // A reply between two bursts; the next burst may still be left in the kernel.
                if !isOpen { bytes = 0 }
                break
            }
            ended(at: min(now, since + (length ?? .zero)))
            fallAsleep(at: now)
        case .asleep:
            state = .watching
            // The burst is late, or incomplete because the receiver became slower. The schedule
            // watches the rest to find where the burst now ends.
            guard closed > 0 && !isOpen, var timing else { break }
            let slept = max(1, elapsed(timing, at: now))
            timing.burstsSince += slept
            bytes = 0
            // The rate has changed: learn the timing again.
            guard closed == slept else { return forget() }
            self.timing = timing
            fallAsleep(at: now)
        }
    }

    /// Processes the observed end of a burst.
    private mutating func ended(at now: Instant) {
        defer {
            lastEnd = now
            bytes = 0
        }
        if let timing {
            self.timing = corrected(timing, at: now)
            return
        }
        guard let lastEnd else { return }
        let step = now - lastEnd
        matchingIntervals = lastStep.map { ReadSchedule.isEqual($0, step) } ?? false ? matchingIntervals + 1 : 1
        lastStep = step
        guard matchingIntervals >= ReadSchedule.requiredMatches, step > .zero else { return }
        timing = BurstTiming(period: ReadSchedule.roundedPeriod(step), bytes: bytes, lastObservedEnd: now)
    }

    /// Returns the period for an interval between burst ends. Receivers use multiples of 50 ms, but
    /// the ends of their bursts vary.
    private static func roundedPeriod(_ step: Instant.Span) -> Instant.Span {
        let unit: Int64 = 50_000_000
        return step < .milliseconds(200) ? step : Instant.Span(nanoseconds: (step.nanoseconds + unit / 2) / unit * unit)
    }

    private mutating func forget() {
        timing = nil
        lastEnd = nil
        lastStep = nil
        matchingIntervals = 0
    }

    /// Returns the timing after a burst that ended at `now`: refined if the burst arrived as
    /// predicted, otherwise nil.
    private func corrected(_ timing: BurstTiming, at now: Instant) -> BurstTiming? {
        let bursts = max(1, timing.burstsSince + elapsed(timing, at: now))
        let predicted = timing.lastObservedEnd + timing.period * bursts
        guard ReadSchedule.isEqual(now - timing.lastObservedEnd, predicted - timing.lastObservedEnd) else {
            return elapsed(timing, at: now) > ReadSchedule.missedBurstLimit
                ? BurstTiming(period: timing.period, bytes: max(bytes, timing.bytes), lastObservedEnd: now) : nil
        }
        var next = BurstTiming(period: timing.period, bytes: max(bytes, timing.bytes * 3 / 4), lastObservedEnd: now)
        next.period = Instant.Span(nanoseconds: (now - timing.lastObservedEnd).nanoseconds / Int64(bursts))
        let wasOnTime = ReadSchedule.isEqual(
            now - timing.lastObservedEnd, predicted - timing.lastObservedEnd, within: ReadSchedule.margin)
        next.burstsUntilObserved =
            wasOnTime
            ? min(timing.burstsUntilObserved * 2, ReadSchedule.maxUnobservedBursts) : ReadSchedule.minUnobservedBursts
        return next
    }

    /// Returns the number of whole periods from the last known end to `now`.
    private func elapsed(_ timing: BurstTiming, at now: Instant) -> Int {
        let passed = (now - timing.end(after: 0)).nanoseconds
        let half = timing.period.nanoseconds / 2
        return Int((passed + half) / max(1, timing.period.nanoseconds))
    }

    private mutating func fallAsleep(at now: Instant) {
        guard policy != .immediate, policy != .timedBurst, let timing else { return }
        guard timing.burstsSince < timing.burstsUntilObserved else {
            // If the duration of a burst is known, its start also determines its end, without an
            // extra wakeup.
            guard length == nil else { return }
            let until = timing.end(after: 1) - ReadSchedule.approach
            if until > now { state = .approaching(until: until) }
            return
        }
        let bursts = burstsPerRead(timing)
        let until = timing.end(after: bursts) + ReadSchedule.margin
        guard until > now else { return }
        state = .asleep(until: until)
    }

    private func burstsPerRead(_ timing: BurstTiming) -> Int {
        guard case .interval(let span) = policy else { return 1 }
        let byTime = min(span, ReadSchedule.maxSleep).nanoseconds / max(1, timing.period.nanoseconds)
        let byCapacity = ReadSchedule.maxBytes / max(1, timing.bytes)
        return max(1, min(Int(byTime), byCapacity, timing.burstsUntilObserved - timing.burstsSince))
    }

    private static func isEqual(
        _ a: Instant.Span, _ b: Instant.Span, within tolerance: Instant.Span = ReadSchedule.tolerance
    ) -> Bool {
        Instant.Span(nanoseconds: abs((a - b).nanoseconds)) <= tolerance
    }
}

/// When the first byte of the current burst arrived, if the port was watched at that time.
///
/// The delay from an epoch to the first byte of its burst varies less than that to the last one,
/// whose position depends on the number of satellites.
struct BurstStart: Sendable {
    /// The shortest time without a byte between two bursts, as in `EpochAssembler`: USB bridges and
    /// FTDI latency timers hold bytes back for less.
    static let minSilence = Instant.Span.milliseconds(80)

    /// When the first byte arrived; nil if that was not observed.
    private(set) var instant: Instant?
    /// Since when every byte has woken the reader; nil while that is unknown.
    private var watchedSince: Instant?
    private var lastArrival: Instant?

    /// Records that every byte wakes the reader from now on.
    mutating func watch(at now: Instant) { watchedSince = watchedSince ?? now }

    /// Records that bytes may arrive unnoticed from now on.
    mutating func ignore() { watchedSince = nil }

    /// Records that bytes have woken the reader. They begin a burst if none arrived for
    /// ``minSilence``, which is known only if the port was watched for that time.
    mutating func recordArrival(at now: Instant) {
        let isSilent = lastArrival.map { now - $0 >= BurstStart.minSilence } ?? true
        if isSilent {
            instant = watchedSince.map { now - $0 >= BurstStart.minSilence } ?? false ? now : nil
        }
        lastArrival = now
        watch(at: now)
    }

    /// Records a read of bytes of which at least the first arrived unnoticed.
    mutating func recordUnnoticed(at now: Instant) {
        instant = nil
        lastArrival = now
    }

    /// Records a read of a burst whose first byte was observed.
    mutating func recordRead(at now: Instant) { lastArrival = now }
}
