import Chronology

/// When a port is read: at every byte that arrives, or once a burst, or once in several.
///
/// A receiver at 9,600 baud spreads the ten lines of a second over half of it, and a reader that wakes for each of them wakes ten times for
/// one fix. Bursts come as regularly as the receiver's clock, so after a few the end of the next is known: the descriptor is left alone until
/// then, and one read takes what the kernel has kept. When an expected burst comes late or not whole, the descriptor is watched again until it
/// is; and now and then anyway, so that the two clocks do not drift apart.
public struct ReadSchedule: Sendable {
    /// How soon somebody wants what arrives.
    public enum Pace: Sendable, Hashable {
        /// As soon as it is there.
        case atOnce
        /// At the end of each burst.
        case everyBurst
        /// At the end of a burst, and not more often than this.
        case atMostEvery(Instant.Span)
    }

    /// What was seen of the receiver's rhythm.
    private struct Rhythm: Sendable {
        var period: Instant.Span
        var bytes: Int
        /// End of the last burst that was watched.
        var seen: Instant
        /// Bursts since then; those that were not watched have the end that was foretold.
        var since = 0
        /// Bursts that may pass until one is watched again.
        var trust = ReadSchedule.firstTrust

        func end(after bursts: Int) -> Instant { seen + Instant.Span(nanoseconds: period.nanoseconds &* Int64(since + bursts)) }
    }

    private enum State {
        /// Every byte wakes the reader.
        case watching
        /// Nothing but time does.
        case asleep(until: Instant)
        /// The same, until shortly before the end of a burst that is to be seen.
        case approaching(until: Instant)
        /// A burst has begun and is left to the kernel until it is whole; one of unknown beginning or length teaches nothing.
        case gathering(since: Instant, until: Instant, teaches: Bool)
    }

    /// Bursts in a row that must come alike.
    static let lessons = 3
    /// By how much two steps may differ and be alike: USB and a busy host delay a burst's end by milliseconds.
    static let tolerance = Instant.Span.milliseconds(30)
    /// How long after a burst's expected end it is read: its end wanders with the lengths of its lines, at 9,600 baud a millisecond a letter.
    static let margin = Instant.Span.milliseconds(25)
    /// How long before its expected end a burst is watched whose end is to be seen. Its beginning tells nothing, and may wake the reader forty
    /// times: a UART hands over every eight bytes, FTDI's converters every 16 ms.
    static let approach = Instant.Span.milliseconds(60)
    /// Bursts after which one is watched, at first; then twice as many each time, while the foretold end was right.
    static let firstTrust = 8
    static let mostTrust = 128
    /// Bytes that may be left to the kernel: its line buffer holds 4,095, and what comes beyond is lost.
    static let mostBytes = 3500
    /// What a receiver says beside its bursts, answers and what it says of itself at its start, is left to the kernel for so long: a third
    /// of the time that a driver waits for an answer.
    static let talk = Instant.Span.milliseconds(500)
    /// A burst that lasts longer is not waited for as a whole.
    static let longestBurst = Instant.Span.milliseconds(900)
    /// A pause longer than this parts one burst from the next, or from what was said between them: a line at 4,800 baud takes 170 ms.
    static let longestLine = Instant.Span.milliseconds(300)
    /// Bursts missed in a row after which the receiver has slept: its period is the old one, its beat begins anew.
    static let rested = 20
    /// The longest sleep: the interval of a `default` stream. Longer, and it would be mistaken for silence of the receiver.
    static let longestSleep = Instant.Span.seconds(5.1)

    /// How soon somebody wants what arrives. More haste takes effect at once.
    public private(set) var pace = Pace.atOnce
    private var state = State.watching
    private var rhythm: Rhythm?
    private var lastEnd: Instant?
    private var lastStep: Instant.Span?
    private var alike = 0
    private var bytes = 0
    /// Epochs closed by reads after which something was still open: the last line of a burst may come in two pieces.
    private var unfinished = 0
    /// When the burst at hand began, and how long the last one that was watched took.
    private var began: Instant?
    private var lastRead: Instant?
    private var length: Instant.Span?
    /// Of the burst at hand only the end is watched: it does not tell how long it took.
    private var seesOnlyEnd = false

    /// The schedule of a port that has not been heard.
    public init() {}

    /// Whether bytes that arrive shall wake the reader.
    public var watches: Bool { if case .watching = state { true } else { false } }

    /// When the port is to be read though nothing woke the reader.
    public var deadline: Instant? {
        switch state {
        case .watching: nil
        case .asleep(let until), .approaching(let until), .gathering(_, let until, _): until
        }
    }

    /// Bytes have arrived and woken a reader who watches. Whether he shall leave them until the ``deadline``: nobody is in a hurry, and how
    /// long a burst takes is known, so that its end need not be waited for line by line.
    ///
    /// - Parameter isTalking: More than bursts may come, such as answers to what was written.
    public mutating func leaves(at now: Instant, isTalking: Bool = false) -> Bool {
        // What was read long ago is no part of a burst that begins now.
        if let lastRead, now - lastRead > ReadSchedule.longestBurst { bytes = 0 }
        // An epoch that has begun would be taken for one that silence has ended.
        guard case .watching = state, pace != .atOnce, bytes == 0 else { return false }
        if let length {
            state = .gathering(since: now, until: now + length + ReadSchedule.margin, teaches: true)
        } else if isTalking {
            state = .gathering(since: now, until: now + ReadSchedule.talk, teaches: false)
        } else {
            return false
        }
        return true
    }

    /// Sets how soon somebody wants what arrives.
    public mutating func setPace(_ pace: Pace) {
        guard pace != self.pace else { return }
        self.pace = pace
        if case .atOnce = pace { state = .watching }
    }

    /// Something was written to the receiver: what it says next, or that it says nothing, is to be seen when it happens. Bytes left to the
    /// kernel would be taken for an answer, or for the talk of a receiver that was told to sleep.
    public mutating func wrote() {
        switch state {
        case .asleep, .approaching: state = .watching
        case .watching, .gathering: break
        }
    }

    /// Nothing is expected before an instant that is worth a wakeup, as while a receiver starts and says who it is.
    public mutating func passOver(until: Instant, at now: Instant) {
        guard pace != .atOnce, until > now, until - now <= ReadSchedule.longestSleep else { return }
        state = .gathering(since: now, until: until, teaches: false)
    }

    /// The port was opened anew, or talks at another speed.
    public mutating func restart() {
        let pace = pace
        self = ReadSchedule()
        self.pace = pace
    }

    /// Takes note of a read.
    ///
    /// - Parameters:
    ///   - count: bytes it gave; 0 where nothing was there.
    ///   - closed: how many epochs were closed in it.
    ///   - isOpen: whether an epoch has been begun and not closed, or a sentence.
    public mutating func read(_ count: Int, closed: Int, isOpen: Bool, at now: Instant) {
        if count > 0 {
            if bytes == 0 || lastRead.map({ now - $0 > ReadSchedule.longestLine }) ?? true { began = now }
            lastRead = now
        }
        bytes += count
        let isOver = closed + unfinished > 0 && !isOpen
        unfinished = isOpen ? unfinished + closed : 0
        switch state {
        case .watching:
            guard isOver else { break }
            if !seesOnlyEnd, let began, began < now, now - began <= ReadSchedule.longestBurst { length = now - began }
            seesOnlyEnd = false
            ended(at: now)
            fallAsleep(at: now)
        case .approaching:
            state = .watching
            seesOnlyEnd = true
            // Over already: its end has moved by more than clocks drift.
            if closed > 0 { forget() }
        case .gathering(let since, _, let teaches):
            state = .watching
            began = since
            guard teaches, isOver else {
                // An answer between two bursts: the next one may be gathered all the same.
                if !isOpen { bytes = 0 }
                break
            }
            ended(at: min(now, since + (length ?? .zero)))
            fallAsleep(at: now)
        case .asleep:
            state = .watching
            // Late, or cut short by a receiver that has become slower: the rest is watched, and tells where the burst now ends.
            guard closed > 0 && !isOpen, var known = rhythm else { break }
            let slept = max(1, elapsed(known, now))
            known.since += slept
            bytes = 0
            // Another rate than was learned: begin anew.
            guard closed == slept else { return forget() }
            rhythm = known
            fallAsleep(at: now)
        }
    }

    /// A burst was seen to end.
    private mutating func ended(at now: Instant) {
        defer {
            lastEnd = now
            bytes = 0
        }
        if let known = rhythm {
            rhythm = corrected(known, now)
            return
        }
        guard let lastEnd else { return }
        let step = now - lastEnd
        alike = lastStep.map { ReadSchedule.isAlike($0, step) } ?? false ? alike + 1 : 1
        lastStep = step
        guard alike >= ReadSchedule.lessons, step > .zero else { return }
        rhythm = Rhythm(period: ReadSchedule.whole(step), bytes: bytes, seen: now)
    }

    /// The period that a step of a burst's end means: receivers keep to multiples of 50 ms, and the ends of their bursts do not.
    private static func whole(_ step: Instant.Span) -> Instant.Span {
        let unit: Int64 = 50_000_000
        return step < .milliseconds(200) ? step : Instant.Span(nanoseconds: (step.nanoseconds + unit / 2) / unit * unit)
    }

    private mutating func forget() {
        (rhythm, lastEnd, lastStep, alike) = (nil, nil, nil, 0)
    }

    /// The rhythm after a burst that ended now: finer where it came as foretold, none where it did not.
    private func corrected(_ known: Rhythm, _ now: Instant) -> Rhythm? {
        let bursts = max(1, known.since + elapsed(known, now))
        let foretold = known.seen + Instant.Span(nanoseconds: known.period.nanoseconds &* Int64(bursts))
        guard ReadSchedule.isAlike(now - known.seen, foretold - known.seen) else {
            return elapsed(known, now) > ReadSchedule.rested ? Rhythm(period: known.period, bytes: max(bytes, known.bytes), seen: now) : nil
        }
        var next = Rhythm(period: known.period, bytes: max(bytes, known.bytes * 3 / 4), seen: now)
        next.period = Instant.Span(nanoseconds: (now - known.seen).nanoseconds / Int64(bursts))
        let wasOnTime = ReadSchedule.isWithin(ReadSchedule.margin, now, foretold)
        next.trust = wasOnTime ? min(known.trust * 2, ReadSchedule.mostTrust) : ReadSchedule.firstTrust
        return next
    }

    /// Whole periods from the last known end to now.
    private func elapsed(_ known: Rhythm, _ now: Instant) -> Int {
        let passed = (now - known.end(after: 0)).nanoseconds
        let half = known.period.nanoseconds / 2
        return Int((passed + half) / max(1, known.period.nanoseconds))
    }

    private mutating func fallAsleep(at now: Instant) {
        guard pace != .atOnce, let known = rhythm else { return }
        guard known.since < known.trust else {
            // Where the length of a burst is known, its beginning tells its end as well, and costs no wakeup more.
            guard length == nil else { return }
            let until = known.end(after: 1) - ReadSchedule.approach
            if until > now { state = .approaching(until: until) }
            return
        }
        let bursts = burstsAtOnce(known)
        let until = known.end(after: bursts) + ReadSchedule.margin
        guard until > now else { return }
        state = .asleep(until: until)
    }

    private func burstsAtOnce(_ known: Rhythm) -> Int {
        guard case .atMostEvery(let span) = pace else { return 1 }
        let byTime = min(span, ReadSchedule.longestSleep).nanoseconds / max(1, known.period.nanoseconds)
        let byRoom = ReadSchedule.mostBytes / max(1, known.bytes)
        return max(1, min(Int(byTime), byRoom, known.trust - known.since))
    }

    private static func isAlike(_ a: Instant.Span, _ b: Instant.Span) -> Bool {
        Instant.Span(nanoseconds: abs((a - b).nanoseconds)) <= tolerance
    }

    private static func isWithin(_ span: Instant.Span, _ a: Instant, _ b: Instant) -> Bool {
        Instant.Span(nanoseconds: abs((a - b).nanoseconds)) <= span
    }
}
