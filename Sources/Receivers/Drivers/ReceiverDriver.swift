import Chronology
import Delivery
import NMEA

/// Makes one receiver do what the planner wants, over its serial line, and sees to it that it did.
///
/// A value: bytes and instants in, ``DriverAction``s out. It writes nothing before the port has shown GNSS NMEA, except to wake a receiver
/// known to sleep; nothing at all when passive. Everything it sets is in the receiver's RAM and is taken back at the end. What a receiver
/// does not do is noticed by what it then sends, remembered, and not asked again; what remains is to close the port.
public struct ReceiverDriver: Sendable {
    /// What a driver is told of its port.
    public struct Settings: Sendable {
        /// Never writes.
        public var isPassive = false
        /// The port is the receiver's own USB port, not a converter.
        public var isNativeUSB = false
        /// Bits per second of the line; nil where it has no speed.
        public var baud: Int?
        /// What is known of the receiver beforehand.
        public var evidence = ReceiverEvidence()
        /// What an earlier life of the program left behind.
        public var memory: ReceiverMemory?
        /// The port may be closed while nobody needs the receiver.
        public var mayClose = true

        /// A port nothing is known of.
        public init() {}
    }

    /// What it is about.
    enum Phase: Sendable {
        /// The port is not open, and not by this driver's doing.
        case absent
        /// Nothing is written: no GNSS NMEA has come yet. A receiver known to sleep is woken at the instant.
        case unproven(rouse: Instant?)
        /// GNSS NMEA comes; what it says of itself is gathered. Without an instant it has fallen silent, and is asked when it is heard again.
        case listening(until: Instant?)
        /// It is asked who it is.
        case questioning
        /// It is told how to work.
        case configuring
        /// It is seen whether it does.
        case watching(until: Instant)
        /// All is done.
        case working
        /// It is told to rest.
        case fallingAsleep(SleepMethod)
        /// It is heard whether it falls silent.
        case hushing(SleepMethod, until: Instant)
        /// It rests; wakes by itself at the instant.
        case asleep(SleepMethod, wakes: Instant?)
        /// It is being woken.
        case waking(SleepMethod, attempt: Int, WakingStep)
        /// The port is closed, since nobody needs what comes.
        case closed
        /// The port is to be opened again.
        case opening
        /// Everything is taken back; the wake byte, if any, has been written and takes until the instant.
        case finishing(after: Instant)
        /// Nothing more will come.
        case finished
    }

    /// The steps of waking.
    enum WakingStep: Sendable {
        /// The wake byte is out; commands would be lost.
        case pausing(until: Instant)
        /// Commands that resume.
        case resuming
        /// It should talk by then.
        case awaiting(until: Instant)
    }

    var settings: Settings
    var phase = Phase.absent
    var plan = ReceiverPlan.run(RunPlan())
    var lastRun = RunPlan()
    var evidence: ReceiverEvidence
    var chip: ReceiverChip?
    var table = CommandTable(family: .generic)
    var script = CommandScript()
    var ear = CommandEar()
    var proof = GNSSProof()
    var watch = PeriodWatch()
    var lastHeard: Instant?
    /// What the receiver was set to before anything was written, and what it is set to now.
    var initial = RunSettings()
    var present = RunSettings()
    var wanted = RunSettings()
    /// What the receiver sent before anything was written.
    var initialSentences: HeardSentences = []
    /// What has not worked, and is not tried again.
    var shortcomings = Shortcomings()
    /// Whether full operation has been restored since the receiver was found.
    var isRestored = false
    /// Signs of obedience in the present series of commands.
    var series = CommandSeries()
    /// Sleeps with a timer that the line was seen to end before it: they may be longer.
    var provenWakes: Set<SleepMethod.Name> = []
    /// When the receiver that is being woken would have woken by itself.
    var wakesAt: Instant?
    /// Times a receiver has woken unbidden in a row.
    var unbiddenWakes = 0
    /// Time to the next attempt to wake a receiver that does not answer.
    var patience = ReceiverDriver.firstPatience
    /// How long a receiver known to sleep is listened to before it is woken.
    var rousingPause = ReceiverDriver.rousingTime
    private var actions: [DriverAction] = []

    /// A driver of a port that is not open yet.
    public init(_ settings: Settings = Settings()) {
        self.settings = settings
        evidence = settings.evidence
    }
}

extension ReceiverDriver {
    /// Time for a receiver to say of itself what it says unasked, before it is asked.
    static let listeningTime = Instant.Span.seconds(3)
    /// Silence after which a receiver known to sleep is woken.
    static let rousingTime = Instant.Span.seconds(2.5)
    /// From the wake byte to the first command that is heard ([UB M9N 3.11.2.3.1]).
    static let wakingTime = Instant.Span.milliseconds(500)
    /// From waking to the end of what a receiver says of itself: half a second, and ten lines at 9,600 baud.
    static let bootTime = Instant.Span.seconds(1)
    /// A rest shorter than this is not worth its commands.
    static let shortestRest = Instant.Span.seconds(5)
    /// Seconds to which the timer of a receiver is set that the line is known to wake: it brings it back should this program die.
    static let longestTimer = 3600
    /// Seconds by which such a timer outlasts the rest that is planned.
    static let timerSlack = 10
    static let firstPatience = Instant.Span.seconds(60)
    static let longestPatience = Instant.Span.seconds(960)

    /// Lets something happen to it where it is kept: it is too large to be moved out and in for every line.
    public mutating func note(_ event: (inout ReceiverDriver) -> Void) { event(&self) }

    /// What is to be done; empty until something happens again.
    public mutating func takeActions() -> [DriverAction] {
        defer { actions.removeAll() }
        return actions
    }

    /// When ``advance(to:)`` has something to do; nil when only the receiver or the planner can cause that.
    public var deadline: Instant? {
        switch phase {
        case .absent, .working, .opening, .finished: nil
        case .unproven(let rouse): rouse
        case .listening(let until): until
        case .watching(let until), .hushing(_, let until): earliest(until, hushed)
        case .questioning, .configuring, .fallingAsleep, .waking(_, _, .resuming): script.deadline
        case .asleep(let method, let wakes): earliest(method.waking == .timer ? nil : planEnd, wakes.map { $0 + .seconds(10) })
        case .waking(_, _, .pausing(let until)), .waking(_, _, .awaiting(let until)): until
        case .closed: planEnd
        case .finishing(let after): script.isDone ? after : earliest(nil, script.deadline.map { max($0, after) })
        }
    }

    /// Whether bytes are of use: while false, ``heard(_:at:)`` does nothing but note the time.
    public var isListening: Bool {
        switch phase {
        case .absent, .working, .closed, .opening, .finished: false
        default: true
        }
    }

    /// Until when nothing it says matters: a receiver that is being woken tells first who it is.
    public var passesOver: Instant? {
        if case .waking(_, _, .awaiting(let until)) = phase { until - talkTime + ReceiverDriver.bootTime } else { nil }
    }

    /// Whether an answer is waited for that decides within milliseconds what is written next: what comes is read at once.
    public var isInHurry: Bool { isListening && script.isInHurry }

    /// The port has been opened.
    public mutating func opened(at now: Instant) {
        switch phase {
        case .opening, .closed:
            phase = .working
            pursue(now)
        case .finishing, .finished: break
        default: begin(at: now)
        }
    }

    /// The port is gone: unplugged, or closed by somebody else's doing. What the receiver was set to is gone with its supply, perhaps.
    public mutating func lost(at now: Instant) {
        if case .finished = phase { return }
        if case .finishing = phase { phase = .finished } else { phase = .absent }
        script = CommandScript()
    }

    /// The planner wants something else.
    public mutating func follow(_ plan: ReceiverPlan, at now: Instant) {
        if case .run(let run) = plan { lastRun = run }
        guard plan != self.plan else { return }
        self.plan = plan
        pursue(now)
    }

    /// Bytes have come from the port. Call ``advance(to:)`` at the ``deadline`` as well.
    public mutating func heard(_ chunk: RawSpan, at now: Instant) {
        lastHeard = now
        guard isListening else { return }
        for utterance in ear.hear(chunk) { hear(utterance, at: now) }
        advance(to: now)
    }

    /// Does what is due.
    public mutating func advance(to now: Instant) {
        // Each phase that ends may begin another that is due as well; more than a few in one call would be a mistake.
        for _ in 0..<8 {
            guard let due = deadline, due <= now else { break }
            step(now)
        }
    }

    mutating func act(_ action: DriverAction) {
        if case .remember(let memory) = action {
            guard memory != settings.memory else { return }
            settings.memory = memory
        }
        if case .write = action, settings.isPassive { return }
        actions.append(action)
    }

    private mutating func hear(_ utterance: Utterance, at now: Instant) {
        if case .ubx(let frame) = utterance, frame.group == 0x0A, frame.number == 0x04 { evidence.texts += Probe.texts(of: frame) }
        switch utterance {
        case .fix(let sentence):
            watch.hear(sentence)
            proof.accept(address: sentence.address)
            heardSentence(at: now)
        case .sentence(let body):
            script.hear(utterance, at: now)
            evidence.hear(body)
            watch.hear(body)
            proof.accept(address: body.utf8.prefix { $0 != UInt8(ascii: ",") })
        case .ubx: script.hear(utterance, at: now)
        }
        finishScript(now)
    }

    /// A sentence of a fix has come; in some phases that is all one waits for.
    private mutating func heardSentence(at now: Instant) {
        switch phase {
        case .unproven:
            if proof.isProven { proven(at: now) }
        case .asleep(let method, _): wokeUnbidden(method, at: now)
        case .waking(let method, _, .awaiting): woke(method, at: now)
        case .watching: settleIfSeen(now)
        case .listening(nil): identify(at: now)
        default: break
        }
    }

    private mutating func step(_ now: Instant) {
        switch phase {
        case .questioning where hasFallenSilent(at: now): phase = .listening(until: nil)
        case .questioning, .configuring, .fallingAsleep, .waking(_, _, .resuming): runScript(now)
        case .unproven: rouse(at: now)
        case .listening where hasFallenSilent(at: now): phase = .listening(until: nil)
        case .listening: identify(at: now)
        case .watching: judge(now)
        case .hushing(let method, _): judgeSilence(method, now)
        case .asleep, .closed: endRest(now)
        case .waking(let method, let attempt, _): wakeFurther(method, attempt, now)
        case .finishing: finishFurther(now)
        case .absent, .working, .opening, .finished: break
        }
    }

    mutating func runScript(_ now: Instant) {
        for bytes in script.advance(to: now) { act(.write(bytes)) }
        finishScript(now)
    }

    /// Starts a series of commands.
    mutating func start(_ steps: [CommandScript.Step], _ phase: Phase, at now: Instant, isHurried: Bool = false) {
        self.phase = phase
        script = CommandScript(steps, at: now, isHurried: isHurried)
        if steps.isEmpty { finishScript(now) } else if !isHurried { runScript(now) }
    }

    /// Takes note of what became of commands, and goes on when all have been dealt with.
    private mutating func finishScript(_ now: Instant) {
        for (step, outcome) in script.takeOutcomes() {
            series.note(step, outcome)
            if case .question(let place) = step.purpose, outcome == .accepted { return answered(place, at: now) }
        }
        guard script.isDone else { return }
        switch phase {
        case .questioning: known(as: evidence.chip ?? .generic, at: now)
        case .configuring: configured(now)
        case .fallingAsleep(let method): toldToSleep(method, now)
        case .waking(let method, let attempt, .resuming): awaitTalk(method, attempt, now)
        default: break
        }
    }
}
