import Bridges
import SystemCalls

/// Sends sentences to a UDP address: one host, a broadcast address or a multicast group.
///
/// A datagram that cannot be sent is lost: the network may come later, and the next one has a newer
/// position.
final class DatagramSender {
    private let address: NetworkAddress
    private let socket: FileDescriptor

    /// Opens a socket for `HOST:PORT`.
    init(_ text: String) throws(BridgeError) {
        address = try NetworkAddress(text)
        do throws(SystemError) { socket = try address.datagramSocket() } catch { throw .system(error) }
    }

    /// Sends whole sentences in as few datagrams as possible.
    func send(_ sentences: [UInt8]) {
        for datagram in Datagrams.split(sentences) {
            datagram.withUnsafeBytes { address.send($0, through: socket) }
        }
    }
}
