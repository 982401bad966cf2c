import Bridges
import Chronology
import ServiceRuntime
import SystemCalls

/// The listening sockets of a bridge and the connections of its clients.
final class ConnectionTable {
    /// What happens to a client.
    enum Event {
        case connected
        /// It has sent bytes.
        case received(ArraySlice<UInt8>)
        /// It has read what waited for it.
        case drained
        /// Its connection is over.
        case ended
    }

    /// The maximum number of clients.
    private static let limit = 4000
    /// The maximum number of clients of one user of this machine, or of one other machine.
    private static let limitPerUser = limit * 3 / 4
    /// The maximum number of connections accepted in one turn, so that they do not delay others.
    private static let acceptedAtOnce = 64

    private let loop: EventLoop
    private let closesStalled: Bool
    private let keepsHalfClosed: Bool
    private let handler: (ClientID, Event) -> Void
    private var listeners: [StreamListener] = []
    private var sources: [IOSource] = []
    private var connections: [ClientID: PeerConnection] = [:]
    /// The names under which the service manager stores connections.
    private var storedNames: [ClientID: String] = [:]
    private var users = PeerUsers(limit: limitPerUser)
    private var lastID: ClientID = 0

    /// Creates a table without sockets.
    ///
    /// - Parameters:
    ///   - closesStalled: Whether to disconnect a client that has read nothing for long.
    ///   - keepsHalfClosed: See ``PeerConnection``.
    ///   - handler: Captures its owner unowned or weakly.
    init(
        in loop: EventLoop, closesStalled: Bool = true, keepsHalfClosed: Bool = false,
        handler: @escaping (ClientID, Event) -> Void
    ) {
        self.loop = loop
        self.closesStalled = closesStalled
        self.keepsHalfClosed = keepsHalfClosed
        self.handler = handler
    }

    var clients: some Collection<ClientID> { connections.keys }

    /// Accepts the connections of a socket from now on.
    func accept(from listener: StreamListener) throws(SystemError) {
        let source = try loop.watch(listener.descriptor, for: .readable) { [weak self, unowned listener] _ in
            self?.acceptAll(from: listener)
        }
        listeners.append(listener)
        sources.append(source)
    }

    /// Sends a piece to a client; nothing if it is gone.
    func send(_ piece: [UInt8], to client: ClientID, at now: Instant) {
        connections[client]?.send(piece, at: now)
    }

    /// The number of a client's user, by which users take turns.
    func user(of client: ClientID) -> UInt32 { users.number(of: client) }

    /// Whether bytes wait for a client that does not read.
    func isBlocked(_ client: ClientID) -> Bool { connections[client]?.isBlocked ?? false }

    /// Reads no more of what a client sends until its requests have been answered.
    func setPaused(_ isPaused: Bool, _ client: ClientID) { connections[client]?.isPaused = isPaused }

    /// Adds a connection of an earlier process; nil if there are too many or it cannot be watched.
    func adopt(_ socket: consuming FileDescriptor) -> ClientID? {
        guard connections.count < ConnectionTable.limit else { return nil }
        lastID = lastID.next
        let id = lastID
        guard users.add(id, socket: socket.number) else { return nil }
        guard
            let connection = try? PeerConnection(
                socket, in: loop, closesStalled: closesStalled, keepsHalfClosed: keepsHalfClosed,
                handler: { [weak self] event in
                    switch event {
                    case .received(let bytes): self?.handler(id, .received(bytes))
                    case .drained: self?.handler(id, .drained)
                    case .ended: self?.close(id)
                    }
                })
        else {
            users.remove(id)
            return nil
        }
        connections[id] = connection
        return id
    }

    /// Stores the connection of a client for a later process under this name; with nil, no longer.
    func store(_ client: ClientID, as name: String?) {
        guard name != storedNames[client] else { return }
        // Removed first: the manager ignores a descriptor that it has already.
        if let earlier = storedNames.removeValue(forKey: client) { ServiceManager.removeStored(name: earlier) }
        guard let name, let connection = connections[client] else { return }
        ServiceManager.store(connection.descriptor, name: name)
        storedNames[client] = name
    }

    func close(_ client: ClientID) {
        guard connections[client] != nil else { return }
        store(client, as: nil)
        connections[client] = nil
        users.remove(client)
        handler(client, .ended)
    }

    /// A connection that cannot be accepted or watched is closed, and the others continue.
    private func acceptAll(from listener: StreamListener) {
        for _ in 0..<ConnectionTable.acceptedAtOnce {
            guard let socket = try? listener.accept() else { return }
            guard let id = adopt(socket) else { continue }
            handler(id, .connected)
        }
    }
}
