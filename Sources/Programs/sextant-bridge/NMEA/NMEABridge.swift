import Bridges
import CLinux
import Chronology
import Glibc
import ServiceRuntime
import SextantAPI
import SystemCalls
import VarlinkClient

/// The role `nmea`: sends sentences to clients that connect, and to fixed addresses.
final class NMEABridge {
    /// What to send, and how often.
    struct Options {
        /// The sentences, in order.
        var kinds: [SentenceKind]
        var talker: String
        var isForGeoClue: Bool
        /// The minimum interval in seconds; nil for one second.
        var interval: Double?
        /// Whether to end without clients.
        var endsWhenIdle: Bool
    }

    private let loop: EventLoop
    private let log: ProgramLog
    private let options: Options
    private let senders: [DatagramSender]
    private let terminal: TerminalSender?
    private var server: SentenceServer
    private var table: ConnectionTable?
    private var updates: DaemonStream<SubscribeParameters, SubscribeReply>?
    private var receivers: DaemonStream<WatchParameters, Receivers>?
    private var idleExit: IdleExit
    private var loss = RepeatedProblem()

    /// Creates the bridge with sockets for clients, and addresses and a terminal to send to.
    init(
        socket: String, listeners: [StreamListener], senders: [DatagramSender], terminal: TerminalSender? = nil,
        options: Options, loop: EventLoop, log: ProgramLog
    ) throws(SystemError) {
        self.loop = loop
        self.log = log
        self.options = options
        self.senders = senders
        self.terminal = terminal
        idleExit = IdleExit(after: options.endsWhenIdle ? BridgeOptions.idleLimit : nil, at: loop.now)
        server = SentenceServer(options.kinds, talker: options.talker, isForGeoClue: options.isForGeoClue)
        // GeoClue never connects again to a socket that was closed.
        let table = ConnectionTable(in: loop, closesStalled: !options.isForGeoClue, keepsHalfClosed: true) {
            [weak self] client, event in
            if case .connected = event { self?.store(client) }
        }
        for listener in listeners { try table.accept(from: listener) }
        self.table = table
        updates = DaemonStream(LocationMethods.subscribe, of: socket, in: loop, isInSession: true) {
            [weak self] event in
            guard let self else { return }
            switch event {
            case .reply(let reply): send(server.receive(reply))
            case .lost(let error): report(error)
            }
        }
        receivers = DaemonStream(ReceiverMethods.watch, of: socket, in: loop) { [weak self] event in
            guard let self else { return }
            switch event {
            case .reply(let reply): send(server.receive(reply))
            case .lost(let error): report(error)
            }
        }
        loop.onDeadline = { [unowned self] now in tick(at: now) }
        loop.afterEachIteration = { [unowned self] in finishTurn() }
        setDemand()
        loop.setDeadline(deadline)
    }

    /// Continues to serve the clients of an earlier process. Their stored names are replaced.
    func restore(_ sockets: [ListenSockets.Passed]) {
        var clients: [ClientID] = []
        for socket in sockets {
            ServiceManager.removeStored(name: socket.name)
            if let client = table?.adopt(FileDescriptor(owning: socket.descriptor)) { clients.append(client) }
        }
        for client in clients { store(client) }
        finishTurn()
    }

    /// Keeps the connection if this process ends: a client notices nothing.
    private func store(_ client: ClientID) { table?.store(client, as: "nmea.\(client)") }

    private func send(_ piece: [UInt8]) {
        loss.reset()
        guard !piece.isEmpty, let table else { return }
        for client in table.clients { table.send(piece, to: client, at: loop.now) }
        for sender in senders { sender.send(piece) }
        terminal?.send(piece, at: loop.now)
    }

    private func report(_ error: ClientError) {
        let reason = "\(error)"
        if loss.shouldLog(reason) { log.write("\(reason); trying again", priority: .warning) }
    }

    private func tick(at now: Instant) {
        updates?.tick(at: now)
        receivers?.tick(at: now)
        if idleExit.isDue(at: now) { loop.exit(0) }
    }

    private func finishTurn() {
        setDemand()
        idleExit.update(isIdle: !isNeeded, at: loop.now)
        loop.setDeadline(deadline)
    }

    private var isNeeded: Bool { terminal != nil || !senders.isEmpty || table?.clients.isEmpty == false }

    /// A client cannot ask for sentences: its connection is the demand.
    private func setDemand() {
        let needsReceivers = !options.isForGeoClue || options.kinds.contains { $0 == .gsa || $0 == .gsv }
        if !isNeeded { server.end() }
        receivers?.request(isNeeded && needsReceivers ? WatchParameters() : nil)
        updates?.request(
            isNeeded
                ? SubscribeParameters(
                    configuration: .otherNavigation, minimumInterval: options.interval, pausesWhenStationary: false)
                : nil)
    }

    private var deadline: Instant? {
        earliest(idleExit.deadline, earliest(updates?.deadline, receivers?.deadline))
    }
}

/// A pseudo-terminal for programs that read a serial port, with a link to it.
///
/// A program that opens it gets sentences from then on. One that reads too slowly loses whole
/// epochs.
final class TerminalSender {
    private let master: FileDescriptor
    private let path: String
    private let link: PortSymlink
    private var queue = OutputQueue()

    /// Creates the pseudo-terminal, and the link at a path.
    init(link path: String) throws(SystemError) {
        var (master, slave): (Int32, Int32) = (-1, -1)
        try systemCall("opening a pseudo-terminal") { openpty(&master, &slave, nil, nil, nil) }
        self.master = FileDescriptor(owning: master)
        var name = [CChar](repeating: 0, count: 128)
        let code = ttyname_r(slave, &name, name.count)
        // After it was closed once, the terminal counts as hung up until a program opens it.
        close(slave)
        self.path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        link = PortSymlink(path: path)
        guard code == 0 else { throw SystemError(code: code, operation: "getting the name of the pseudo-terminal") }
        var settings = termios()
        try systemCall("reading the settings of \(self.path)") { tcgetattr(master, &settings) }
        cfmakeraw(&settings)
        try systemCall("configuring \(self.path)") { tcsetattr(master, TCSANOW, &settings) }
        try systemCall("configuring \(self.path)") { fcntl(master, F_SETFL, O_NONBLOCK) }
        try systemCall("configuring \(self.path)") { fcntl(master, F_SETFD, FD_CLOEXEC) }
        try link.point(to: self.path)
    }

    deinit { link.remove(ifPointingTo: path) }

    /// Whether a program has the terminal open.
    private var hasReader: Bool {
        var descriptor = pollfd(fd: master.number, events: 0, revents: 0)
        return uninterrupted { poll(&descriptor, 1, 0) } >= 0 && Int32(descriptor.revents) & Int32(POLLHUP) == 0
    }

    /// Writes whole sentences, or drops them if earlier ones still wait.
    func send(_ sentences: [UInt8], at now: Instant) {
        guard hasReader else {
            queue = OutputQueue()
            return
        }
        if queue.isEmpty { queue.append(sentences, at: now) }
        queue.write(at: now) { bytes in max(0, uninterrupted { write(master.number, bytes.baseAddress, bytes.count) }) }
    }
}

/// Sends sentences to a UDP address: one host, a broadcast address or a multicast group.
///
/// A datagram that cannot be sent is lost: the network may come later, and the next one has a newer
/// position.
final class DatagramSender {
    private let address: NetworkAddress
    private let socket: FileDescriptor

    /// Opens a socket for `HOST:PORT`.
    init(_ text: String) throws(BridgeError) {
        address = try NetworkAddress(text)
        do throws(SystemError) { socket = try address.datagramSocket() } catch { throw .system(error) }
    }

    /// Sends whole sentences in as few datagrams as possible.
    func send(_ sentences: [UInt8]) {
        for datagram in Datagrams.split(sentences) {
            datagram.withUnsafeBytes { address.send($0, through: socket) }
        }
    }
}
