import Chronology
import Delivery
import Geofencing
import Locator
import Positioning
import ReceiverSimulator
import Receivers
import Serial

/// A day of the daemon in simulated time: its core, a driver and a reading schedule at one end of a line, an obedient virtual receiver at
/// the other. Reads no clock; the same way and options give the same day on every machine.
public struct Rehearsal {
    /// How the day goes.
    public struct Options: Sendable {
        /// Make of the receiver.
        public var receiver: ReceiverKind
        /// What clients ask for; none for a day on which nobody asks.
        public var streams: [LiveConfiguration]
        /// What is watched.
        public var fences: [RehearsedFence] = []
        /// Chance.
        public var seed: UInt64 = 1
        /// What goes wrong: dropouts, corruption, silence.
        public var faults = FaultSchedule()

        /// A day with that receiver and those streams.
        public init(receiver: ReceiverKind = .ublox8, streams: [LiveConfiguration] = [.default]) {
            (self.receiver, self.streams) = (receiver, streams)
        }
    }

    /// What the receiver is called in updates.
    public static let name = "rehearsed"
    private static let id = ReceiverID(0)

    private let way: TrueWay
    private let options: Options
    private let figures: EnergyFigures
    private let end: Instant
    private var locator = Locator()
    private var driver: ReceiverDriver
    private var line: RehearsedLine
    private var ledger: ResumeLedger
    private var fences: FenceLedger
    private var now = Instant.zero
    private var wakeups = 0
    private var wakeupsAtRest = 0
    private var fixes = 0
    private var events: [RehearsalEvent] = []

    /// Ready to begin.
    ///
    /// - Throws: `SimulatorOptions.Flaw` where the options make no receiver.
    public init(_ way: TrueWay, _ options: Options) throws {
        (self.way, self.options) = (way, options)
        end = .zero + way.duration
        var simulated = SimulatorOptions()
        simulated.programme = .route(way.route)
        (simulated.receiver, simulated.seed, simulated.faults, simulated.startTime) = (
            options.receiver, options.seed, options.faults, way.start
        )
        line = RehearsedLine(try simulated.receiver(origin: .zero, utc: way.start))
        var settings = ReceiverDriver.Settings()
        settings.baud = ReceiverProfile.of(options.receiver).baud
        driver = ReceiverDriver(settings)
        figures = .of(options.receiver.chip)
        ledger = ResumeLedger(way.departures, streams: options.streams.count)
        fences = FenceLedger(options.fences, on: way)
    }

    /// Lives the day, handing over each event in its order, and tells what it came to.
    public mutating func run(_ emit: (RehearsalEvent) -> Void) -> RehearsalSummary {
        begin()
        flush(emit)
        while advance() { flush(emit) }
        flush(emit)
        return summary
    }

    /// One wakeup of the daemon; false when the day is over.
    private mutating func advance() -> Bool {
        let timer = earliest(earliest(driver.deadline, locator.deadline()), line.deadline)
        let limit = min(timer.map { max($0, now) } ?? end, end)
        let arrived = line.arrival(before: limit)
        now = max(arrived ?? limit, now)
        line.pass(to: now)
        guard now < end else { return false }
        wakeups += 1
        if ledger.isSilent { wakeupsAtRest += 1 }
        let isLeft = arrived != nil && !driver.isInHurry && line.schedule.leaves(at: now, isTalking: driver.isListening)
        turn(reads: arrived != nil && !isLeft || line.deadline.map { $0 <= now } ?? false)
        return true
    }

    private mutating func begin() {
        var effects: [Effect] = []
        locator.setReference(way.start, guessesDay: true)
        (locator.plansPower, locator.pacesReads) = (true, true)
        locator.attach(Rehearsal.id, name: Rehearsal.name, port: Rehearsal.name, status: .open, at: now, into: &effects)
        locator.setCosts(ReceiverCosts(options.receiver.chip), of: Rehearsal.id)
        for at in options.streams.indices {
            locator.subscribe(StreamID(at), StreamRequest(configuration: options.streams[at]), at: now, into: &effects)
        }
        if !options.fences.isEmpty {
            let entries = options.fences.enumerated().map { FenceWatch.Entry(ConditionID(Int64($0.offset + 1)), $0.element.condition) }
            locator.addConditions(entries, at: now, into: &effects)
        }
        driver.opened(at: now)
        carryOut(effects)
        obey()
    }

    private mutating func turn(reads: Bool) {
        var effects: [Effect] = []
        let bytes = reads ? line.read() : []
        if !bytes.isEmpty {
            locator.receive(bytes.span.bytes, from: Rehearsal.id, at: now, into: &effects)
            driver.heard(bytes.span.bytes, at: now)
        }
        if let due = locator.deadline(), due <= now { locator.tick(at: now, into: &effects) }
        let closed = effects.count { if case .epoch = $0 { true } else { false } }
        // The end of an epoch that silence told is the end of the burst, though nothing was read.
        if reads || closed > 0, line.isOpen {
            let isOpen = locator.isMidEpoch(Rehearsal.id) || bytes.last.map { $0 != 10 } ?? false
            line.schedule.read(bytes.count, closed: closed, isOpen: isOpen, at: now)
        }
        carryOut(effects)
        driver.advance(to: now)
        obey()
    }

    private mutating func carryOut(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .epoch(_, let fix): fixes += fix.coordinate != nil ? 1 : 0
            case .publish(let update, let streams):
                let places = streams.map(\.rawValue)
                ledger.note(update, streams: places, at: now - .zero)
                events.append(RehearsalEvent(at: now - .zero, .update(update, streams: places)))
            case .plan(_, let plan):
                driver.follow(plan, at: now)
                events.append(RehearsalEvent(at: now - .zero, .plan(plan)))
            case .pace(_, let pace): line.schedule.setPace(ReadSchedule.Pace(pace))
            case .crossed(let crossed): for event in crossed { note(event) }
            case .answer, .refuse, .receiverChanged: break
            }
        }
    }

    private mutating func note(_ event: ConditionEvent) {
        let fence = Int(event.condition.rawValue) - 1
        fences.note(event, of: fence, at: now - .zero)
        events.append(RehearsalEvent(at: now - .zero, .crossing(event, fence: fence)))
    }

    /// Does to the port what the driver wants done.
    private mutating func obey() {
        while true {
            let actions = driver.takeActions()
            if actions.isEmpty { return }
            for action in actions {
                switch action {
                case .remember: break
                case .write(let bytes):
                    line.write(bytes, at: now)
                    if let until = driver.passesOver { line.schedule.passOver(until: until, at: now) }
                case .closePort: line.close()
                case .openPort:
                    line.open()
                    driver.opened(at: now)
                }
            }
        }
    }

    private mutating func flush(_ emit: (RehearsalEvent) -> Void) {
        for event in events { emit(event) }
        events.removeAll(keepingCapacity: true)
    }
}

extension ReadSchedule.Pace {
    init(_ pace: ReadPace) {
        switch pace {
        case .atOnce: self = .atOnce
        case .everyBurst: self = .everyBurst
        case .atMostEvery(let span): self = .atMostEvery(span)
        }
    }
}

extension Rehearsal {
    private var summary: RehearsalSummary {
        var ledger = ledger
        ledger.finish(at: way.duration)
        var fences = fences
        fences.finish()
        let meter = line.receiver.meter
        let working: [PowerState] = [.acquiring, .tracking, .powerSave]
        let on = working.reduce(0) { $0 + (meter?.time(in: $1, at: end).seconds ?? 0) }
        return RehearsalSummary(
            energyJoules: meter?.energy(at: end) ?? 0, alwaysOnEnergyJoules: alwaysOn, receiverOnSeconds: on, fixes: fixes,
            hostWakeups: wakeups, hostWakeupsAtRest: wakeupsAtRest, stationarySeconds: ledger.stationary.seconds,
            resumeDelays: ledger.delays, missedDepartures: ledger.missed, falseResumes: ledger.falseResumes, events: fences.accounts,
            crossingDelays: fences.delays, missedCrossings: fences.count(.missed), falseCrossings: fences.count(.wrong),
            seconds: way.duration.seconds)
    }

    /// Left to itself it tracks all day, and searches while no satellite comes in.
    private var alwaysOn: Double {
        let searching = options.faults.faults.filter { $0.kind == .dropout }.reduce(0.0) { sum, fault in
            sum + max(0, (min(fault.end ?? way.duration, way.duration) - min(fault.start, way.duration)).seconds)
        }
        let blind = min(searching, way.duration.seconds)
        return figures.power(in: .tracking) * (way.duration.seconds - blind) + figures.power(in: .acquiring) * blind
    }
}
