import Glibc
import SystemCalls

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
