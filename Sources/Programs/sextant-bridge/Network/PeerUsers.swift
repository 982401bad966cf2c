import Bridges
import CLinux
import Chronology
import Glibc
import ServiceRuntime
import SystemCalls

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

    mutating func remove(_ id: ClientID) {
        ends[id] = nil
        guard let user = users.removeValue(forKey: id) else { return }
        let count = (counts[user] ?? 1) - 1
        counts[user] = count > 0 ? count : nil
        if count <= 0 { numbers[user] = nil }
    }

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
        let start = HostClock.now
        // A search among thousands of connections takes long.
        let pause = lookupDuration * (isUrgent ? 2 : 10)
        if let lastLookup, start - lastLookup < max(interval, pause) { return }
        let found = SocketTable.users(of: Set(ends.values))
        let end = HostClock.now
        (lastLookup, lookupDuration) = (end, end - start)
        for (id, end) in ends {
            ends[id] = nil
            guard let user = found[end] else { continue }
            remove(id)
            count(id, as: owner(of: .user(user)))
        }
    }
}

/// The kernel's table of TCP sockets, which names the user of each (proc_pid_net(5)).
///
/// It is read rarely: its length is that of all connections of the machine.
enum SocketTable {
    /// One end of a connection: the other end's address comes second.
    struct End: Hashable {
        let text: String

        /// The peer's end of a connection of this process; nil for another kind of socket.
        init?(peerOf socket: Int32) {
            guard let peer = SocketAddress(of: socket, getpeername), let own = SocketAddress(of: socket, getsockname)
            else { return nil }
            text = peer.tableText + " " + own.tableText
        }

        init(_ text: String) { self.text = text }
    }

    /// Returns the users of connections, as far as they are connections of this machine.
    static func users(of ends: Set<End>) -> [End: UInt32] {
        var found: [End: UInt32] = [:]
        for path in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] { find(ends, in: contents(of: path), &found) }
        return found
    }

    /// Reads the lines of a table: a number, both addresses, state, queues, timer, retries, user.
    static func find(_ ends: Set<End>, in table: [UInt8], _ found: inout [End: UInt32]) {
        for line in table.split(separator: 10).dropFirst() {
            let fields = line.split(separator: 32, maxSplits: 8)
            guard fields.count == 9, let user = UInt32(String(decoding: fields[7], as: UTF8.self)) else { continue }
            let end = End(String(decoding: fields[1], as: UTF8.self) + " " + String(decoding: fields[2], as: UTF8.self))
            if ends.contains(end) { found[end] = user }
        }
    }

    private static func contents(of path: String) -> [UInt8] {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return [] }
        let file = FileDescriptor(owning: number)
        var bytes: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            while bytes.count < maxLength {
                let count = uninterrupted { read(file.number, buffer.baseAddress, buffer.count) }
                guard count > 0 else { break }
                bytes += buffer.prefix(count)
            }
        }
        return bytes
    }

    /// Some 25,000 connections.
    private static let maxLength = 4 << 20
}

/// Whose connection it is, as far as that is known.
enum PeerUser: Hashable {
    /// A user of this machine.
    case user(UInt32)
    /// Some user of this machine, whom nobody has looked up yet.
    case local
    /// Another machine, by its address; of IPv6 the first half, which a machine cannot change.
    case machine([UInt8])
    /// The peer has ended the connection already.
    case unknown

    /// Finds out whose connection a socket is, without looking up the user of a TCP connection.
    init(of socket: Int32) {
        guard let peer = SocketAddress(of: socket, getpeername) else {
            self = (try? PeerCredentials.user(of: socket)).map(PeerUser.user) ?? .unknown
            return
        }
        self = peer.isLoopback ? .local : .machine(Array(peer.address.prefix(peer.address.count == 4 ? 4 : 8)))
    }
}

/// A numeric address and a port of a TCP connection.
struct SocketAddress {
    /// 4 or 16 bytes; an IPv4 address in an IPv6 one has 4.
    let address: [UInt8]
    let port: UInt16

    typealias Call = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

    /// Reads an address of a socket with getsockname(2) or getpeername(2); nil for another family.
    init?(of socket: Int32, _ call: Call) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(socket, $0, &length) }
        }
        guard result == 0, [AF_INET, AF_INET6].contains(Int32(storage.ss_family)) else { return nil }
        let bytes = withUnsafeBytes(of: &storage) { Array($0) }
        // The port follows the family in both; IPv6 has its flow before the address.
        port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        let address = Int32(storage.ss_family) == AF_INET ? bytes[4..<8] : bytes[8..<24]
        self.address = Array(address.starts(with: SocketAddress.mapped) ? address.suffix(4) : address)
    }

    /// The beginning of an IPv4 address in an IPv6 one.
    private static let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]

    var isLoopback: Bool {
        address.count == 4 ? address[0] == 127 : address == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// The form of the address in proc_pid_net(5): words of the host's byte order.
    var tableText: String {
        var text = ""
        for at in stride(from: 0, to: address.count, by: 4) {
            let word = address[at..<at + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
            text += SocketAddress.hexadecimal(word, digits: 8)
        }
        return text + ":" + SocketAddress.hexadecimal(UInt32(port), digits: 4)
    }

    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
