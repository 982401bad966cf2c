import Chronology
import Places
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// The socket and its clients.
///
/// Calls are answered one per turn of the loop and client by client, so that many calls of one
/// client delay another by at most one answer each.
final class PlacesServer {
    /// The number of connections of all users, and of one user.
    private static let maxConnections = 512
    private static let maxPerUser = 64
    /// The time after which a connection without a call is closed.
    private static let idleConnection = Instant.Span.seconds(60)
    /// The time without connections after which the program ends.
    private static let idleLimit = Instant.Span.seconds(10)

    private let listener: StreamListener
    private let service: PlacesService
    private let loop: EventLoop
    private let log: ProgramLog
    private var source: IOSource?
    private var work: DeferredWork?
    private var clients: [Int: PlacesClient] = [:]
    /// The clients with bytes that may contain a call.
    private var waiting = CallQueue()
    private let subordinateUsers: SubordinateUserFile
    private var lastNumber = 0
    private var idleExit: IdleExit
    private let memory = MemoryTrimmer()
    private var positions: WaitingCalls?

    /// Serves the connections of a socket.
    ///
    /// - Parameters:
    ///   - daemon: The path of the daemon's socket.
    ///   - endsWhenIdle: Whether the service manager starts the program again.
    init(
        _ listener: StreamListener, _ service: PlacesService, daemon: String, endsWhenIdle: Bool, loop: EventLoop,
        log: ProgramLog
    ) throws(SystemError) {
        self.listener = listener
        self.service = service
        self.loop = loop
        self.log = log
        subordinateUsers = SubordinateUserFile { error in
            log.write("programs in containers of users count as users of their own: \(error)", priority: .warning)
        }
        idleExit = IdleExit(after: endsWhenIdle ? PlacesServer.idleLimit : nil, at: loop.now)
        positions = WaitingCalls(daemon: daemon, loop: loop) { [unowned self] number in queue(number) }
        work = try loop.makeDeferredWork { [unowned self] in serveNext() }
        source = try loop.watch(listener.descriptor, for: .readable) { [unowned self] _ in acceptAll() }
        loop.onDeadline = { [unowned self] now in tick(at: now) }
        loop.afterEachIteration = { [unowned self] in finishIteration() }
        setDeadline()
    }

    private func acceptAll() {
        while let socket = try? listener.accept() {
            guard let id = try? PeerCredentials.user(of: socket.number) else { continue }
            let user = subordinateUsers.owner(of: id)
            let limit =
                clients.count >= PlacesServer.maxConnections
                ? PlacesServer.maxConnections
                : clients.values.count { $0.user == user } >= PlacesServer.maxPerUser ? PlacesServer.maxPerUser : nil
            if let limit {
                PlacesClient.refuse(socket, PlacesFailure.tooManyConnections(limit: limit).reply)
                continue
            }
            lastNumber += 1
            let number = lastNumber
            let client = PlacesClient(socket, user: user, at: loop.now)
            do {
                try client.watch(in: loop) { [unowned self] in handle($0, of: number) }
                clients[number] = client
            } catch {
                log.write("cannot serve a client: \(error)", priority: .warning)
            }
        }
    }

    private func handle(_ events: IOEvents, of number: Int) {
        guard let client = clients[number] else { return }
        if events.contains(.readable) { client.receive(at: loop.now) }
        // A client that only finished writing still gets its answers.
        if events.contains(.hangup) || events.contains(.failure) { client.hangUp() }
        advance(number, client)
    }

    /// Sends what the client reads, and queues its next call once all is sent.
    private func advance(_ number: Int, _ client: PlacesClient) {
        // Nobody waits for the answer to an open call of a client that has closed the connection.
        guard client.flush(), !(client.connection.isHungUp && client.connection.isServing) else { return drop(number) }
        if !client.hasOutput || client.connection.mustClose { queue(number) }
    }

    /// Queues a client for its turn.
    private func queue(_ number: Int) {
        if let client = clients[number] { waiting.append(number, user: client.user) }
        work?.isScheduled = !waiting.isEmpty
    }

    /// Answers one call of the client whose turn it is.
    private func serveNext() {
        defer { work?.isScheduled = !waiting.isEmpty }
        guard let number = waiting.popFirst(), let client = clients[number] else { return }
        if let (call, outcome) = positions?.take(number) {
            service.answer(outcome, language: call.language, of: client)
            return answered(number, client)
        }
        switch client.connection.next() {
        case .call(let call):
            switch service.answer(call, of: client) {
            case .given: answered(number, client)
            case .needsPosition(let language): ask(language, number, client)
            }
        case .close, .upgraded:
            _ = client.flush()
            drop(number)
        case nil where client.connection.isHungUp:
            // Its last calls may be unread.
            client.receive(at: loop.now)
            advance(number, client)
        case nil:
            if !client.updateEvents() { drop(number) }
        }
    }

    /// Asks the daemon for the position that a call of a client needs.
    private func ask(_ language: String?, _ number: Int, _ client: PlacesClient) {
        do throws(PlacesFailure) {
            try positions?.begin(number, of: client, language: language)
            advance(number, client)
        } catch {
            client.connection.fail(error.reply)
            answered(number, client)
        }
    }

    private func answered(_ number: Int, _ client: PlacesClient) {
        memory.requestTrim()
        client.lastUse = loop.now
        advance(number, client)
    }

    private func drop(_ number: Int) {
        guard let client = clients.removeValue(forKey: number) else { return }
        positions?.cancel(number)
        client.close()
        waiting.remove(number, user: client.user)
    }

    private func tick(at now: Instant) {
        for (number, client) in clients where now >= client.lastUse + PlacesServer.idleConnection { drop(number) }
        positions?.tick(at: now)
        if idleExit.isDue(at: now) { loop.exit(0) }
    }

    private func finishIteration() {
        // Between questions, code and memory of a search are not needed.
        memory.trimIfRequested(at: loop.now)
        setDeadline()
    }

    private func setDeadline() {
        idleExit.update(isIdle: clients.isEmpty, at: loop.now)
        let close = clients.values.map { $0.lastUse + PlacesServer.idleConnection }.min()
        // Without a timer nothing is closed; a later turn sets it again.
        try? loop.setDeadline([idleExit.deadline, close, memory.deadline, positions?.deadline].compactMap { $0 }.min())
    }
}
