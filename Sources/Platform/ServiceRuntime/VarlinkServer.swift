import Chronology
import Glibc
import SystemCalls
import Varlink

/// The owner of a server, which serves the calls of its clients.
package protocol VarlinkServerDelegate<State>: AnyObject {
    /// What the service knows about a client.
    associatedtype State: SessionState

    /// Serves a call of one of the service's own methods: replies, or holds the call.
    func serve(_ call: Call, from session: ServerSession<State>)

    /// Returns when a call of the service's own methods may be served if that is later.
    func postponement(of call: Call) -> Instant?

    /// The calls of a turn are served, and their replies are sent next. Returns whether all changes
    /// that the calls made are on disk.
    func callsServed() -> Bool

    /// Processes bytes of a connection that uses another protocol. Returns whether it stays open.
    func receiveUpgraded(_ bytes: UnsafeRawBufferPointer, from session: ServerSession<State>) -> Bool

    /// The client has read its output queue, and the kernel accepts more.
    func outputDrained(of session: ServerSession<State>)

    /// A connection has ended; `reason` is nil if the client has broken it off.
    func sessionClosed(_ session: ServerSession<State>, because reason: ServerConnection.CloseReason?)

    /// Returns the error for a client that is not served.
    func reply(to refusal: ConnectionRefusal) -> VarlinkError

    /// Records a problem; those that any user can cause arrive at most once a minute.
    func report(_ problem: ServerProblem)
}

extension VarlinkServerDelegate {
    package func postponement(of call: Call) -> Instant? { nil }
    package func receiveUpgraded(_ bytes: UnsafeRawBufferPointer, from session: ServerSession<State>) -> Bool { false }
    package func outputDrained(of session: ServerSession<State>) {}
}

/// Accepts clients within the limits and runs their connections.
///
/// Calls are served when nothing else is ready, in turns with a limited duration. Each connection
/// has at most one call in a turn, and the users alternate (``CallQueue``). A client that sends
/// many calls at once thus delays neither receivers nor other clients.
package final class VarlinkServer<State: SessionState> {
    private let loop: EventLoop
    private var directory: ServiceDirectory
    private weak var delegate: (any VarlinkServerDelegate<State>)?
    private var listener: StreamListener?
    private var source: IOSource?
    private let subordinateUsers: SubordinateUserFile
    private var queue = CallQueue()
    private var work: DeferredWork?
    /// The sessions whose calls are served later, and when.
    private var postponed: [Int] = []
    private var resumption: Instant?
    /// The load of events since calls were last served; see ``maxLoadBeforeCalls``.
    private var load = 0
    private var nextNumber = 0
    private var lastReport: Instant?
    private var counts: ConnectionCounts<State.Owner>
    private var sessions: [Int: ServerSession<State>] = [:]
    /// The numbers of the sessions of each program.
    private var numbers: [State.Owner: Set<Int>] = [:]

    /// Creates a server without clients.
    ///
    /// - Parameter directory: It answers `org.varlink.service`, and checks all calls.
    package init(
        _ directory: ServiceDirectory, limits: ServerLimits, subordinateUsers: SubordinateUserFile, loop: EventLoop
    ) {
        self.directory = directory
        self.subordinateUsers = subordinateUsers
        self.loop = loop
        counts = ConnectionCounts(limits)
    }

    /// The limits. Connections that are open stay open when they change.
    package var limits: ServerLimits {
        get { counts.limits }
        set { counts.limits = newValue }
    }

    /// Starts to accept clients.
    package func start(_ listener: StreamListener, _ delegate: any VarlinkServerDelegate<State>) throws(SystemError) {
        self.listener = listener
        self.delegate = delegate
        work = try loop.makeDeferredWork { [unowned self] in serveCalls() }
        source = try loop.watch(listener.descriptor, for: .readable) { [unowned self] _ in accept() }
    }

    /// The path of the socket, or a description of a socket without a known path.
    package var socketName: String { listener?.path ?? "a socket passed by the service manager" }

    /// The number of connections.
    package var count: Int { sessions.count }

    /// The session with a number; nil if it has ended.
    package subscript(number: Int) -> ServerSession<State>? { sessions[number] }

    /// Returns the sessions with a state that satisfies a predicate.
    package func sessions(where isIncluded: (State) -> Bool) -> [ServerSession<State>] {
        sessions.values.filter { isIncluded($0.state) }
    }

    /// Returns the sessions of a program with a state that satisfies a predicate, by number. The
    /// cost depends on the sessions of this program only.
    package func sessions(
        of program: State.Owner, where isIncluded: (State) -> Bool
    ) -> [ServerSession<State>] {
        numbers[program, default: []].sorted().compactMap { sessions[$0] }.filter { isIncluded($0.state) }
    }

    /// Returns whether the state of any session satisfies a predicate.
    package func hasSession(where isIncluded: (State) -> Bool) -> Bool {
        sessions.values.contains { isIncluded($0.state) }
    }

    package func isConnected(_ program: State.Owner) -> Bool { numbers[program] != nil }

    /// Sends the output of a session. Its next call, if any, is served in a later turn, after the
    /// previous replies were passed to the kernel. Pipelined calls thus proceed at the client's
    /// reading speed.
    package func flush(_ session: ServerSession<State>) {
        session.send()
        guard countBytes(of: session), !session.isAbandoned else { return drop(session) }
        // A client that does not read its replies would never be closed otherwise.
        if session.connection.mustClose || !session.hasPendingOutput && !session.connection.isServing {
            enqueue(session)
        }
        if (try? session.updateWatchedEvents()) == nil { drop(session) }
    }

    /// Serves an open call of a session once more, in its next turn.
    package func resume(_ call: Call, of session: ServerSession<State>) {
        session.postpone(call, byteCount: 0)
        enqueue(session)
    }

    private func enqueue(_ session: ServerSession<State>) {
        queue.append(session.number, user: session.user)
        scheduleTurn()
    }

    /// Discards the updates that a client has not read.
    package func discardUpdates(of session: ServerSession<State>) {
        session.connection.discardUpdates()
        flush(session)
    }

    /// Returns whether an update of a batched stream may be queued behind unread ones. Otherwise it
    /// replaces the latest.
    package func mayQueueInOrder(for session: ServerSession<State>) -> Bool { !counts.holdsMuch(for: session.user) }

    /// Causes a further turn, even if nothing else happens.
    package func scheduleTurn() {
        guard let work, !work.isScheduled else { return }
        load = 0
        work.isScheduled = true
    }

    /// Records the end of a turn. Calls that have waited while many events were handled come before
    /// further events.
    package func endTurn() {
        guard let work, work.isScheduled else { return }
        load += 1
        if load >= Self.maxLoadBeforeCalls { work.priority = .beforeEvents }
    }

    /// The next instant for ``tick(at:)``; `nil` if no call is postponed and no session is idle.
    package var deadline: Instant? {
        guard let idle = limits.idleTime, let use = sessions.values.lazy.map(\.lastUse).min() else { return resumption }
        return earliest(resumption, use + idle)
    }

    /// Continues with postponed calls, and ends idle connections.
    package func tick(at now: Instant) {
        if let idle = limits.idleTime {
            for session in sessions.values where now >= session.lastUse + idle { drop(session) }
        }
        guard let resumption, resumption <= now else { return }
        self.resumption = nil
        for number in postponed {
            if let session = sessions[number] { queue.append(number, user: session.user) }
        }
        postponed = []
        scheduleTurn()
    }

    /// Ends every connection.
    package func closeAll() {
        source?.remove()
        (source, listener) = (nil, nil)
        for session in sessions.values { close(session) }
    }
}

// MARK: Calls
extension VarlinkServer {
    /// The time after which no further call is begun in a turn.
    private static var turnDuration: Instant.Span { .milliseconds(1) }
    /// The number of turns with events after which calls come first. A port or a client that always
    /// has data thus does not delay the calls of others.
    private static var maxLoadBeforeCalls: Int { 32 }

    /// Serves calls until the turn's duration has passed, then sends the replies.
    private func serveCalls() {
        load = 0
        work?.priority = .afterEvents
        let end = HostClock.now + Self.turnDuration
        var served: [ServerSession<State>] = []
        while let number = queue.popFirst() {
            if let session = sessions[number], serveNext(of: session) { served.append(session) }
            // A call that is only postponed takes time too: it is parsed and validated.
            if HostClock.now >= end { break }
        }
        work?.isScheduled = !queue.isEmpty
        let isSaved = delegate?.callsServed() ?? true
        for session in served where sessions[session.number] === session {
            session.lastUse = loop.now
            // Without a reply the client knows that the result is unknown.
            if session.awaitsDisk, !isSaved { drop(session) } else { flush(session) }
            session.awaitsDisk = false
        }
    }

    /// Performs the next action of a session and returns whether it served a call.
    private func serveNext(of session: ServerSession<State>) -> Bool {
        if let (call, byteCount) = session.takePostponed() { return dispatch(call, of: byteCount, from: session) }
        let byteCount = session.connection.bufferedByteCount
        switch session.connection.next() {
        case nil where session.connection.isHungUp:
            // Its last calls may be unread.
            session.process(.readable, at: loop.now)
            flush(session)
        case nil: break
        case .call(let call):
            defer { session.stopReceivingDescriptors() }
            return serve(call, of: byteCount - session.connection.bufferedByteCount, from: session)
        case .close(let reason): close(session, because: reason)
        case .upgraded(let received): upgrade(session, received)
        }
        return false
    }

    /// Validates a call, and serves or postpones it. Returns whether it was served.
    private func serve(_ call: Call, of byteCount: Int, from session: ServerSession<State>) -> Bool {
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
    private func dispatch(_ call: Call, of byteCount: Int, from session: ServerSession<State>) -> Bool {
        if let time = delegate?.postponement(of: call) {
            session.postpone(call, byteCount: byteCount)
            // Its bytes were counted while they were unread, and still are.
            countBytes(of: session)
            postponed.append(session.number)
            resumption = earliest(resumption, time)
            return false
        }
        session.callCount += 1
        delegate?.serve(call, from: session)
        return true
    }
}

// MARK: Connections
extension VarlinkServer {
    /// The minimum interval between reports of problems that any user can cause.
    private static var reportInterval: Instant.Span { .seconds(60) }
    /// The maximum number of connections accepted per loop iteration, so that frequent connections
    /// do not delay other clients.
    private static var acceptedAtOnce: Int { 16 }
    /// The time after which no further connection is accepted or refused in a loop iteration. An
    /// epoch of a receiver takes several iterations.
    private static var acceptDuration: Instant.Span { .milliseconds(1) }
    /// The load of an iteration that accepts connections, in turns with one event.
    private static var acceptLoad: Int { 8 }

    private func accept() {
        load += Self.acceptLoad - 1
        var accepted = 0
        let end = HostClock.now + Self.acceptDuration
        do throws(SystemError) {
            while accepted < Self.acceptedAtOnce, HostClock.now < end {
                guard let socket = try listener?.accept() else { return }
                // The unit of the process is read only if the user may have one more connection.
                let user = owner(of: try PeerCredentials.user(of: socket.number))
                if let reason = refusal(of: user) {
                    refuse(socket, of: user, because: reason)
                    continue
                }
                accepted += 1
                guard let state = try State(of: socket.number, user: user) else { continue }
                if let reason = counts.exceeded(by: state.owner, of: user) {
                    refuse(socket, of: user, because: reason)
                    continue
                }
                let session = ServerSession(
                    socket, number: nextNumber, user: user, mayAct: counts.mayAct(user),
                    messageLimit: limits.messageLength, state: state, at: loop.now)
                nextNumber += 1
                try session.watch(on: loop) { [unowned self] session, events in handle(events, of: session) }
                sessions[session.number] = session
                count(session)
            }
        } catch {
            report(.failed(error))
        }
    }

    private func count(_ session: ServerSession<State>) {
        numbers[session.state.owner, default: []].insert(session.number)
        counts.add(session.state.owner, of: session.user)
    }

    private func uncount(_ session: ServerSession<State>) {
        queue.remove(session.number, user: session.user)
        let owner = session.state.owner
        counts.remove(owner, of: session.user)
        _ = counts.changeHeldBytes(of: session.user, from: session.countedBytes, to: 0)
        session.countedBytes = 0
        numbers[owner]?.remove(session.number)
        if numbers[owner]?.isEmpty == true { numbers[owner] = nil }
    }

    /// Records the bytes held for a session. Returns whether its user is within the limit.
    @discardableResult package func countBytes(of session: ServerSession<State>) -> Bool {
        let count = session.heldByteCount
        guard count != session.countedBytes else { return true }
        defer { session.countedBytes = count }
        if counts.changeHeldBytes(of: session.user, from: session.countedBytes, to: count) { return true }
        report(.heldTooMuch(user: session.user, limit: limits.heldBytesPerUser))
        return false
    }

    /// Returns why a connection of this user is refused; nil if it is served.
    private func refusal(of user: UInt32) -> ConnectionRefusal? {
        if let reason = counts.exceeded(by: user) { return reason }
        return counts.admits(user, at: loop.now) ? nil : .tooFast(limit: limits.newPerSecond ?? 0)
    }

    /// Sends an error to a client that is not served, without waiting.
    private func refuse(_ socket: borrowing FileDescriptor, of user: UInt32, because reason: ConnectionRefusal) {
        if let error = delegate?.reply(to: reason) {
            _ = ReplyFrame.error(error).withUnsafeBytes { UnixSocket.send($0, to: socket.number) }
        }
        report(.refused(user: user, reason))
    }

    private func report(_ problem: ServerProblem) {
        guard lastReport.map({ loop.now - $0 >= Self.reportInterval }) ?? true else { return }
        lastReport = loop.now
        delegate?.report(problem)
    }

    /// Returns the user to whom an ID belongs, which may be one of a range for containers.
    package func owner(of user: UInt32) -> UInt32 { subordinateUsers.owner(of: user) }

    /// Makes a connection one of another user's program, as far as that program may have one more.
    package func transfer(
        _ session: ServerSession<State>, to state: State, of user: UInt32
    ) throws(ConnectionRefusal) {
        uncount(session)
        defer { count(session) }
        if let reason = refusal(of: user) ?? counts.exceeded(by: state.owner, of: user) { throw reason }
        session.user = user
        session.state = state
    }

    /// Continues a connection in another protocol.
    private func upgrade(_ session: ServerSession<State>, _ received: [UInt8]) {
        session.isUpgraded = true
        guard received.isEmpty || received.withUnsafeBytes({ receiveUpgraded($0, from: session) }),
            (try? session.updateWatchedEvents()) != nil
        else { return drop(session) }
        // What a client has sent before it closed the connection is all there is.
        while session.connection.isHungUp, sessions[session.number] != nil { handle([], of: session) }
    }

    private func handle(_ events: IOEvents, of session: ServerSession<State>) {
        if session.isUpgraded {
            // A peer may have sent more than one read returns before it closed its end.
            if !session.receiveUpgraded({ receiveUpgraded($0, from: session) }) { drop(session) }
            return
        }
        session.process(events, at: loop.now)
        flush(session)
        if events.contains(.writable), !session.hasPendingOutput, sessions[session.number] != nil {
            delegate?.outputDrained(of: session)
        }
    }

    private func receiveUpgraded(_ bytes: UnsafeRawBufferPointer, from session: ServerSession<State>) -> Bool {
        delegate?.receiveUpgraded(bytes, from: session) ?? false
    }

    package func close(_ session: ServerSession<State>, because reason: ServerConnection.CloseReason? = nil) {
        session.send()
        drop(session, because: reason)
    }

    private func drop(_ session: ServerSession<State>, because reason: ServerConnection.CloseReason? = nil) {
        guard sessions.removeValue(forKey: session.number) != nil else { return }
        session.close()
        uncount(session)
        delegate?.sessionClosed(session, because: reason)
    }
}
