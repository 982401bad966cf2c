import Chronology
import Glibc
import Logging
import SystemCalls
import Systemd
import Varlink
import Wire

/// Accepts clients within the limits, and keeps their connections going.
final class ClientServer {
    /// What clients cause.
    struct Events {
        /// A call to one of the daemon's own methods; it must be answered or held.
        var call: (ClientSession, Call) -> Void
        /// What waited has been read by the client, and the kernel takes more.
        var hasRoom: (ClientSession) -> Void
        /// A connection has ended, whatever it held.
        var closed: (ClientSession) -> Void
    }

    private let loop: EventLoop
    var log: Logger
    private var directory: ServiceDirectory
    private let events: Events
    private var listener: UnixListener?
    private var source: IOSource?
    private var sessions: [Int: ClientSession] = [:]
    private var perUser: [UInt32: Int] = [:]
    private var nextNumber = 0
    private var refusalTold: Instant?
    var maxPerUser: Int
    var maxInAll: Int

    init(loop: EventLoop, log: Logger, settings: Settings, directory: ServiceDirectory, events: Events) {
        self.loop = loop
        self.log = log
        self.events = events
        maxPerUser = settings.maxConnectionsPerUser
        maxInAll = settings.maxConnections
        self.directory = directory
    }

    var count: Int { sessions.count }

    /// Takes clients from now on.
    func listen(on listener: UnixListener) throws {
        self.listener = listener
        source = try loop.watch(listener.descriptor, for: .readable) { [unowned self] _ in accept() }
    }

    subscript(number: Int) -> ClientSession? { sessions[number] }

    /// Every connection that holds something.
    func holding(_ isHeld: (ClientSession.Held) -> Bool) -> [ClientSession] {
        sessions.values.filter { isHeld($0.held) }
    }

    /// Sends what a session has been given to say, goes on with its next call, and closes it when it is done.
    ///
    /// A call is begun when the answers before it are with the kernel: who asks for much ahead gets it as fast as it is read.
    func advance(_ session: ClientSession) {
        guard session.send() else { return drop(session) }
        while !session.waitsForRoom, let action = session.connection.next() {
            switch action {
            case .call(let call): serve(call, session)
            case .close(let reason): return finish(session, reason)
            case .upgraded: return drop(session)
            }
            guard session.send() else { return drop(session) }
        }
        do {
            try session.rearm()
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

// MARK: Coming and going
extension ClientServer {
    /// After one log line about a refused connection there is none about others for this long.
    private static let refusalSilence = Instant.Span.seconds(60)
    /// Connections taken in one turn, so that who connects all the time does not hold up those who are served.
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
            let mend = error.code == EMFILE ? "; raise LimitNOFILE= of the service" : ""
            tellRefusal("a client could not be accepted: \(error)\(mend)", [:])
        }
    }

    private func admit(_ session: ClientSession) {
        let user = session.peer.user
        if let limit = exceeded(by: user) { return refuse(session, limit: limit) }
        do {
            try session.watch(on: loop) { [unowned self] session, events in happened(session, events) }
        } catch {
            return log.warning("a client could not be served: \(error)")
        }
        sessions[session.number] = session
        perUser[user, default: 0] += 1
    }

    /// The limit that one more connection of this user would exceed. The administrator's own are bounded by the total alone.
    private func exceeded(by user: UInt32) -> Int? {
        if sessions.count >= maxInAll { return maxInAll }
        return user != 0 && perUser[user, default: 0] >= maxPerUser ? maxPerUser : nil
    }

    private func refuse(_ session: ClientSession, limit: Int) {
        session.sendUnasked(VarlinkError(name: TooManyConnectionsError.name, parameters: ["limit": .int(Int64(limit))]))
        tellRefusal(
            "refused a connection of user \(session.peer.user): \(limit) are open already; max_connections_per_user and max_connections set the limit",
            ["uid": "\(session.peer.user)", "pid": "\(session.peer.process)"])
    }

    /// Anybody can be refused as often as they like; the log is the administrator's.
    private func tellRefusal(_ words: String, _ metadata: Logger.Metadata) {
        guard refusalTold.map({ loop.now - $0 >= ClientServer.refusalSilence }) ?? true else { return }
        refusalTold = loop.now
        log.warning("\(words)", metadata: metadata)
    }

    private func happened(_ session: ClientSession, _ events: IOEvents) {
        if events.contains(.readable), !session.receive() { return drop(session) }
        // A peer that is gone altogether reads nothing more; one that has only finished writing is still served.
        if events.contains(.hangup) || events.contains(.failure) { return drop(session) }
        advance(session)
        if events.contains(.writable), !session.waitsForRoom, sessions[session.number] != nil { self.events.hasRoom(session) }
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
        directory.prepare(for: call)
        switch directory.route(call) {
        case .reply(let parameters): session.connection.reply(parameters)
        case .fail(let error): session.connection.fail(error)
        case .dispatch: events.call(session, call)
        }
    }
}
