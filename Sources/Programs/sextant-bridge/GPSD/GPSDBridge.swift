import Bridges
import Chronology
import ServiceRuntime
import SextantAPI
import SystemCalls
import VarlinkClient

/// The role `gpsd`: connects ``GPSDServer`` with the sockets of its clients and with the daemon.
final class GPSDBridge {
    /// What is requested of the daemon.
    private struct Demand: Equatable {
        var data: GPSDServer.Demand
        var selected: [String: GPSDServer.Demand]
        var sentences: Bool
        var attitude: Bool
        var skyInterval: Double?
    }

    private let loop: EventLoop
    private let log: ProgramLog
    private var server: GPSDServer
    private var table: ConnectionTable?
    private let socket: String
    private var updates: DaemonStream<SubscribeParameters, SubscribeReply>?
    /// The locations of receivers that clients have selected, by the path of the port.
    private var selected: [String: DaemonStream<SubscribeParameters, SubscribeReply>] = [:]
    /// Requests of the newest location, of the device with nil.
    private var requests: [String?: DaemonStream<GetLocationParameters, RecentLocation>] = [:]
    private var receivers: DaemonStream<WatchParameters, Receivers>?
    private var headings: DaemonStream<WatchHeadingParameters, HeadingUpdate>?
    private var sentences: DaemonStream<SentencesParameters, SentencesReply>?
    private var idleExit: IdleExit
    private var loss = RepeatedProblem()
    /// Whether the receivers' states have been read since the last position.
    private var hasReceivers = false
    private var lastDemand: Demand?
    private var turns = RequestTurns()
    /// Causes a further turn while requests wait.
    private var work: DeferredWork?

    /// How long requests are answered before other events.
    private static let turnDuration = Instant.Span.milliseconds(1)
    /// The age in seconds up to which the newest location is of use: the daemon gives it at once,
    /// and wakes no receiver.
    private static let maxAge = 86_400.0

    /// Creates the bridge.
    ///
    /// - Parameters:
    ///   - socket: The path of the daemon's socket.
    ///   - listeners: The sockets for gpsd's clients.
    ///   - release: The release of gpsd to state.
    ///   - endsWhenIdle: Whether to end without clients.
    init(
        socket: String, listeners: [StreamListener], release: String, endsWhenIdle: Bool, loop: EventLoop,
        log: ProgramLog
    ) throws(SystemError) {
        self.loop = loop
        self.log = log
        self.socket = socket
        idleExit = IdleExit(after: endsWhenIdle ? BridgeOptions.idleLimit : nil, at: loop.now)
        server = GPSDServer(release: release, revision: "sextant \(SextantVersion.current)")
        let table = ConnectionTable(in: loop) { [weak self] in self?.handle($0, $1) }
        for listener in listeners { try table.accept(from: listener) }
        self.table = table
        updates = DaemonStream(LocationMethods.subscribe, of: socket, in: loop, isInSession: true) {
            [weak self] event in
            switch event {
            case .reply(let reply): self?.receive(reply)
            case .lost(let error): self?.lose(error)
            }
        }
        receivers = DaemonStream(ReceiverMethods.watch, of: socket, in: loop) { [weak self] event in
            switch event {
            case .reply(let reply): self?.receive(reply)
            case .lost(let error): self?.lose(error)
            }
        }
        headings = DaemonStream(LocationMethods.watchHeading, of: socket, in: loop, isInSession: true) {
            [weak self] event in
            if case .reply(let reply) = event { self?.server.receive(reply, at: loop.now) }
        }
        // A direction waits for the next position, which is the wakeup.
        headings?.isEager = false
        sentences = DaemonStream(ReceiverMethods.sentences, of: socket, in: loop, isInSession: true) {
            [weak self] event in
            switch event {
            case .reply(let reply): self?.server.receive(reply)
            case .lost(.failed): self?.server.refuseSentences()
            case .lost: break
            }
        }
        // The end of its iteration continues with the requests.
        work = try loop.makeDeferredWork {}
        loop.onDeadline = { [unowned self] now in tick(at: now) }
        loop.afterEachIteration = { [unowned self] in finishTurn() }
        loop.setDeadline(deadline)
    }

    /// Continues to serve the clients of an earlier process. Their stored names are replaced.
    func restore(_ sockets: [ListenSockets.Passed]) {
        for socket in sockets {
            guard let stored = StoredClient(name: socket.name),
                let client = table?.adopt(FileDescriptor(owning: socket.descriptor))
            else {
                continue
            }
            ServiceManager.removeStored(name: socket.name)
            server.restore(client, stored, at: loop.now)
        }
        finishTurn()
    }

    private func handle(_ client: ClientID, _ event: ConnectionTable.Event) {
        switch event {
        case .connected: server.connect(client, at: loop.now)
        case .received(let bytes): server.receive(bytes, from: client, at: loop.now)
        case .drained: if turns.unblock(client) { addTurn(of: client) }
        case .ended:
            turns.remove(client)
            server.disconnect(client, at: loop.now)
        }
    }

    private func addTurn(of client: ClientID) {
        if let table { turns.append(client, user: table.user(of: client)) }
    }

    /// Answers requests in turn for a while. What the other clients send waits in the kernel.
    private func answerRequests(at now: Instant) {
        guard !turns.isEmpty, let table else { return }
        readReceivers()
        server.setClock(HostClock.utc, at: now)
        let end = HostClock.now + GPSDBridge.turnDuration
        while let client = turns.popFirst() {
            if table.isBlocked(client) {
                turns.block(client)
            } else {
                server.answerRequest(of: client, at: now)
                carryOutEffects(at: now)
                if !turns.contains(client) { table.setPaused(false, client) }
            }
            if HostClock.now >= end { break }
        }
        for client in turns.takeAdded() { table.setPaused(true, client) }
        work?.isScheduled = !turns.isEmpty
    }

    /// Reports the position first, and then reads what else has arrived. It is reported with the
    /// next position, which is the next wakeup.
    private func receive(_ reply: SubscribeReply) {
        loss.reset()
        if !hasReceivers, server.skyInterval == nil { readReceivers() }
        server.receive(reply, at: loop.now)
        carryOutEffects(at: loop.now)
        hasReceivers = false
        if lastDemand?.attitude == true { headings?.read() }
        readReceivers()
    }

    /// The location of a receiver that clients have selected.
    private func receive(_ event: DaemonStream<SubscribeParameters, SubscribeReply>.Event, ofDevice path: String) {
        switch event {
        case .reply(let reply):
            if server.skyInterval == nil { readReceivers() }
            server.receive(reply, ofDevice: path, at: loop.now)
            carryOutEffects(at: loop.now)
            readReceivers()
        case .lost(let error):
            report(error)
            server.loseDevice(path, at: loop.now)
        }
    }

    private func requestLocation(ofDevice path: String?) {
        let request =
            requests[path]
            ?? DaemonStream(LocationMethods.getLocation, of: socket, in: loop, isInSession: true) { [weak self] event in
                self?.finishRequest(event, ofDevice: path)
            }
        requests[path] = request
        request.request(GetLocationParameters(maximumAge: GPSDBridge.maxAge, timeout: 0, receiver: path))
    }

    private func finishRequest(
        _ event: DaemonStream<GetLocationParameters, RecentLocation>.Event, ofDevice path: String?
    ) {
        requests[path]?.request(nil)
        var newest: Location?
        if case .reply(let reply) = event { newest = reply.location }
        server.receive(newest: newest, ofDevice: path, at: loop.now)
    }

    private func readReceivers() {
        if receivers?.isEager == false { receivers?.read() }
    }

    private func receive(_ reply: Receivers) {
        hasReceivers = true
        server.receive(reply, time: HostClock.utc, at: loop.now)
    }

    /// The stream is requested again by itself. Each reason is logged once.
    private func lose(_ error: ClientError) {
        report(error)
        server.loseDaemon(at: loop.now)
    }

    private func report(_ error: ClientError) {
        let reason = "\(error)"
        if loss.shouldLog(reason) { log.write("\(reason); trying again", priority: .warning) }
    }

    private func tick(at now: Instant) {
        server.tick(at: now)
        updates?.tick(at: now)
        receivers?.tick(at: now)
        headings?.tick(at: now)
        sentences?.tick(at: now)
        for stream in selected.values { stream.tick(at: now) }
        if idleExit.isDue(at: now) { loop.exit(0) }
    }

    /// Carries out the effects of the turn, and requests what the daemon must provide next.
    private func finishTurn() {
        let now = loop.now
        carryOutEffects(at: now)
        answerRequests(at: now)
        setDemand(at: now)
        // A daemon that cannot be reached causes effects at once.
        carryOutEffects(at: now)
        idleExit.update(isIdle: table?.clients.isEmpty == true, at: now)
        loop.setDeadline(deadline)
    }

    /// Repeats until nothing is left: effects may close connections, which has effects again.
    private func carryOutEffects(at now: Instant) {
        var effects = server.takeEffects()
        while !effects.isEmpty {
            for effect in effects {
                switch effect {
                case .send(let clients, let piece): for client in clients { table?.send(piece, to: client, at: now) }
                case .answer(let client): addTurn(of: client)
                case .requestLocation(let device): requestLocation(ofDevice: device)
                case .close(let client): table?.close(client)
                case .store(let client, let stored): table?.store(client, as: stored?.name)
                }
            }
            effects = server.takeEffects()
        }
    }

    private func setDemand(at now: Instant) {
        let (demand, selected) = (server.demand(at: now), server.selectedDemand(at: now))
        let most = max(demand, selected.values.max() ?? .nothing)
        // With a position each epoch is one wakeup; without one the receivers' states are the
        // reports.
        receivers?.isEager = most < .polls || !server.hasPosition
        let new = Demand(
            data: demand, selected: selected, sentences: server.wantsSentences,
            attitude: demand == .stream && server.wantsAttitude(at: now),
            skyInterval: most >= .polls ? server.skyInterval : nil)
        guard new != lastDemand else { return }
        lastDemand = new
        if demand < .polls { server.endUpdates() }
        if most < .devices { server.endReceivers() }
        receivers?.request(most >= .devices ? WatchParameters(minimumInterval: new.skyInterval) : nil)
        updates?.request(GPSDBridge.subscription(for: demand))
        setSelected(selected)
        headings?.request(new.attitude ? WatchHeadingParameters(passive: true) : nil)
        sentences?.request(new.sentences ? SentencesParameters() : nil)
    }

    private func setSelected(_ demand: [String: GPSDServer.Demand]) {
        for (path, stream) in selected where demand[path] == nil {
            stream.request(nil)
            selected[path] = nil
            requests[path]?.request(nil)
            requests[path] = nil
        }
        for (path, demand) in demand {
            let stream =
                selected[path]
                ?? DaemonStream(LocationMethods.subscribe, of: socket, in: loop, isInSession: true) {
                    [weak self] event in
                    self?.receive(event, ofDevice: path)
                }
            selected[path] = stream
            stream.request(GPSDBridge.subscription(for: demand, receiver: path))
        }
    }

    /// A client that watches needs each epoch, also at rest. A client that polls is content with
    /// the default.
    private static func subscription(
        for demand: GPSDServer.Demand, receiver: String? = nil
    ) -> SubscribeParameters? {
        switch demand {
        case .nothing, .devices: nil
        case .polls: SubscribeParameters(configuration: .default, receiver: receiver)
        case .stream:
            SubscribeParameters(
                configuration: .automotiveNavigation, receiver: receiver, pausesWhenStationary: false)
        }
    }

    private var deadline: Instant? {
        let streams = earliest(
            earliest(updates?.deadline, receivers?.deadline), earliest(sentences?.deadline, headings?.deadline))
        let others = selected.values.lazy.compactMap(\.deadline).min()
        return earliest(earliest(server.deadline, idleExit.deadline), earliest(streams, others))
    }
}

/// The clients whose requests wait, in the order of their turns.
struct RequestTurns {
    private var queue = CallQueue()
    private var users: [ClientID: UInt32] = [:]
    /// The clients that read no answers. Their requests wait until they do.
    private var blocked: Set<ClientID> = []
    /// The clients that were added since ``takeAdded()``.
    private var added: [ClientID] = []

    var isEmpty: Bool { queue.isEmpty }

    func contains(_ client: ClientID) -> Bool { users[client] != nil || blocked.contains(client) }

    /// Adds a client behind the others of its user.
    mutating func append(_ client: ClientID, user: UInt32) {
        guard !contains(client) else { return }
        users[client] = user
        queue.append(client.asInt, user: user)
        added.append(client)
    }

    mutating func popFirst() -> ClientID? {
        guard let number = queue.popFirst() else { return nil }
        let client = ClientID(number: number)
        users[client] = nil
        return client
    }

    /// Lets a client wait until ``unblock(_:)``.
    mutating func block(_ client: ClientID) { blocked.insert(client) }

    mutating func unblock(_ client: ClientID) -> Bool { blocked.remove(client) != nil }

    mutating func remove(_ client: ClientID) {
        blocked.remove(client)
        if let user = users.removeValue(forKey: client) { queue.remove(client.asInt, user: user) }
    }

    /// Returns the clients that still wait of those that were added since the last call.
    mutating func takeAdded() -> [ClientID] {
        defer { added.removeAll(keepingCapacity: true) }
        return added.filter(contains)
    }
}
