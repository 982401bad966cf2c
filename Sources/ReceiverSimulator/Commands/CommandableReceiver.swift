import Chronology
import ReceiverEnergy
import Receivers

/// A simulated receiver that executes commands: rates, sentences, sleep and restarts. Its protocol
/// and limitations are those of its chip family.
///
/// It wraps a ``NavigationEngine`` and simulates the command processor and power state around it.
/// It is a value that reads no clock, so simulated time and a pseudo-terminal give the same result.
/// Without input it sends the engine's output unchanged.
package struct CommandableReceiver: BurstSource {
    private enum PowerMode {
        /// Awake; `engine` is false after a stop command.
        case up(engine: Bool)
        case resting(SleepRequest, wakes: Instant?)
        /// Waking up; input is ignored until this time.
        case awake(until: Instant, SleepRequest)
    }

    private let chip: ReceiverChip
    private let manner: CommandBehavior
    private let isNativeUSB: Bool
    private let factory: SentencePlan
    private let period: Instant.Span
    private var engine: NavigationEngine
    private var life = PowerMode.up(engine: true)
    private var line = HostCommandParser()
    private var ear = AirohaCommandLock()
    private var orbits: EphemerisState
    private var random: RandomSource
    private var answers: [Burst] = []
    private var savesPower = false
    /// The energy that the receiver has used.
    package private(set) var meter: EnergyMeter
    /// The dynamic model in the numbering of the chip family; 0 is the default of all families.
    package private(set) var dynamics = 0

    /// Time from the byte that wakes the receiver to the first byte that it processes: 0.5 s ([UB
    /// M9N 3.11.2.3.1]).
    static let wakeTime = Instant.Span.milliseconds(500)
    /// Time from a command to its response.
    static let responseDelay = Instant.Span.milliseconds(20)

    /// Creates a receiver that is powered on at `origin`.
    package init(
        _ engine: NavigationEngine, profile: ReceiverProfile, manner: CommandBehavior = .normal,
        isNativeUSB: Bool = false,
        isCold: Bool = false, seed: UInt64 = 1, origin: Instant = .zero
    ) {
        self.engine = engine
        self.manner = manner
        self.isNativeUSB = isNativeUSB
        chip = profile.kind.chip
        factory = engine.plan
        period = engine.period
        orbits = EphemerisState(fresh: isCold ? nil : origin)
        random = RandomSource(seed: seed, purpose: 3)
        meter = EnergyMeter(.of(chip), state: isCold ? .acquiring : .tracking, at: origin)
    }

    /// When the receiver next sends a burst or changes its power state.
    package var deadline: Instant? { earliest(answers.first?.instant, ownDeadline) }

    /// Always false, since a command can wake a sleeping receiver.
    package var isOver: Bool { false }

    private var ownDeadline: Instant? {
        switch life {
        case .up(let runs): runs ? engine.deadline : nil
        case .resting(_, let wakes): wakes
        case .awake(let until, _): until
        }
    }

    /// Whether the receiver sleeps.
    package var isResting: Bool {
        if case .resting = life { return true }
        return false
    }

    /// Returns the next response or epoch; an empty burst if the receiver only woke up.
    package mutating func burst() -> Burst {
        if let answer = answers.first, ownDeadline.map({ answer.instant <= $0 }) ?? true {
            return answers.removeFirst()
        }
        switch life {
        case .up:
            let burst = engine.burst()
            if engine.isOn { note(at: burst.instant) }
            return burst
        case .resting(let nap, let wakes):
            let now = wakes ?? .zero
            life = .awake(until: now + CommandableReceiver.wakeTime, nap)
            return Burst(instant: now, bytes: [])
        case .awake(let now, let nap): return wake(from: nap, at: now)
        }
    }

    private mutating func note(at now: Instant) {
        orbits.update(isTracking: engine.isTracking, at: now)
        meter.enter(engine.isTracking ? savesPower ? .powerSave : .tracking : .acquiring, at: now)
    }

    private mutating func wake(from nap: SleepRequest, at now: Instant) -> Burst {
        if nap.losesSettings { reset(at: now) }
        begin(orbits.start(at: now), at: now)
        // MediaTek receivers send their boot messages after every sleep.
        return Burst(instant: now, bytes: nap.losesSettings || chip == .mediatek ? engine.bootMessages() : [])
    }

    /// Restores the default settings.
    private mutating func reset(at now: Instant) {
        engine.plan = factory
        engine.setPeriod(period, at: now)
        (savesPower, dynamics) = (false, 0)
    }

    private mutating func begin(_ start: EphemerisState.Start, at now: Instant) {
        life = .up(engine: true)
        orbits.update(isTracking: false, at: now)
        engine.resume(at: now, needed: EphemerisState.time(start, meter.figures, &random), isCold: start == .cold)
        meter.enter(.acquiring, at: now)
    }
}

// Input from the host.
extension CommandableReceiver {
    /// Processes bytes from the host.
    package mutating func process(_ bytes: [UInt8], at now: Instant) {
        guard manner != .ignore, !bytes.isEmpty else { return }
        switch life {
        case .resting(let nap, _):
            // The bytes that wake the receiver are lost.
            if nap.wakesOnInput { life = .awake(until: now + CommandableReceiver.wakeTime, nap) }
        case .awake: break
        case .up:
            for word in line.messages(in: bytes) { execute(word, at: now) }
        }
    }

    private mutating func execute(_ word: HostCommandParser.Message, at now: Instant) {
        if chip.family == .airoha || chip.family == .quectel, !ear.acceptsSentence(at: now) { return }
        for order in orders(for: word) { carryOut(order, at: now) }
    }

    private func orders(for word: HostCommandParser.Message) -> [ReceiverCommand] {
        switch (chip.family, word) {
        case (.ubloxMessages, .ubx(let frame)), (.ubloxKeys, .ubx(let frame)):
            UBXInterpreter(chip: chip, isNativeUSB: isNativeUSB).orders(frame)
        case (.mediatek, .sentence(let body)): PMTKInterpreter.commands(in: body)
        case (.airoha, .sentence(let body)): PAIRInterpreter.orders(body, knowsPQTM: false)
        case (.quectel, .sentence(let body)): PAIRInterpreter.orders(body, knowsPQTM: true)
        case (.casic, .sentence(let body)): PCASInterpreter.commands(in: body)
        case (.sirf, .sentence(let body)): PSRFInterpreter.commands(in: body)
        case (.teseo, .sentence(let body)): PSTMInterpreter.commands(in: body)
        default: []
        }
    }

    private mutating func carryOut(_ order: ReceiverCommand, at now: Instant) {
        switch order {
        case .answer(let bytes):
            if manner == .silent { return }
            let last = answers.last?.instant ?? now
            answers.append(Burst(instant: max(now + CommandableReceiver.responseDelay, last), bytes: bytes))
        case .period(let milliseconds): engine.setPeriod(.milliseconds(Int64(milliseconds)), at: now)
        case .sentences(let rates): engine.plan = engine.plan.with(rates)
        case .savePower(let saves):
            savesPower = saves
            if engine.isOn { note(at: now) }
        case .dynamics(let model): dynamics = model
        case .sleep(let nap):
            life = .resting(nap, wakes: nap.duration.map { now + $0 })
            orbits.update(isTracking: false, at: now)
            meter.enter(.standby, at: now)
        case .stop:
            life = .up(engine: false)
            orbits.update(isTracking: false, at: now)
            meter.enter(.stopped, at: now)
        case .start:
            if case .up(engine: false) = life { begin(orbits.start(at: now), at: now) }
        case .restart(let start):
            orbits.forget(for: start)
            reset(at: now)
            begin(orbits.start(at: now), at: now)
            answers.append(Burst(instant: now + CommandableReceiver.responseDelay, bytes: engine.bootMessages()))
        case .keepAwake(let lasting): ear.isKeptAwake = lasting
        }
    }
}

/// The command lock of an Airoha chip. Its command processor sleeps, and the first sentence only
/// wakes it (docs/receiver-commands.md).
struct AirohaCommandLock: Sendable {
    /// Whether command PAIR382 keeps the command processor awake.
    var isKeptAwake = false
    private var openUntil: Instant?

    /// How long the command processor stays awake after a sentence. Its drivers retry after
    /// intervals of this order (40 ms).
    static let openTime = Instant.Span.milliseconds(200)

    /// Processes the arrival of a sentence. Returns whether the chip accepts it.
    mutating func acceptsSentence(at now: Instant) -> Bool {
        let isOpen = isKeptAwake || openUntil.map { now <= $0 } ?? false
        openUntil = now + AirohaCommandLock.openTime
        return isOpen
    }
}

extension SentencePlan {
    /// Returns the plan with changed rates for some sentences. New sentences are appended at the
    /// end.
    func with(_ rates: [Kind: Int]) -> SentencePlan {
        var entries = entries.compactMap { entry -> Entry? in
            guard let every = rates[entry.kind] else { return entry }
            return every > 0 ? Entry(kind: entry.kind, every: every) : nil
        }
        for kind in Kind.allCases where rates[kind] ?? 0 > 0 && !entries.contains(where: { $0.kind == kind }) {
            entries.append(Entry(kind: kind, every: rates[kind] ?? 1))
        }
        return SentencePlan(entries)
    }
}
