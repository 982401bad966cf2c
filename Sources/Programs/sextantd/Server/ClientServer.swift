import Chronology
import Glibc
import Logging
import Permission
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// The owner of a server, which serves the calls of its clients.
protocol VarlinkServerDelegate: AnyObject {
    /// Serves a call of one of the daemon's own methods: replies, or holds the call.
    func serve(_ call: Call, from session: ClientSession)

    /// Returns when a call of the daemon's own methods may be served if that is later.
    func postponement(of call: Call) -> Instant?

    /// The calls of a turn are served, and their replies are sent next. Returns whether all changes
    /// that the calls made are on disk.
    func callsServed() -> Bool

    /// Processes bytes of a connection that uses another protocol. Returns whether it stays open.
    func receiveUpgraded(_ bytes: UnsafeRawBufferPointer, from session: ClientSession) -> Bool

    /// The client has read its output queue, and the kernel accepts more.
    func outputDrained(of session: ClientSession)

    /// A connection has ended.
    func sessionClosed(_ session: ClientSession)
}

/// Accepts clients within the limits and runs their connections.
///
/// Calls are served when no port, timer or socket is ready, in turns with a limited duration. Each
/// connection has at most one call in a turn, and the users alternate (``CallQueue``). A client
/// that sends many calls at once thus delays neither receivers nor other clients.
final class ClientServer {
    private let loop: EventLoop
    private let log: Logger
    private var directory: ServiceDirectory
    private weak var delegate: (any VarlinkServerDelegate)?
    private var listener: StreamListener?
    /// The path of the socket, or a description of a socket without a known path.
    private(set) var socketName = ""
    private var source: IOSource?
    private var sessions: [Int: ClientSession] = [:]
    /// The numbers of the sessions of each program.
    private var numbers: [ProgramID: Set<Int>] = [:]
    private var limits: ConnectionLimits
    private let subordinateUsers: SubordinateUserFile
    private var rate = ConnectionRate()
    private var actingUsers = ActingUsers()
    private var buffered = BufferedBytes()
    private var queue = CallQueue()
    private var work: DeferredWork?
    /// The sessions whose calls are served later.
    private var postponed: [Int] = []
    /// The next instant for ``tick(at:)``; `nil` if no call is postponed.
    private(set) var deadline: Instant?
    /// The load of events since calls were last served; see ``maxLoadBeforeCalls``.
    private var load = 0
    private var nextNumber = 0
    private var lastRefusalLogged: Instant?

    init(loop: EventLoop, log: Logger, settings: Settings) throws {
        self.loop = loop
        self.log = log
        limits = ConnectionLimits(settings)
        subordinateUsers = SubordinateUserFile { error in
            log.warning("programs in containers of users count as users of their own: \(error)")
        }
        directory = try ServiceDirectory(
            vendor: "Sextant", product: "sextantd", version: SextantVersion.current, url: "https://sextant.io",
            naming: Interface.allCases.map(\.rawValue), upgradable: [ReceiverMethods.feed.name],
            text: { Interface(rawValue: $0)?.text })
    }

    /// Applies the limits of settings.
    func apply(_ settings: Settings) { limits.apply(settings) }

    var count: Int { sessions.count }

    /// Opens the socket: the one that the service manager passed, or else the one at `path`.
    func open(at path: String) throws {
        if let handed = try ListenSockets.claim(named: "varlink") {
            socketName = "a socket passed by the service manager"
            listener = StreamListener(adopting: handed)
        } else {
            socketName = path
            listener = try StreamListener(path: path)
        }
    }

    /// Starts to accept clients.
    func start(_ delegate: any VarlinkServerDelegate) throws {
        guard let listener else { return }
        self.delegate = delegate
        work = try loop.makeDeferredWork { [unowned self] in serveCalls() }
        source = try loop.watch(listener.descriptor, for: .readable) { [unowned self] _ in accept() }
    }

    subscript(number: Int) -> ClientSession? { sessions[number] }

    /// Returns the sessions whose activity satisfies a predicate.
    func sessions(where isIncluded: (ClientSession.Activity) -> Bool) -> [ClientSession] {
        sessions.values.filter { isIncluded($0.activity) }
    }

    /// Returns the sessions of a program whose activity satisfies a predicate, by number. The cost
    /// depends on the sessions of this program only.
    func sessions(of program: ProgramID, where isIncluded: (ClientSession.Activity) -> Bool) -> [ClientSession] {
        numbers[program, default: []].sorted().compactMap { sessions[$0] }.filter { isIncluded($0.activity) }
    }

    /// Returns whether the activity of any session satisfies a predicate.
    func hasSession(where isIncluded: (ClientSession.Activity) -> Bool) -> Bool {
        sessions.values.contains { isIncluded($0.activity) }
    }

    /// Returns whether a program is connected.
    func isConnected(_ program: ProgramID) -> Bool { numbers[program] != nil }

    /// Sends the output of a session. Its next call, if any, is served in a later turn, after the
    /// previous replies were passed to the kernel. Pipelined calls thus proceed at the client's
    /// reading speed.
    func flush(_ session: ClientSession) {
        session.send()
        guard countBytes(of: session), !session.isAbandoned else { return drop(session) }
        // A client that does not read its replies would never be closed otherwise.
        if session.connection.mustClose || !session.hasPendingOutput && !session.connection.isServing {
            queue.append(session.number, user: session.peer.user)
            scheduleTurn()
        }
        if (try? session.updateWatchedEvents()) == nil { drop(session) }
    }

    /// Records the bytes held for a session. Returns whether its user is within the limit.
    @discardableResult func countBytes(of session: ClientSession) -> Bool {
        let count = session.bufferedByteCount
        guard count != session.countedBytes else { return true }
        defer { session.countedBytes = count }
        guard buffered.change(of: session.peer.user, from: session.countedBytes, to: count) else {
            logRefusal(
                """
                closed a connection of user \(session.peer.user): its connections hold more than \
                \(BufferedBytes.maxPerUser) bytes that it has not read, or that wait to be served
                """, metadata: ["uid": "\(session.peer.user)"])
            return false
        }
        return true
    }

    /// Discards the updates that a client has not read.
    func discardUpdates(of session: ClientSession) {
        session.connection.discardUpdates()
        flush(session)
    }

    /// Returns whether an update of a batched stream may be queued behind unread ones. Otherwise it
    /// replaces the latest.
    func mayQueueInOrder(for session: ClientSession) -> Bool {
        session.peer.user == 0 || buffered[session.peer.user] < BufferedBytes.maxOrderedPerUser
    }

    /// Causes a further turn, even if nothing else happens.
    func scheduleTurn() {
        guard let work, !work.isScheduled else { return }
        load = 0
        work.isScheduled = true
    }

    /// Records the end of a turn. Calls that have waited while many events were handled come before
    /// further events.
    func endTurn() {
        guard let work, work.isScheduled else { return }
        load += 1
        if load >= ClientServer.maxLoadBeforeCalls { work.priority = .beforeEvents }
    }

    /// Ends a connection.
    func close(_ session: ClientSession) {
        session.send()
        drop(session)
    }

    /// Ends every connection.
    func closeAll() {
        source?.remove()
        (source, listener) = (nil, nil)
        for session in sessions.values { close(session) }
    }
}

// MARK: Calls
extension ClientServer {
    /// The time after which no further call is begun in a turn.
    private static let turnDuration = Instant.Span.milliseconds(1)
    /// The number of turns with events after which calls come first. A port or a client that always
    /// has data thus does not delay the calls of others.
    private static let maxLoadBeforeCalls = 32

    /// Serves calls until the turn's duration has passed, then sends the replies.
    private func serveCalls() {
        load = 0
        work?.priority = .afterEvents
        let end = EventLoop.currentTime + ClientServer.turnDuration
        var served: [ClientSession] = []
        while let number = queue.popFirst() {
            if let session = sessions[number], serveNext(of: session) { served.append(session) }
            // A call that is only postponed takes time too: it is parsed and validated.
            if EventLoop.currentTime >= end { break }
        }
        work?.isScheduled = !queue.isEmpty
        let isSaved = delegate?.callsServed() ?? true
        for session in served where sessions[session.number] === session {
            // Without a reply the client knows that the result is unknown.
            if session.awaitsDisk, !isSaved { drop(session) } else { flush(session) }
            session.awaitsDisk = false
        }
    }

    /// Continues with postponed calls.
    func tick(at now: Instant) {
        guard let deadline, deadline <= now else { return }
        self.deadline = nil
        for number in postponed {
            if let session = sessions[number] { queue.append(number, user: session.peer.user) }
        }
        postponed = []
        scheduleTurn()
    }

    /// Performs the next action of a session and returns whether it served a call.
    private func serveNext(of session: ClientSession) -> Bool {
        if let (call, byteCount) = session.takePostponed() { return dispatch(call, of: byteCount, from: session) }
        let byteCount = session.connection.bufferedByteCount
        switch session.connection.next() {
        case nil where session.connection.isHungUp:
            // Its last calls may be unread.
            session.process(.readable)
            flush(session)
        case nil: break
        case .call(let call):
            defer { session.stopReceivingDescriptors() }
            return serve(call, of: byteCount - session.connection.bufferedByteCount, from: session)
        case .close(let reason): finish(session, because: reason)
        case .upgraded(let received): upgrade(session, received)
        }
        return false
    }

    /// Validates a call, and serves or postpones it. Returns whether it was served.
    private func serve(_ call: Call, of byteCount: Int, from session: ClientSession) -> Bool {
        directory.cacheInterface(for: call)
        switch directory.route(call) {
        case .reply(let parameters): session.connection.reply(parameters)
        case .fail(let error): session.connection.fail(error)
        case .dispatch: return dispatch(call, of: byteCount, from: session)
        }
        session.callCount += 1
        return true
    }

    /// Passes a valid call to its service, or postpones it. Returns whether it was served.
    private func dispatch(_ call: Call, of byteCount: Int, from session: ClientSession) -> Bool {
        if let time = delegate?.postponement(of: call) {
            session.postpone(call, byteCount: byteCount)
            // Its bytes were counted while they were unread, and still are.
            countBytes(of: session)
            postponed.append(session.number)
            deadline = time
            return false
        }
        session.callCount += 1
        delegate?.serve(call, from: session)
        return true
    }
}

// MARK: Connections
extension ClientServer {
    /// The minimum interval between log messages about refused connections.
    private static let refusalSilence = Instant.Span.seconds(60)
    /// The maximum number of connections accepted per loop iteration, so that frequent connections
    /// do not delay other clients.
    private static let acceptedAtOnce = 16
    /// The time after which no further connection is accepted or refused in a loop iteration. An
    /// epoch of a receiver takes several iterations.
    private static let acceptDuration = Instant.Span.milliseconds(1)
    /// The load of an iteration that accepts connections, in turns with one event.
    private static let acceptLoad = 8

    private func accept() {
        load += ClientServer.acceptLoad - 1
        var accepted = 0
        let end = EventLoop.currentTime + ClientServer.acceptDuration
        do {
            while accepted < ClientServer.acceptedAtOnce, EventLoop.currentTime < end {
                guard let socket = try listener?.accept() else { return }
                // The unit of the process is read only if the user may have one more connection.
                let user = subordinateUsers.owner(of: try PeerCredentials.user(of: socket.number))
                if let reason = refusal(of: user) {
                    refuse(socket, of: user, because: reason)
                    continue
                }
                accepted += 1
                guard var peer = try PeerCredentials(of: socket.number) else {
                    log.debug("closed a connection of user \(user): the process that opened it has ended")
                    continue
                }
                peer.user = user
                if let error = limits.exceeded(by: ProgramID(of: peer)) {
                    refuse(socket, of: user, because: .tooMany(error))
                    continue
                }
                admit(
                    ClientSession(
                        number: nextNumber, socket: socket, peer: peer,
                        mayAct: actingUsers.contains(user)))
                nextNumber += 1
            }
        } catch {
            let remedy = error.code == EMFILE ? "; raise LimitNOFILE= of the service" : ""
            logRefusal("cannot accept a client: \(error)\(remedy)", metadata: [:])
        }
    }

    private func admit(_ session: ClientSession) {
        do {
            try session.watch(on: loop) { [unowned self] session, events in handle(events, of: session) }
        } catch {
            return log.warning("cannot serve a client: \(error)")
        }
        sessions[session.number] = session
        count(session)
    }

    private func count(_ session: ClientSession) {
        numbers[session.owner, default: []].insert(session.number)
        limits.add(session.owner)
    }

    private func uncount(_ session: ClientSession) {
        queue.remove(session.number, user: session.peer.user)
        limits.remove(session.owner)
        _ = buffered.change(of: session.peer.user, from: session.countedBytes, to: 0)
        session.countedBytes = 0
        numbers[session.owner]?.remove(session.number)
        if numbers[session.owner]?.isEmpty == true { numbers[session.owner] = nil }
    }

    /// Returns why a connection of this user is refused; nil if it is served.
    private func refusal(of user: UInt32) -> ConnectionRefusal? {
        if let error = limits.exceeded(by: user) { return .tooMany(error) }
        // Its connections count for the users for whom it acts.
        if actingUsers.isPlaces(user) { return nil }
        return rate.admits(user: user, at: loop.now) ? nil : .tooFast
    }

    private func refuse(_ socket: borrowing FileDescriptor, of user: UInt32, because reason: ConnectionRefusal) {
        ClientSession.reject(socket, with: reason.frame)
        logRefusal("refused a connection of user \(user): \(reason)", metadata: ["uid": "\(user)"])
    }

    /// Logs a refused connection at a limited rate, because any user can cause refusals.
    private func logRefusal(_ message: @autoclosure () -> String, metadata: @autoclosure () -> Logger.Metadata) {
        guard lastRefusalLogged.map({ loop.now - $0 >= ClientServer.refusalSilence }) ?? true else { return }
        lastRefusalLogged = loop.now
        log.warning("\(message())", metadata: metadata())
    }

    /// Makes a connection one of another program, as far as that program may have one more.
    func transfer(_ session: ClientSession, to peer: PeerCredentials, groups: Set<UInt32>) throws(VarlinkError) {
        var peer = peer
        peer.user = subordinateUsers.owner(of: peer.user)
        uncount(session)
        defer { count(session) }
        if let reason = refusal(of: peer.user) { throw reason.reply }
        if let error = limits.exceeded(by: ProgramID(of: peer)) { throw ConnectionRefusal.tooMany(error).reply }
        session.act(for: peer, groups: groups)
    }

    /// Continues a connection in another protocol.
    private func upgrade(_ session: ClientSession, _ received: [UInt8]) {
        session.isUpgraded = true
        guard received.isEmpty || received.withUnsafeBytes({ receiveUpgraded($0, from: session) }),
            (try? session.updateWatchedEvents()) != nil
        else { return drop(session) }
        // What a client has sent before it closed the connection is all there is.
        while session.connection.isHungUp, sessions[session.number] != nil { handle([], of: session) }
    }

    private func handle(_ events: IOEvents, of session: ClientSession) {
        if session.isUpgraded {
            // A peer may have sent more than one read returns before it closed its end.
            if !session.receiveUpgraded({ receiveUpgraded($0, from: session) }) { drop(session) }
            return
        }
        session.process(events)
        flush(session)
        if events.contains(.writable), !session.hasPendingOutput, sessions[session.number] != nil {
            delegate?.outputDrained(of: session)
        }
    }

    private func receiveUpgraded(_ bytes: UnsafeRawBufferPointer, from session: ClientSession) -> Bool {
        delegate?.receiveUpgraded(bytes, from: session) ?? false
    }

    private func finish(_ session: ClientSession, because reason: ServerConnection.CloseReason) {
        if reason != .finished { log.debug("closed a connection of pid \(session.peer.process): \(reason)") }
        close(session)
    }

    private func drop(_ session: ClientSession) {
        guard sessions.removeValue(forKey: session.number) != nil else { return }
        session.close()
        uncount(session)
        delegate?.sessionClosed(session)
    }
}
