import Bridges
import Chronology
import ServiceRuntime

/// The users of the connections of a bridge. Each has a limited number of them.
///
/// The user of a TCP connection of this machine is looked up only while there are many: until then
/// all of them count as one user.
struct PeerUsers {
    /// The number of local connections from which on their users are looked up.
    private static let manyConnections = 64
    /// The shortest time between two searches of the table of sockets, and while connections are
    /// refused without one.
    private static let lookupInterval = Instant.Span.milliseconds(200)
    private static let urgentInterval = Instant.Span.milliseconds(20)

    private let limit: Int
    private let subordinateUsers = SubordinateUserFile { _ in }
    private var users: [ClientID: PeerUser] = [:]
    private var counts: [PeerUser: Int] = [:]
    /// The numbers by which users take turns.
    private var numbers: [PeerUser: UInt32] = [:]
    private var lastNumber: UInt32 = 0
    /// The local connections whose user is not known.
    private var ends: [ClientID: SocketTable.End] = [:]
    private var lastLookup: Instant?
    private var lookupDuration = Instant.Span.zero

    /// Creates a table without connections.
    ///
    /// - Parameter limit: The maximum number of connections of a user.
    init(limit: Int) { self.limit = limit }

    /// Adds a connection; returns false if its user has too many.
    mutating func add(_ id: ClientID, socket: Int32) -> Bool {
        let user = PeerUser(of: socket)
        count(id, as: owner(of: user))
        if user == .local { ends[id] = SocketTable.End(peerOf: socket) }
        if ends.count >= PeerUsers.manyConnections { lookUp() }
        guard let found = users[id], let count = counts[found], count > limit else { return true }
        remove(id)
        return false
    }

    /// Removes a connection that has ended.
    mutating func remove(_ id: ClientID) {
        ends[id] = nil
        guard let user = users.removeValue(forKey: id) else { return }
        let count = (counts[user] ?? 1) - 1
        counts[user] = count > 0 ? count : nil
        if count <= 0 { numbers[user] = nil }
    }

    /// The number of a connection's user.
    func number(of id: ClientID) -> UInt32 { users[id].flatMap { numbers[$0] } ?? 0 }

    private func owner(of user: PeerUser) -> PeerUser {
        guard case .user(let number) = user else { return user }
        return .user(subordinateUsers.owner(of: number))
    }

    private mutating func count(_ id: ClientID, as user: PeerUser) {
        users[id] = user
        counts[user, default: 0] += 1
        guard numbers[user] == nil else { return }
        lastNumber = lastNumber == .max ? 1 : lastNumber + 1
        numbers[user] = lastNumber
    }

    /// Looks up the users of all local connections that are not known. One that is not found, as of
    /// a container with a network of its own, stays unknown.
    private mutating func lookUp() {
        let isUrgent = counts[.local] ?? 0 > limit
        let interval = isUrgent ? PeerUsers.urgentInterval : PeerUsers.lookupInterval
        let start = EventLoop.currentTime
        // A search among thousands of connections takes long.
        let pause = lookupDuration * (isUrgent ? 2 : 10)
        if let lastLookup, start - lastLookup < max(interval, pause) { return }
        let found = SocketTable.users(of: Set(ends.values))
        let end = EventLoop.currentTime
        (lastLookup, lookupDuration) = (end, end - start)
        for (id, end) in ends {
            ends[id] = nil
            guard let user = found[end] else { continue }
            remove(id)
            count(id, as: owner(of: .user(user)))
        }
    }
}
