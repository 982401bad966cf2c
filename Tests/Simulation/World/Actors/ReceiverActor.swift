import Chronology
import Receivers
import Simulator

/// A receiver on a serial line of the machine. It has its own power, and keeps its state over a
/// power cut.
final class ReceiverActor: Actor {
    /// The device of the first receiver.
    static let path = "/dev/ttyUSB0"
    /// What the daemon has changed in receivers, which a start after a crash restores.
    private static let stateFile = "/var/lib/sextant/receivers"

    let name: String
    private let line: Int32
    private let baud: Int
    private var receiver: VirtualReceiver
    private var random: RandomStream
    private let plan: RunPlan
    private var delivery: Delivery
    private var reader = LineReader()
    private var assistance: AssistanceReader
    private let canSleep: Bool
    private var isPlugged = true
    /// When it is unplugged or plugged in.
    private var plugTime: Instant?
    /// Since when a stream is open.
    private var lookedFrom: Instant?
    /// An hour, and a search.
    private static let longestLook = Instant.Span.seconds(3700)
    /// No receiver has a longer period by itself.
    private static let longestPeriod = Instant.Span.seconds(3)

    init(_ name: String, _ plan: RunPlan, _ machine: Machine, _ journey: Journey) throws(RunFailure) {
        self.name = name
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: name)
        delivery = Delivery(name, plan)
        assistance = AssistanceReader(name, plan)
        line = try machine.addLine(ReceiverActor.path, minor: 0)
        var options = SimulatorOptions()
        options.source = .route(journey.route)
        options.seed = random.bits()
        options.startTime = Journey.start
        options.faults = ReceiverActor.faults(plan, &random)
        options.receiver = random.element(of: [ReceiverKind.ublox8, .mtk, .ubloxM10, .generic])
        canSleep = options.receiver != .generic
        var rates = RandomStream(seed: plan.seed, purpose: "baud rate")
        if plan.has(.fastLines) { options.baud = rates.element(of: [38_400, 115_200, 115_200, 230_400]) }
        do {
            let built = try options.build(origin: machine.now, utc: Journey.start)
            receiver = built.receiver
            baud = built.baud
        } catch {
            throw RunFailure("the receiver cannot be built: \(error)")
        }
        if plan.has(.unplugging) { plugTime = machine.now + random.span(60..<4000) }
    }

    private static func faults(_ plan: RunPlan, _ random: inout RandomStream) -> FaultSchedule {
        let kinds: [(RunPlan.Feature, Simulator.Fault.Kind)] = [
            (.silence, .silence), (.tunnels, .dropout), (.noise, .corruption),
        ]
        var faults: [Simulator.Fault] = []
        let end = plan.length - plan.recovery
        for (feature, kind) in kinds where plan.has(feature) {
            var start = random.span(20..<3000)
            while start < end {
                let duration = min(random.span(1..<600), end - start)
                let rate = random.logarithmic(in: 0.0001..<0.05)
                faults.append(Simulator.Fault(kind, start: start, duration: duration, rate: rate))
                start = start + duration + random.span(20..<3000)
            }
        }
        return FaultSchedule(faults)
    }

    var deadline: Instant? { earliest(delivery.deadline(after: receiver.deadline), plugTime) }

    func act(in world: World) {
        if let plugTime, plugTime <= world.now { plug(!isPlugged, in: world) }
        if delivery.isDue(at: world.now) { send(in: world) }
    }

    private func send(in world: World) {
        let speed = world.machine.speed(ofLine: line)
        for chunk in receiver.bytes(until: world.now) where isPlugged && world.machine.isOpen(line: line) {
            let bytes = BaudRateMismatch.read(chunk.bytes, sender: baud, listener: speed == 0 ? baud : speed)
            world.machine.send(bytes, onLine: line)
            reader.read(bytes, of: ReceiverActor.path, in: world)
        }
    }

    func receive(in world: World) {
        judgeLook(in: world)
        guard world.machine.hasInput(onLine: line) else { return }
        let bytes = world.machine.received(onLine: line)
        guard isPlugged, !bytes.isEmpty else { return }
        world.trace.mix(bytes)
        world.trace.add(world.now, name, "gets \(bytes.count) bytes")
        world.lastCommand = world.now
        world.require(!plan.has(.passiveReceiver), 32, "\(name): \(bytes.count) bytes were written to it")
        world.require(
            world.diskIsExact == false || world.machine.isDurable(ReceiverActor.stateFile), 33,
            "\(name) was sent a command before \(ReceiverActor.stateFile) was on disk")
        if world.breaks(34), world.manager.isStopping { return }
        let speed = world.machine.speed(ofLine: line)
        // The output up to now comes before the answer.
        send(in: world)
        let heard = BaudRateMismatch.read(bytes, sender: speed == 0 ? baud : speed, listener: baud)
        let (commands, answer) = assistance.read(heard, of: name, in: world)
        receiver.process(commands, at: world.now)
        if !answer.isEmpty, speed == baud { world.machine.send(answer, onLine: line) }
    }

    private func plug(_ isIn: Bool, in world: World) {
        isPlugged = isIn
        world.trace.add(world.now, name, isIn ? "is plugged in" : "is unplugged")
        if isIn {
            world.machine.plug(line: line, as: ReceiverActor.path)
            receiver.powerOn(at: world.now)
        } else {
            world.machine.unplug(line: line)
        }
        plugTime = world.faultsHaveEnded ? nil : world.now + (isIn ? random.span(60..<4000) : random.span(0.1..<300))
    }

    /// Whether nothing but the daemon determines what it sends.
    private var isUndisturbed: Bool {
        let disturbances: [RunPlan.Feature] = [.noise, .silence, .tunnels, .failingLines, .unplugging, .plugging]
        return isPlugged && !disturbances.contains(where: plan.has)
    }

    /// Before a suspension that was announced it sleeps, if it can and has run for some time.
    func judgeSuspension(in world: World) {
        guard canSleep, isUndisturbed, !plan.has(.passiveReceiver), world.diskWorks, !world.hasFaults,
            let ready = world.manager.readySince, world.now - ready > .seconds(120)
        else { return }
        let state = receiver.meter?.state
        world.require(
            state == .standby || state == .stopped, 66, "\(name) is awake while the machine is suspended")
    }

    /// Some time after a suspension it has sent positions again, if anybody wants them.
    func judgeWaking(since start: Instant, in world: World) {
        let streams = world.actors.compactMap { $0 as? StreamProgram }
        guard isUndisturbed, !world.locationMayBeOff(within: 200),
            streams.contains(where: { $0.needsFixes(since: start) })
        else { return }
        world.require(
            !world.breaks(67) && (world.lastPositions[ReceiverActor.path] ?? .zero) > start, 67,
            "\(name) has sent no position since \(start)")
    }

    /// While a stream is open, it is looked for once an hour at least.
    private func judgeLook(in world: World) {
        guard isUndisturbed, !world.locationMayBeOff(), let ready = world.manager.readySince,
            world.actors.contains(where: { ($0 as? StreamProgram)?.isSubscribed ?? false })
        else { return lookedFrom = nil }
        lookedFrom = lookedFrom ?? world.now
        let last = max(lookedFrom ?? ready, ready, world.lastPositions[ReceiverActor.path] ?? .zero)
        world.require(
            world.now - last < (world.breaks(70) ? .seconds(2) : ReceiverActor.longestLook), 70,
            "\(name) has sent no position for \((world.now - last).seconds) s")
    }

    /// After an end in order it sends on, at its usual period.
    func daemonEnded(in world: World) {
        guard isPlugged, world.manager.endedInOrder, !world.plan.has(.failingLines), !world.hasFaults else { return }
        let isAwake = receiver.deadline.map { $0 < world.now + ReceiverActor.longestPeriod } ?? false
        world.require(isAwake, 34, "\(name) sleeps after SIGTERM, or sends seldom")
    }

    func endFaults(in world: World) {
        plugTime = nil
        if !isPlugged { plug(true, in: world) }
    }
}

/// When the bytes of a line reach the host: a converter keeps them for some milliseconds.
struct Delivery {
    /// The latency of an FTDI converter as it is sold. It can be set to 255 ms, but its buffer is
    /// full after 64 ms at 9,600 baud. For the daemon, 80 ms without a byte end a burst.
    private static let latency = Instant.Span.milliseconds(16)
    private let latency: Instant.Span
    private var last = Instant.zero

    /// - Parameter receiver: the name of the actor.
    init(_ receiver: String, _ plan: RunPlan) {
        var random = RandomStream(seed: plan.seed, purpose: "latency \(receiver)")
        latency = plan.isQuiet || random.chance(0.2) ? Delivery.latency : random.span(0.04..<0.075)
    }

    /// When the next bytes arrive that a receiver sends at a time.
    func deadline(after time: Instant?) -> Instant? { time.map { max($0, last + latency) } }

    /// Whether bytes can arrive now. They do then.
    mutating func isDue(at now: Instant) -> Bool {
        guard now >= last + latency else { return false }
        last = now
        return true
    }
}
