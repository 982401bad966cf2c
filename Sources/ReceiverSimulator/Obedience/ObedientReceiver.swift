import Chronology
import Receivers

/// A receiver that does as it is told: rates, sentences, rests, starts, all as its make would, and with the same deafness.
///
/// Around a ``NavigationEngine``, of which it is the processor and the supply. A value that eats time: the same in simulated time and on a
/// pseudo-terminal. As long as nobody writes to it, it sends what the engine alone would send, byte for byte.
public struct ObedientReceiver: BurstSource {
    private enum Life {
        /// Works; the engine runs, or was told to stop.
        case up(engine: Bool)
        case resting(Nap, wakes: Instant?)
        /// Something ended its rest; deaf until the instant.
        case rising(until: Instant, Nap)
    }

    private let chip: ReceiverChip
    private let manner: CommandManner
    private let isNativeUSB: Bool
    private let factory: SentencePlan
    private let period: Instant.Span
    private var engine: NavigationEngine
    private var life = Life.up(engine: true)
    private var line = HostLine()
    private var ear = AirohaEar()
    private var orbits: OrbitMemory
    private var random: RandomSource
    private var answers: [Burst] = []
    private var savesPower = false
    /// What it has drawn.
    public private(set) var meter: EnergyMeter
    /// What it was told moves, in the make's own numbers; 0 is every make's default.
    public private(set) var dynamics = 0

    /// From the byte that wakes to the first that is heard: half a second ([UB M9N 3.11.2.3.1]).
    static let risingTime = Instant.Span.milliseconds(500)
    /// What a receiver thinks before it answers.
    static let thinkingTime = Instant.Span.milliseconds(20)

    /// A receiver that is switched on at `origin`.
    public init(
        _ engine: NavigationEngine, profile: ReceiverProfile, manner: CommandManner = .obey, isNativeUSB: Bool = false,
        isCold: Bool = false, seed: UInt64 = 1, origin: Instant = .zero
    ) {
        (self.engine, self.manner, self.isNativeUSB) = (engine, manner, isNativeUSB)
        (chip, factory, period) = (profile.kind.chip, engine.plan, engine.period)
        orbits = OrbitMemory(fresh: isCold ? nil : origin)
        random = RandomSource(seed: seed, purpose: 3)
        meter = EnergyMeter(.of(chip), state: isCold ? .acquiring : .tracking, at: origin)
    }

    /// When it next says something, or wakes by itself.
    public var deadline: Instant? { earliest(answers.first?.instant, ownDeadline) }

    /// Never: one that sleeps may be woken.
    public var isOver: Bool { false }

    private var ownDeadline: Instant? {
        switch life {
        case .up(let runs): runs ? engine.deadline : nil
        case .resting(_, let wakes): wakes
        case .rising(let until, _): until
        }
    }

    /// Whether it rests.
    public var isResting: Bool {
        if case .resting = life { return true }
        return false
    }

    /// Answers and epochs, whichever comes first; empty when it only woke.
    public mutating func burst() -> Burst {
        if let answer = answers.first, ownDeadline.map({ answer.instant <= $0 }) ?? true { return answers.removeFirst() }
        switch life {
        case .up:
            let burst = engine.burst()
            if engine.isOn { note(at: burst.instant) }
            return burst
        case .resting(let nap, let wakes):
            let now = wakes ?? .zero
            life = .rising(until: now + ObedientReceiver.risingTime, nap)
            return Burst(instant: now, bytes: [])
        case .rising(let now, let nap): return risen(from: nap, at: now)
        }
    }

    private mutating func note(at now: Instant) {
        orbits.note(isTracking: engine.isTracking, at: now)
        meter.enter(engine.isTracking ? savesPower ? .powerSave : .tracking : .acquiring, at: now)
    }

    private mutating func risen(from nap: Nap, at now: Instant) -> Burst {
        if nap.forgets { reset(at: now) }
        begin(orbits.start(at: now), at: now)
        // Those of MediaTek say who they are after every rest.
        return Burst(instant: now, bytes: nap.forgets || chip == .mediatek ? engine.bootMessages() : [])
    }

    /// What was set is forgotten.
    private mutating func reset(at now: Instant) {
        engine.plan = factory
        engine.retune(period, at: now)
        (savesPower, dynamics) = (false, 0)
    }

    private mutating func begin(_ start: OrbitMemory.Start, at now: Instant) {
        life = .up(engine: true)
        orbits.note(isTracking: false, at: now)
        engine.resume(at: now, needed: OrbitMemory.time(start, meter.figures, &random), isCold: start == .cold)
        meter.enter(.acquiring, at: now)
    }
}

// What is written to it.
extension ObedientReceiver {
    /// Takes what the host has written.
    public mutating func hear(_ bytes: [UInt8], at now: Instant) {
        guard manner != .ignore, !bytes.isEmpty else { return }
        switch life {
        case .resting(let nap, _):
            // The bytes that wake it are lost.
            if nap.endsOnBytes { life = .rising(until: now + ObedientReceiver.risingTime, nap) }
        case .rising: break
        case .up:
            for word in line.words(in: bytes) { obey(word, at: now) }
        }
    }

    private mutating func obey(_ word: HostLine.Word, at now: Instant) {
        if chip.family == .airoha || chip.family == .quectel, !ear.hears(at: now) { return }
        for order in orders(for: word) { carryOut(order, at: now) }
    }

    private func orders(for word: HostLine.Word) -> [Order] {
        switch (chip.family, word) {
        case (.ubloxMessages, .ubx(let frame)), (.ubloxKeys, .ubx(let frame)):
            UBXInterpreter(chip: chip, isNativeUSB: isNativeUSB).orders(frame)
        case (.mediatek, .sentence(let body)): PMTKInterpreter.orders(body)
        case (.airoha, .sentence(let body)): PAIRInterpreter.orders(body, knowsPQTM: false)
        case (.quectel, .sentence(let body)): PAIRInterpreter.orders(body, knowsPQTM: true)
        case (.casic, .sentence(let body)): PCASInterpreter.orders(body)
        case (.sirf, .sentence(let body)): PSRFInterpreter.orders(body)
        case (.teseo, .sentence(let body)): PSTMInterpreter.orders(body)
        default: []
        }
    }

    private mutating func carryOut(_ order: Order, at now: Instant) {
        switch order {
        case .answer(let bytes):
            if manner == .mute { return }
            let last = answers.last?.instant ?? now
            answers.append(Burst(instant: max(now + ObedientReceiver.thinkingTime, last), bytes: bytes))
        case .period(let milliseconds): engine.retune(.milliseconds(Int64(milliseconds)), at: now)
        case .sentences(let rates): engine.plan = engine.plan.with(rates)
        case .savePower(let saves):
            savesPower = saves
            if engine.isOn { note(at: now) }
        case .dynamics(let model): dynamics = model
        case .nap(let nap):
            life = .resting(nap, wakes: nap.duration.map { now + $0 })
            orbits.note(isTracking: false, at: now)
            meter.enter(.standby, at: now)
        case .stop:
            life = .up(engine: false)
            orbits.note(isTracking: false, at: now)
            meter.enter(.stopped, at: now)
        case .start:
            if case .up(engine: false) = life { begin(orbits.start(at: now), at: now) }
        case .restart(let start):
            orbits.forget(for: start)
            reset(at: now)
            begin(orbits.start(at: now), at: now)
            answers.append(Burst(instant: now + ObedientReceiver.thinkingTime, bytes: engine.bootMessages()))
        case .keepAwake(let lasting): ear.isHeldOpen = lasting
        }
    }
}

/// The ear of an Airoha chip: what hears commands sleeps, and the first sentence only wakes it (receiver-power.md section 3).
struct AirohaEar: Sendable {
    /// PAIR382 holds it open.
    var isHeldOpen = false
    private var openUntil: Instant?

    /// How long it stays open after a sentence; of the order of what drivers for it use between two tries (40 ms).
    static let openTime = Instant.Span.milliseconds(200)

    /// A sentence comes; whether it is heard.
    mutating func hears(at now: Instant) -> Bool {
        let isOpen = isHeldOpen || openUntil.map { now <= $0 } ?? false
        openUntil = now + AirohaEar.openTime
        return isOpen
    }
}

extension SentencePlan {
    /// The plan with other rates for some sentences; those that are new come at the end.
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
