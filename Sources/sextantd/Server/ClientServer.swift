import Chronology
import Glibc
import Logging
import SystemCalls
import Systemd
import Varlink
import Wire

/// Accepts clients within the limits and runs their connections.
final class ClientServer {
    /// Callbacks for events of clients.
    struct Events {
        /// A client called one of the daemon's own methods. The handler must reply or hold the
        /// call.
        var call: (ClientSession, Call) -> Void = { _, _ in }
        /// The client has read its output queue, and the kernel accepts more.
        var outputDrained: (ClientSession) -> Void = { _ in }
        /// A connection has ended.
        var closed: (ClientSession) -> Void = { _ in }
    }

    private let loop: EventLoop
    private var log: Logger
    private var directory: ServiceDirectory
    private var events = Events()
    private var listener: UnixListener?
    /// The path of the socket, or a description of a socket without a known path.
    private(set) var socketName = ""
    private var source: IOSource?
    private var sessions: [Int: ClientSession] = [:]
    private var perUser: [UInt32: Int] = [:]
    private var nextNumber = 0
    private var lastRefusalLogged: Instant?
    private var maxPerUser: Int
    private var maxTotal: Int

    init(loop: EventLoop, log: Logger, settings: Settings) throws {
        self.loop = loop
        self.log = log
        maxPerUser = settings.maxConnectionsPerUser
        maxTotal = settings.maxConnections
        directory = try ServiceDirectory(
            vendor: "Sextant", product: "sextantd", version: SextantVersion.current, url: "https://sextant.io",
            naming: Interface.allCases.map(\.rawValue), text: { Interface(rawValue: $0)?.text })
    }

    /// Applies the limits and the log level of settings.
    func apply(_ settings: Settings) {
        log.logLevel = settings.logLevel
        maxPerUser = settings.maxConnectionsPerUser
        maxTotal = settings.maxConnections
    }

    var count: Int { sessions.count }

    /// Opens the socket: the one that the service manager passed, or else the one at `path`.
    func open(at path: String) throws {
        if let handed = try ListenSockets.claim(named: "varlink") {
            socketName = "a socket passed by the service manager"
            listener = UnixListener(adopting: handed)
        } else {
            socketName = path
            listener = try UnixListener(path: path)
        }
    }

    /// Starts to accept clients.
    func start(_ events: Events) throws {
        guard let listener else { return }
        self.events = events
        source = try loop.watch(listener.descriptor, for: .readable) { [unowned self] _ in accept() }
    }

    subscript(number: Int) -> ClientSession? { sessions[number] }

    /// Returns the sessions whose activity satisfies a predicate.
    func sessions(where isIncluded: (ClientSession.Activity) -> Bool) -> [ClientSession] {
        sessions.values.filter { isIncluded($0.activity) }
    }

    /// Returns whether the activity of any session satisfies a predicate.
    func hasSession(where isIncluded: (ClientSession.Activity) -> Bool) -> Bool {
        sessions.values.contains { isIncluded($0.activity) }
    }

    /// Sends the output of a session, processes its next call, and closes the session when it is
    /// finished.
    ///
    /// A call starts after the previous replies were passed to the kernel, so pipelined calls
    /// proceed at the client's reading speed.
    func advance(_ session: ClientSession) {
        guard session.send() else { return drop(session) }
        while !session.hasPendingOutput, let action = session.connection.next() {
            switch action {
            case .call(let call): serve(call, session)
            case .close(let reason): return finish(session, reason)
            case .upgraded: return drop(session)
            }
            guard session.send() else { return drop(session) }
        }
        do {
            try session.updateWatchedEvents()
        } catch {
            drop(session)
        }
    }

    /// Ends a connection.
    func close(_ session: ClientSession) {
        _ = session.send()
        drop(session)
    }

    /// Ends every connection.
    func closeAll() {
        source?.remove()
        (source, listener) = (nil, nil)
        for session in sessions.values { close(session) }
    }
}

// MARK: Connections
extension ClientServer {
    /// The minimum interval between log messages about refused connections.
    private static let refusalSilence = Instant.Span.seconds(60)
    /// The maximum number of connections accepted per loop iteration, so that frequent connections
    /// do not delay other clients.
    private static let acceptedAtOnce = 16

    private func accept() {
        do {
            for _ in 0..<ClientServer.acceptedAtOnce {
                guard let socket = try listener?.accept() else { return }
                let peer = try PeerCredentials(of: socket.number)
                admit(ClientSession(number: nextNumber, socket: socket, peer: peer))
                nextNumber += 1
            }
        } catch {
            let remedy = error.code == EMFILE ? "; raise LimitNOFILE= of the service" : ""
            logRefusal("cannot accept a client: \(error)\(remedy)", [:])
        }
    }

    private func admit(_ session: ClientSession) {
        let user = session.peer.user
        if let limit = exceeded(by: user) { return refuse(session, limit: limit) }
        do {
            try session.watch(on: loop) { [unowned self] session, events in happened(session, events) }
        } catch {
            return log.warning("cannot serve a client: \(error)")
        }
        sessions[session.number] = session
        perUser[user, default: 0] += 1
    }

    /// Returns the limit that one more connection of this user would exceed. Only the total limit
    /// applies to the administrator.
    private func exceeded(by user: UInt32) -> Int? {
        if sessions.count >= maxTotal { return maxTotal }
        return user != 0 && perUser[user, default: 0] >= maxPerUser ? maxPerUser : nil
    }

    private func refuse(_ session: ClientSession, limit: Int) {
        session.sendRejection(TooManyConnectionsError(limit: limit).reply)
        logRefusal(
            "refused a connection of user \(session.peer.user): limit of \(limit) connections reached; see max_connections_per_user and max_connections",
            ["uid": "\(session.peer.user)", "pid": "\(session.peer.process)"])
    }

    /// Logs a refused connection at a limited rate, because any user can cause refusals.
    private func logRefusal(_ words: String, _ metadata: Logger.Metadata) {
        guard lastRefusalLogged.map({ loop.now - $0 >= ClientServer.refusalSilence }) ?? true else { return }
        lastRefusalLogged = loop.now
        log.warning("\(words)", metadata: metadata)
    }

    private func happened(_ session: ClientSession, _ events: IOEvents) {
        if events.contains(.readable), !session.receive() { return drop(session) }
        // A fully closed peer reads no more. A peer that only finished writing is still served.
        if events.contains(.hangup) || events.contains(.failure) { return drop(session) }
        advance(session)
        if events.contains(.writable), !session.hasPendingOutput, sessions[session.number] != nil {
            self.events.outputDrained(session)
        }
    }

    private func finish(_ session: ClientSession, _ reason: ServerConnection.CloseReason) {
        _ = session.send()
        if reason != .finished {
            log.debug("closed a connection of pid \(session.peer.process): \(reason)")
        }
        drop(session)
    }

    private func drop(_ session: ClientSession) {
        guard sessions.removeValue(forKey: session.number) != nil else { return }
        session.close()
        let left = perUser[session.peer.user, default: 1] - 1
        perUser[session.peer.user] = left > 0 ? left : nil
        events.closed(session)
    }

    private func serve(_ call: Call, _ session: ClientSession) {
        directory.cacheInterface(for: call)
        switch directory.route(call) {
        case .reply(let parameters): session.connection.reply(parameters)
        case .fail(let error): session.connection.fail(error)
        case .dispatch: events.call(session, call)
        }
    }
}
