import Chronology
import Locator
import Logging
import Receivers
import Serial
import Systemd

/// Every port the daemon knows: named ones, and those that udev or a look at the system finds.
final class PortRegister {
    /// How often the system is looked at where no udev runs.
    static let polling = Instant.Span.seconds(5)

    private(set) var ports: [Port] = []
    /// Ports that are no longer wanted, whose receivers are being given back their settings, and until when at most.
    private var parting: [(port: Port, until: Instant)] = []
    /// Discovery waits for them: it would find their devices, and in use.
    private var discoversLater = false
    private let loop: EventLoop
    var log: Logger
    private var events: Port.Events
    private var nextID = 0
    private var memory: SpeedMemory
    private let stateDirectory: String
    private let memoryFile: SpeedMemoryFile
    private var receivers: ReceiverMemories
    private let receiversFile: ReceiverMemoryFile
    private var power = Settings.Power.auto
    private var monitor: UdevMonitor?
    private var source: IOSource?
    private var roll = DeviceRoll()
    private var nextLook: Instant?

    init(loop: EventLoop, log: Logger, stateDirectory: String, events: Port.Events) {
        self.loop = loop
        self.log = log
        self.events = events
        self.stateDirectory = stateDirectory
        memoryFile = SpeedMemoryFile(path: "\(stateDirectory)/speeds")
        receiversFile = ReceiverMemoryFile(path: "\(stateDirectory)/receivers")
        let (speeds, receivers) = (memoryFile.load(), receiversFile.load())
        (memory, self.receivers) = (speeds.memory, receivers.memories)
        for notice in [speeds.notice?.description, receivers.notice].compactMap(\.self) { log.warning("\(notice)") }
        let locked = events.locked
        self.events.locked = { [unowned self] port, speed in
            remember(port, speed)
            locked(port, speed)
        }
        self.events.aside = { [unowned self] in tellAside($0) }
        self.events.remember = { [unowned self] in keep($1, of: $0) }
    }

    /// The port of a receiver.
    subscript(id: ReceiverID) -> Port? { ports.first { $0.id == id } }

    var deadline: Instant? {
        let soonest = ports.reduce(nextLook) { earliest($0, $1.deadline) }
        return parting.reduce(soonest) { earliest($0, earliest($1.until, $1.port.deadline)) }
    }

    func tick(at now: Instant) {
        for port in ports { port.tick(at: now) }
        part(at: now)
        if let nextLook, nextLook <= now {
            self.nextLook = now + PortRegister.polling
            look(at: now)
        }
    }

    /// Takes the settings over: named ports come and go, discovery starts or stops. Ports that stay are not disturbed.
    func apply(_ settings: Settings, at now: Instant) {
        power = settings.power
        let unwanted = ports.filter { !($0.named.map(settings.ports.contains) ?? settings.discover) }
        for port in unwanted {
            // Where another entry names the device, it goes on from what is remembered of it.
            let isNamedAnew = settings.ports.contains { port.isAt($0.device) || DeviceRegister.leadsTo($0.device, port.device.path) }
            drop(port, givesBack: !isNamedAnew, at: now)
        }
        for named in settings.ports where !ports.contains(where: { $0.named == named }) {
            // Found by itself before it was named: the name takes over.
            for twin in ports where twin.isAt(named.device) { drop(twin, at: now) }
            begin(DeviceRegister.describe(named.device), named, at: now)
        }
        // What is named no longer is one of those that may be found by themselves: they are all told of anew.
        if !settings.discover || !unwanted.isEmpty { stopDiscovery() }
        discoversLater = settings.discover && !parting.isEmpty
        if settings.discover, !discoversLater { startDiscovery(at: now) }
    }

    private func begin(_ device: DeviceDescription, _ named: Settings.NamedPort?, at now: Instant) {
        defer { nextID += 1 }
        let port = Port(
            id: ReceiverID(nextID), name: freeName(named?.name ?? device.name), device: device, named: named, loop: loop,
            remembered: Port.Remembered(
                speed: { [unowned self] in memory[device.identity] }, receiver: { [unowned self] in receivers[device.identity] }),
            power: power, holder: { [unowned self] in holder(of: $0) }, events: events)
        ports.append(port)
        if port.isBelieved { events.proven(port, now) }
        port.open(at: now)
    }

    /// Clients ask for receivers by name: of two ports that end in "gps", the second is "gps-2".
    private func freeName(_ name: String) -> String {
        let taken = Set(ports.map(\.name))
        var number = 2
        while taken.contains("\(name)-\(number)") { number += 1 }
        return taken.contains(name) ? "\(name)-\(number)" : name
    }

    private func holder(of port: Port) -> String? {
        let open = ports + parting.map(\.port)
        return open.first { $0 !== port && $0.isOpen && DeviceRegister.leadsTo($0.device.path, port.device.path) }?.name
    }

    /// - Parameter givesBack: whether its receiver is first given back its settings, as at the end of the program.
    private func drop(_ port: Port, givesBack: Bool = false, at now: Instant) {
        ports.removeAll { $0 === port }
        events.dropped(port, now)
        guard givesBack else { return port.close() }
        port.finish(at: now)
        if port.isFinished { port.close() } else { parting.append((port, now + Daemon.partingTime)) }
    }

    /// Lets those go on that are given back their settings, and closes those that have them.
    private func part(at now: Instant) {
        guard !parting.isEmpty else { return }
        for (port, _) in parting { port.tick(at: now) }
        for (port, until) in parting where port.isFinished || until <= now { port.close() }
        parting.removeAll { $0.port.isFinished || $0.until <= now }
        guard parting.isEmpty, discoversLater else { return }
        discoversLater = false
        startDiscovery(at: now)
    }

    /// A converter that cannot be listened to shows nothing, and clients hear of it only when it has: the log is where it can be found out.
    private func tellAside(_ port: Port) {
        switch port.status {
        case .denied(let words), .busy(let words): log.notice("\(words)", metadata: ["receiver": "\(port.name)"])
        case .absent(let words, _): log.info("\(words)", metadata: ["receiver": "\(port.name)"])
        case .open, .hunting: break
        }
    }

    private func remember(_ port: Port, _ speed: Int) {
        guard memory.remember(speed, for: port.device.identity) else { return }
        do {
            try StateDirectory.make(stateDirectory)
            try memoryFile.save(memory)
        } catch {
            log.warning("the speed of \(port.device.path) will not be remembered: \(error)")
        }
    }
}

// MARK: What receivers are told
extension PortRegister {
    /// Saved before anything is written: after a crash the next start has to know of a receiver that was put to sleep.
    private func keep(_ memory: ReceiverMemory?, of port: Port) {
        guard receivers.remember(memory, for: port.device.identity) else { return }
        do {
            try StateDirectory.make(stateDirectory)
            try receiversFile.save(receivers)
        } catch {
            log.warning("what was done to the receiver at \(port.device.path) will not be remembered: \(error)")
        }
    }

    /// Takes back what was set in every receiver. Go on with ``tick(at:)`` until ``areFinished``.
    func finish(at now: Instant) {
        for port in ports { port.finish(at: now) }
    }

    /// Whether nothing is left to take back.
    var areFinished: Bool { ports.allSatisfy(\.isFinished) && parting.allSatisfy { $0.port.isFinished } }
}

// MARK: Discovery
extension PortRegister {
    private func startDiscovery(at now: Instant) {
        guard monitor == nil && nextLook == nil else { return }
        do {
            let monitor = try UdevMonitor()
            self.monitor = monitor
            source = try loop.watch(monitor.descriptor, for: .readable) { [unowned self] _ in
                for event in monitor.receive() { handle(event, at: loop.now) }
            }
            for event in monitor.catchUp() { handle(event, at: now) }
        } catch {
            monitor = nil
            log.notice("\(error); looking for receivers every \(Int(PortRegister.polling.seconds)) s instead")
            nextLook = now
        }
    }

    /// Where no udev runs: what has come and gone since the last look, and what did both.
    private func look(at now: Instant) {
        let present = DeviceRegister.present()
        for event in roll.update(with: present) { handle(event, at: now) }
        for port in ports where port.isAwaited && present.contains(where: { $0.path == port.device.path }) { port.open(at: now) }
    }

    private func stopDiscovery() {
        source?.remove()
        (source, monitor, nextLook) = (nil, nil, nil)
        roll = DeviceRoll()
    }

    private func handle(_ event: DeviceEvent, at now: Instant) {
        switch event {
        case .appeared(let device): appeared(device, at: now)
        case .vanished(let path): vanished(path, at: now)
        }
    }

    private func appeared(_ device: DeviceDescription, at now: Instant) {
        // The same receiver may come back under another name, and another device under the same name.
        for old in ports where old.named == nil && !old.isOpen {
            if (old.device.identity == device.identity) != (old.device.path == device.path) { drop(old, at: now) }
        }
        if let known = ports.first(where: { $0.device.path == device.path || DeviceRegister.leadsTo(device.path, $0.device.path) }) {
            if !known.isOpen { known.open(at: now) }
        } else if device.kind.isOpenedUnasked {
            log.info("found \(device.name)\(device.model.map { ": \($0)" } ?? "")")
            begin(device, nil, at: now)
        } else if case .unsupported(let reason) = device.kind {
            log.notice("\(device.name) is left alone: \(reason)")
        }
    }

    /// A receiver that has told of itself stays on the list as absent; a converter that never did is forgotten.
    private func vanished(_ path: String, at now: Instant) {
        for port in ports where port.device.path == path {
            if port.named == nil && !port.isBelieved { drop(port, at: now) } else { port.vanished(at: now) }
        }
    }
}

extension Port {
    /// Whether a path is this port's, or leads to a port that was found by itself.
    fileprivate func isAt(_ path: String) -> Bool {
        device.path == path || named == nil && DeviceRegister.leadsTo(path, device.path)
    }
}
