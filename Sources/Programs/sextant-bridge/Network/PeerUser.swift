import CLinux
import Glibc
import ServiceRuntime

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
