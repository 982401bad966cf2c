import Chronology
import Glibc
import Simulator

/// A receiver on USB that the daemon discovers by itself. It is unplugged in the midst of a burst,
/// returns under another name, is held by another program, may not be opened, is silent, or sends a
/// binary protocol until it is switched to NMEA.
final class PluggedReceiver: Actor {
    let name: String
    private let plan: RunPlan
    private let port: USBPort
    private let line: Int32
    private let baud: Int
    private var receiver: VirtualReceiver
    private var random: RandomStream
    private var delivery: Delivery
    private var reader = LineReader()
    private var assistance: AssistanceReader
    /// The power cuts so far.
    private var powerCuts = 0
    private var agenda = Agenda()
    private var isPlugged = false
    private var isSilent = false
    /// The last part of the name of its device, which differs after each plugging.
    private var number: Int

    init(_ index: Int, _ plan: RunPlan, _ machine: Machine, _ journey: Journey) throws(RunFailure) {
        name = "plugged\(index)"
        self.plan = plan
        number = index
        random = RandomStream(seed: plan.seed, purpose: name)
        delivery = Delivery(name, plan)
        assistance = AssistanceReader(name, plan)
        let isReceiver = random.chance(0.6)
        port = USBPort(
            index: Int32(index), vendor: isReceiver ? "1546" : "0403", product: isReceiver ? "01a8" : "6001",
            serial: "S\(index)", driver: isReceiver ? "cdc_acm" : "ftdi_sio")
        line = try machine.addLine(
            "/dev/ttyACM\(index)", driver: port.driver, major: isReceiver ? 166 : 188, minor: UInt32(10 + index))
        machine.unplug(line: line)
        var options = SimulatorOptions()
        options.source = .route(journey.route)
        options.seed = random.bits()
        options.startTime = Journey.start
        options.isNativeUSB = isReceiver
        // A native port has no line: a burst arrives at once.
        if plan.has(.fastLines) { options.baud = isReceiver ? 921_600 : 115_200 }
        options.receiver = isReceiver ? .ublox8 : random.element(of: [.mtk, .generic, .airoha, .casic, .teseo])
        do {
            let built = try options.build(origin: machine.now, utc: Journey.start)
            (receiver, baud) = (built.receiver, built.baud)
        } catch {
            throw RunFailure("\(name) cannot be built: \(error)")
        }
        later(0..<300, at: machine.now) { [unowned self] in plugIn(in: $0) }
    }

    var deadline: Instant? { earliest(delivery.deadline(after: receiver.deadline), agenda.deadline) }

    private func later(_ span: Range<Double>, at now: Instant, _ action: @escaping (World) -> Void) {
        agenda.at(now + .seconds(random.number(in: span)), action)
    }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
        if delivery.isDue(at: world.now) { send(in: world) }
    }

    private func send(in world: World) {
        let speed = world.machine.speed(ofLine: line)
        // A native port has no line, and no speed.
        let listener = port.driver == "cdc_acm" ? baud : speed
        for chunk in receiver.bytes(until: world.now) where isPlugged && !isSilent {
            guard world.machine.isOpen(line: line) else { continue }
            let bytes = BaudRateMismatch.read(chunk.bytes, sender: baud, listener: listener)
            world.machine.send(bytes, onLine: line)
            reader.read(bytes, of: "/dev/\(device)", in: world)
        }
    }

    func receive(in world: World) {
        world.require(
            world.machine.openCount(ofLine: line) <= 1, 36,
            "\(name) is open \(world.machine.openCount(ofLine: line)) times")
        guard world.machine.hasInput(onLine: line) else { return }
        let bytes = world.machine.received(onLine: line)
        guard isPlugged, !bytes.isEmpty else { return }
        world.trace.mix(bytes)
        world.trace.add(world.now, name, "gets \(bytes.count) bytes")
        world.lastCommand = world.now
        let sender = port.driver == "cdc_acm" ? baud : world.machine.speed(ofLine: line)
        send(in: world)
        let heard = BaudRateMismatch.read(bytes, sender: sender, listener: baud)
        let (commands, answer) = assistance.read(heard, of: name, in: world)
        receiver.process(commands, at: world.now)
        if !answer.isEmpty, sender == baud { world.machine.send(answer, onLine: line) }
    }

    /// A receiver on USB has no power without the machine, and starts anew.
    func daemonEnded(in world: World) {
        guard world.manager.powerCuts != powerCuts else { return }
        powerCuts = world.manager.powerCuts
        receiver.powerOn(at: world.now)
    }

    func endFaults(in world: World) {
        agenda.clear()
        isSilent = false
        world.machine.lock(line: line, byOther: false)
        world.machine.failOpening(line: line, 0)
        if !isPlugged { plugIn(in: world) }
    }
}

// MARK: Plugging
extension PluggedReceiver {
    /// The name of its device.
    private var device: String { port.driver == "cdc_acm" ? "ttyACM\(number)" : "ttyUSB\(number + 2)" }

    private func plugIn(in world: World) {
        guard !isPlugged else { return }
        isPlugged = true
        // The kernel gives a free number, which may be that of another device before.
        if random.chance(0.4) { number = (number + 2) % 8 }
        while world.machine.hasLine(at: "/dev/\(device)") { number = (number + 1) % 8 }
        world.trace.add(world.now, name, "is plugged in as \(device)")
        world.machine.plug(line: line, as: "/dev/\(device)")
        world.machine.list(port, as: device, line: line)
        receiver.powerOn(at: world.now)
        // udev has its rules to run before it tells.
        later(0.001..<0.5, at: world.now) { [unowned self] in
            if isPlugged { $0.machine.announce(port, "add") }
        }
        guard !world.faultsHaveEnded else { return }
        later(60..<4000, at: world.now) { [unowned self] in unplug(in: $0) }
        later(1..<3000, at: world.now) { [unowned self] in disturb(in: $0) }
    }

    private func unplug(in world: World) {
        guard isPlugged else { return }
        isPlugged = false
        world.withoutView.remove("/dev/\(device)")
        world.trace.add(world.now, name, "is unplugged")
        send(in: world)
        world.machine.unplug(line: line)
        world.machine.unlist(port)
        // The event follows the loss of the line.
        later(0.001..<0.1, at: world.now) { [unowned self] in $0.machine.announce(port, "remove") }
        later(0.2..<600, at: world.now) { [unowned self] in plugIn(in: $0) }
    }

    private func disturb(in world: World) {
        guard isPlugged else { return }
        let end: (World) -> Void
        switch random.integer(in: 0..<3) {
        case 0:
            world.trace.add(world.now, name, "is silent")
            isSilent = true
            end = { [unowned self] _ in isSilent = false }
        case 1:
            guard !world.machine.isOpen(line: line) else { return }
            world.trace.add(world.now, name, "is held by another program")
            world.machine.lock(line: line, byOther: true)
            end = { [unowned self] world in world.machine.lock(line: line, byOther: false) }
        default:
            world.trace.add(world.now, name, "may not be opened")
            // ENXIO and ENODEV would say that it is about to go.
            world.machine.failOpening(line: line, random.element(of: [EACCES, EBUSY, EIO]) ?? EACCES)
            end = { [unowned self] world in world.machine.failOpening(line: line, 0) }
        }
        later(1..<600, at: world.now, end)
    }
}
