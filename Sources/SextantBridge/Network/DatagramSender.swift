import Bridges
import Glibc
import SystemCalls

/// Sends sentences to a UDP address: one host, a broadcast address or a multicast group.
///
/// A datagram that cannot be sent is dropped: the next one has a newer position.
final class DatagramSender {
    private let socket: FileDescriptor

    /// Opens a socket for `HOST:PORT`.
    init(_ address: String) throws(BridgeError) {
        let parsed = try NetworkAddress(address)
        do throws(SystemError) { socket = try parsed.sender() } catch { throw .system(error) }
    }

    /// Sends whole sentences in as few datagrams as possible.
    func send(_ sentences: [UInt8]) {
        for datagram in Datagrams.split(sentences) {
            datagram.withUnsafeBytes { bytes in
                _ = uninterrupted { Glibc.send(socket.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
            }
        }
    }
}
