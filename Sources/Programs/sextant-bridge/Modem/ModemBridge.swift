import Bridges
import Chronology
import Glibc
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink
import VarlinkClient

/// The role `modem`: switches the GNSS of a modem on through ModemManager while it is needed.
final class ModemBridge {
    private static let service = "org.freedesktop.ModemManager1"
    private static let manager = "/org/freedesktop/ModemManager1"
    private static let location = "org.freedesktop.ModemManager1.Modem.Location"
    /// The member of a location that has the sentences: MM_MODEM_LOCATION_SOURCE_GPS_NMEA.
    private static let sentences = "4"
    /// Seconds between reports of the receivers that only an epoch causes.
    private static let epochInterval = 3600.0
    /// How long the end of the program waits for ModemManager, in microseconds.
    private static let lastCallTimeout: UInt64 = 5_000_000

    /// What can fail. The last problem of each is logged once.
    private enum Subject { case daemon, modems, sentences, gnss }

    private let name: String
    private let socket: String
    private let bus: SystemBus
    private let loop: EventLoop
    private let log: ProgramLog
    private let calls: DaemonCalls
    private var control: ModemControl
    private var receivers: DaemonStream<WatchParameters, Receivers>?
    /// The receiver that is provided.
    private var feed: FeedConnection?
    private var readings = ModemReadings()
    private var problems: [Subject: RepeatedProblem] = [:]

    /// Creates the bridge.
    ///
    /// - Parameters:
    ///   - name: The name of the receiver that is provided for a modem without a port.
    ///   - socket: The path of the daemon's socket.
    init(_ name: String, socket: String, bus: SystemBus, loop: EventLoop, log: ProgramLog) throws {
        self.name = name
        self.socket = socket
        self.bus = bus
        self.loop = loop
        self.log = log
        control = ModemControl(name: name)
        calls = DaemonCalls(of: socket, in: loop)
        receivers = DaemonStream(ReceiverMethods.watch, of: socket, in: loop) { [weak self] event in
            self?.handle(event)
        }
        receivers?.request(WatchParameters(minimumInterval: ModemBridge.epochInterval))
        try watchModems()
        loop.onDeadline = { [unowned self] now in
            receivers?.tick(at: now)
            calls.tick(at: now)
            feed?.tick(at: now)
            control.tick(at: now)
        }
        loop.afterEachIteration = { [unowned self] in finishTurn() }
        loop.setDeadline(deadline)
    }

    /// Switches the GNSS off. ModemManager asks polkit about the caller, which must be there until
    /// the reply.
    deinit {
        guard let last = control.lastSetup else { return }
        let call = ModemBridge.setup(last.path, last.sources, signals: last.signals)
        bus.callAndWait(call, timeout: ModemBridge.lastCallTimeout)
    }

    private var deadline: Instant? {
        let deadline = earliest(earliest(receivers?.deadline, calls.deadline), readings.deadline)
        return earliest(deadline, earliest(feed?.deadline, control.deadline))
    }

    private func handle(_ event: DaemonStream<WatchParameters, Receivers>.Event) {
        switch event {
        case .reply(let reply):
            problems[.daemon] = nil
            control.update(receivers: ModemBridge.resolved(reply), at: loop.now)
        case .lost(let error):
            control.update(receivers: nil, at: loop.now)
            report("\(error); trying again", about: .daemon)
        }
    }

    /// The receivers with the device files of their ports: a configuration may name a link.
    static func resolved(_ receivers: Receivers) -> Receivers {
        var receivers = receivers
        for index in receivers.receivers.indices {
            receivers.receivers[index].port = deviceFile(of: receivers.receivers[index].port)
        }
        receivers.unconfirmedPorts = receivers.unconfirmedPorts?.map { port in
            var port = port
            port.port = deviceFile(of: port.port)
            return port
        }
        return receivers
    }

    private static func deviceFile(of port: String) -> String {
        guard let path = realpath(port, nil) else { return port }
        defer { free(path) }
        return String(cString: path)
    }

    private func finishTurn() {
        var actions = control.takeActions()
        while !actions.isEmpty {
            for action in actions { perform(action) }
            actions = control.takeActions()
        }
        readModems()
        loop.setDeadline(deadline)
    }

    private func perform(_ action: ModemControl.Action) {
        switch action {
        case .readModems: readings.request()
        case .setUp(let path, let sources, let signals): setUp(path, sources, signals: signals)
        case .readSentences(let path): readSentences(of: path)
        case .readConsumers:
            calls.call(ManagerMethods.getConsumers, with: NoParameters()) { [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let reply): control.update(consumers: reply.consumers, at: loop.now)
                case .failure(.failed(_, let error)): control.consumersRefused("\(error)")
                // The daemon is away, which the stream of its receivers reports.
                case .failure: break
                }
            }
        case .provide(let product):
            feed = FeedConnection(FeedParameters(name: name, product: product), to: socket, in: loop, log: log)
        case .withdraw: feed = nil
        case .send(let sentences): feed?.send(sentences)
        case .state(let text):
            problems[.gnss] = nil
            log.write(text)
        case .problem(let text): report(text, about: .gnss)
        }
    }

    /// Logs each problem once.
    private func report(_ reason: String, about subject: Subject) {
        guard problems[subject, default: RepeatedProblem()].shouldLog(reason) else { return }
        log.write(reason, priority: .warning)
    }
}

// MARK: ModemManager
extension ModemBridge {
    /// Reads the modems again after each change that concerns them.
    private func watchModems() throws(SystemError) {
        let service = ModemBridge.service
        try bus.match("interface='org.freedesktop.DBus.ObjectManager'", of: service) { [weak self] _ in
            self?.readings.request()
        }
        for interface in ["org.freedesktop.ModemManager1.Modem", ModemBridge.location] {
            let properties = "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'"
            try bus.match("\(properties),arg0='\(interface)'", of: service) { [weak self] arguments in
                let changed = arguments.dropFirst().first?.object?.keys
                if changed?.contains(where: Modem.properties.contains) == true { self?.readings.request() }
            }
        }
        try bus.match("member='NameOwnerChanged',arg0='\(service)'", of: SystemBus.name) { [weak self] arguments in
            guard let self else { return }
            readings.request()
            // The new owner is empty: ModemManager has ended, even if it is back before the next
            // reading.
            if arguments.last?.string == "" { control.update(modems: nil, at: loop.now) }
        }
    }

    private func readModems() {
        guard readings.begin(at: loop.now) else { return }
        let call = SystemBus.Call(
            ModemBridge.service, path: ModemBridge.manager, interface: "org.freedesktop.DBus.ObjectManager",
            method: "GetManagedObjects")
        bus.call(call) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let values):
                problems[.modems] = nil
                readings.end(hasFailed: false, at: loop.now)
                control.update(modems: Modem.all(in: values.first ?? .null), at: loop.now)
            case .failure(let failure) where failure.isServiceAbsent:
                readings.end(hasFailed: false, at: loop.now)
                control.update(modems: nil, at: loop.now)
            // The modems stay as they were last read.
            case .failure(let failure):
                readings.end(hasFailed: true, at: loop.now)
                report("ModemManager does not list its modems: \(failure.message); trying again", about: .modems)
            }
        }
    }

    private static func setup(_ path: String, _ sources: ModemSources, signals: Bool) -> SystemBus.Call {
        SystemBus.Call(
            service, path: path, interface: location, method: "Setup",
            arguments: [.uint32(sources.rawValue), .bool(signals)])
    }

    private func setUp(_ path: String, _ sources: ModemSources, signals: Bool) {
        bus.call(ModemBridge.setup(path, sources, signals: signals)) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success:
                problems[.gnss] = nil
                control.setUpEnded(nil, at: loop.now)
            case .failure(let failure): control.setUpEnded((failure.name, failure.message), at: loop.now)
            }
        }
    }

    private func readSentences(of path: String) {
        let call = SystemBus.Call(
            ModemBridge.service, path: path, interface: ModemBridge.location, method: "GetLocation")
        bus.call(call) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let values):
                problems[.sentences] = nil
                control.receive(values.first?[ModemBridge.sentences]?.string, from: path)
            case .failure(let failure):
                control.receive(nil, from: path)
                report("reading the location of the modem: \(failure.message)", about: .sentences)
            }
        }
    }
}

/// `sextant-bridge modem`
struct ModemCommand: ProgramRole {
    private var name = "modem"
    private var options = BridgeOptions()

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        if option == "name" { name = value } else { try options.set(option, to: value) }
    }

    static let table = OptionTable(
        program: SextantBridge.name, role: "modem", usage: "[--name NAME] [--socket PATH]",
        abstract: "Switch the GNSS of a modem on while it is needed, through ModemManager.",
        discussion: """
            If other programs may read the modem's NMEA port, the service reads it like that of any receiver. \
            Otherwise the bridge reads the sentences from ModemManager and provides a receiver.
            """,
        entries: [
            .init("name", "NAME", "The name of the receiver that the bridge provides (default: modem).")
        ] + BridgeOptions.entries)

    func validate() throws(UsageError) {
        guard FeedParameters.isName(name) else {
            throw UsageError(message: "--name needs 1 to 64 letters, digits, dots, hyphens and underscores")
        }
    }

    func run() throws -> CInt {
        try options.run { loop, log in
            try ModemBridge(name, socket: options.daemon, bus: try SystemBus(in: loop), loop: loop, log: log)
        }
    }
}
