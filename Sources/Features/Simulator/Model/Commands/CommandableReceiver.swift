import Chronology
import NMEA
import Receivers

/// A simulated receiver that executes commands: rates, sentences, sleep and restarts. Its protocol
/// and limitations are those of its chip family.
///
/// It wraps a ``NavigationEngine`` and simulates the command processor and power state around it.
/// It is a value that reads no clock, so simulated time and a pseudo-terminal give the same result.
/// Without input it sends the engine's output unchanged.
package struct CommandableReceiver: BurstSource {
    private enum PowerMode {
        /// Awake; the engine does not run after a stop command.
        case awake(isEngineRunning: Bool)
        /// Asleep until `wakeTime`; nil if only input can wake it.
        case asleep(SleepRequest, wakeTime: Instant?)
        /// Waking up from a sleep; input is ignored until this time.
        case waking(SleepRequest, until: Instant)
    }

    private let chip: ReceiverChip
    private let behavior: CommandBehavior
    private let isNativeUSB: Bool
    private let defaultPlan: SentencePlan
    private let defaultPeriod: Instant.Span
    private var engine: NavigationEngine
    private var mode = PowerMode.awake(isEngineRunning: true)
    private var parser = HostCommandParser()
    private var commandLock = AirohaCommandLock()
    private var ephemerides: EphemerisState
    private var random: RandomSource
    /// Responses that are not sent yet, in order.
    private var responses: [Burst] = []
    private var savesPower = false
    private var aiding = HostAiding()
    /// The energy that the receiver has used.
    package private(set) var meter: EnergyMeter
    /// The dynamic model in the numbering of the chip family; 0 is the default of all families.
    package private(set) var dynamics = 0

    /// Time from the byte that wakes the receiver to the first byte that it processes: 0.5 s
    /// (NEO-M9N, 3.11.2.3.1; [UB] in docs/receiver-commands.md).
    static let wakeTime = Instant.Span.milliseconds(500)
    /// Time from a command to its response.
    static let responseDelay = Instant.Span.milliseconds(20)

    /// Creates a receiver that is powered on at `origin`.
    package init(
        _ engine: NavigationEngine, profile: ReceiverProfile, behavior: CommandBehavior = .normal,
        isNativeUSB: Bool = false, isCold: Bool = false, seed: UInt64 = 1, origin: Instant = .zero
    ) {
        self.engine = engine
        self.behavior = behavior
        self.isNativeUSB = isNativeUSB
        chip = profile.kind.chip
        defaultPlan = engine.plan
        defaultPeriod = engine.period
        ephemerides = EphemerisState(lastReception: isCold ? nil : origin)
        random = RandomSource(seed: seed, purpose: 3)
        meter = EnergyMeter(EnergyFigures(for: chip), state: isCold ? .acquiring : .tracking, at: origin)
    }

    /// When the receiver next sends a burst or changes its power state.
    package var deadline: Instant? { earliest(responses.first?.instant, ownDeadline) }

    /// Always false, since a command can wake a sleeping receiver.
    package var isOver: Bool { false }

    private var ownDeadline: Instant? {
        switch mode {
        case .awake(let isEngineRunning): isEngineRunning ? engine.deadline : nil
        case .asleep(_, let wakeTime): wakeTime
        case .waking(_, let until): until
        }
    }

    /// Returns the next response or epoch; an empty burst if the receiver only woke up.
    package mutating func burst() -> Burst {
        if let response = responses.first, ownDeadline.map({ response.instant <= $0 }) ?? true {
            return responses.removeFirst()
        }
        switch mode {
        case .awake:
            let burst = engine.burst()
            if engine.isOn { recordPowerState(at: burst.instant) }
            return burst
        case .asleep(let request, let wakeTime):
            let now = wakeTime ?? .zero
            mode = .waking(request, until: now + CommandableReceiver.wakeTime)
            return Burst(instant: now, bytes: [])
        case .waking(let request, let now): return wake(from: request, at: now)
        }
    }

    private mutating func recordPowerState(at now: Instant) {
        ephemerides.update(isTracking: engine.isTracking, at: now)
        meter.enter(engine.isTracking ? savesPower ? .powerSave : .tracking : .acquiring, at: now)
    }

    private mutating func wake(from request: SleepRequest, at now: Instant) -> Burst {
        if request.losesSettings { reset(at: now) }
        startEngine(ephemerides.start(at: now), at: now)
        // MediaTek receivers send their boot messages after every sleep.
        return Burst(instant: now, bytes: request.losesSettings || chip == .mediatek ? engine.bootMessages() : [])
    }

    /// Starts a receiver that sleeps or was stopped, with its default settings. Another goes on.
    package mutating func powerOn(at now: Instant) {
        if case .awake(isEngineRunning: true) = mode { return }
        reset(at: now)
        startEngine(ephemerides.start(at: now), at: now)
    }

    /// Restores the default settings.
    private mutating func reset(at now: Instant) {
        engine.plan = defaultPlan
        engine.setPeriod(defaultPeriod, at: now)
        (savesPower, dynamics) = (false, 0)
    }

    private mutating func startEngine(_ start: EphemerisState.Start, at now: Instant) {
        mode = .awake(isEngineRunning: true)
        aiding = HostAiding()
        ephemerides.update(isTracking: false, at: now)
        let needed = EphemerisState.timeToFirstFix(after: start, figures: meter.figures, using: &random)
        engine.resume(at: now, needed: needed, isCold: start == .cold)
        meter.enter(.acquiring, at: now)
    }
}

// Input from the host.
extension CommandableReceiver {
    /// Processes bytes from the host.
    package mutating func process(_ bytes: [UInt8], at now: Instant) {
        guard behavior != .ignore, !bytes.isEmpty else { return }
        switch mode {
        case .asleep(let request, _):
            // The bytes that wake the receiver are lost.
            if request.wakesOnInput { mode = .waking(request, until: now + CommandableReceiver.wakeTime) }
        case .waking: break
        case .awake:
            for message in parser.messages(in: bytes) { process(message, at: now) }
        }
    }

    private mutating func process(_ message: HostCommandParser.Message, at now: Instant) {
        if chip.family == .airoha || chip.family == .quectel, !commandLock.acceptsSentence(at: now) { return }
        for command in commands(in: message) { execute(command, at: now) }
    }

    private func commands(in message: HostCommandParser.Message) -> [ReceiverCommand] {
        switch (chip.family, message) {
        case (.ubloxMessages, .ubx(let frame)), (.ubloxKeys, .ubx(let frame)):
            UBXInterpreter(chip: chip, isNativeUSB: isNativeUSB).commands(in: frame)
        case (.mediatek, .sentence(let body)): PMTKInterpreter.commands(in: body)
        case (.airoha, .sentence(let body)): PAIRInterpreter.commands(in: body, supportsPQTM: false)
        case (.quectel, .sentence(let body)): PAIRInterpreter.commands(in: body, supportsPQTM: true)
        case (.casic, .sentence(let body)): PCASInterpreter.commands(in: body)
        case (.sirf, .sentence(let body)): PSRFInterpreter.commands(in: body)
        case (.teseo, .sentence(let body)): PSTMInterpreter.commands(in: body)
        default: []
        }
    }

    private mutating func execute(_ command: ReceiverCommand, at now: Instant) {
        switch command {
        case .respond(let bytes):
            if behavior == .silent { return }
            let last = responses.last?.instant ?? now
            responses.append(Burst(instant: max(now + CommandableReceiver.responseDelay, last), bytes: bytes))
        case .period(let milliseconds): engine.setPeriod(.milliseconds(Int64(milliseconds)), at: now)
        case .sentences(let rates): engine.plan = engine.plan.with(rates)
        case .savePower(let saves):
            savesPower = saves
            if engine.isOn { recordPowerState(at: now) }
        case .dynamics(let model): dynamics = model
        case .sleep(let request):
            mode = .asleep(request, wakeTime: request.duration.map { now + $0 })
            ephemerides.update(isTracking: false, at: now)
            meter.enter(.standby, at: now)
        case .stop:
            mode = .awake(isEngineRunning: false)
            ephemerides.update(isTracking: false, at: now)
            meter.enter(.stopped, at: now)
        case .start:
            if case .awake(isEngineRunning: false) = mode { startEngine(ephemerides.start(at: now), at: now) }
        case .restart(let start):
            ephemerides.discard(for: start)
            reset(at: now)
            startEngine(ephemerides.start(at: now), at: now)
            responses.append(Burst(instant: now + CommandableReceiver.responseDelay, bytes: engine.bootMessages()))
        case .predictOrbits: ephemerides.predictsOrbits = true
        case .time(let time):
            let error = time.span(since: engine.utc(at: now))
            aiding.hasTime = max(error, .zero - error) <= HostAiding.tolerance
            if aiding.hasTime { useAiding() } else { engine.delayAcquisition(by: HostAiding.penalty) }
        case .place:
            aiding.hasPlace = true
            useAiding()
        case .dumpDatabase:
            guard let received = ephemerides.lastReception else { return }
            execute(.respond(UBXInterpreter.database(engine.utc(at: received))), at: now)
        case .databaseEntry(let number, let time):
            aiding.entries.insert(number)
            guard aiding.hasTime, aiding.entries.count == UBXInterpreter.entries else { return }
            ephemerides.restore(reception: now - engine.utc(at: now).span(since: time))
            if ephemerides.start(at: now) == .hot { engine.limitAcquisition(to: HostAiding.limitWithDatabase, at: now) }
        case .keepAwake(let isKeptAwake): commandLock.isKeptAwake = isKeptAwake
        }
    }
}

extension CommandableReceiver {
    private mutating func useAiding() {
        if aiding.hasTime, aiding.hasPlace { engine.limitAcquisition(to: HostAiding.limit) }
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

/// Parses the host's output into sentences and UBX frames in their order of arrival.
struct HostCommandParser: Sendable {
    /// A message that may be a command.
    enum Message: Sendable, Equatable {
        /// The body of a sentence with a valid checksum.
        case sentence(String)
        case ubx(UBXFrame)
    }

    private var framer = Framer()
    private var binary = UBXFramer()

    /// Parses a chunk of any size.
    mutating func messages(in bytes: [UInt8]) -> [Message] {
        var messages: [Message] = []
        for byte in bytes {
            if let frame = binary.push(byte) { messages.append(.ubx(frame)) }
            // Parsing byte by byte keeps the order of both message types.
            framer.process([byte].span.bytes) { body in
                body.withUnsafeBytes { messages.append(.sentence(String(decoding: $0, as: UTF8.self))) }
            }
        }
        return messages
    }
}

/// How a simulated receiver handles commands. Raw values are the command-line names.
package enum CommandBehavior: String, Sendable, CaseIterable {
    /// Executes commands and sends the responses of its chip family.
    case normal = "obey"
    /// Ignores all input, as if the line to it were not connected.
    case ignore
    /// Executes commands and sends no responses.
    case silent = "mute"
}
