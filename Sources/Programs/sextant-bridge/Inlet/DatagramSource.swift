import CLinux
import Chronology
import Glibc
import ServiceRuntime
import SystemCalls

/// A UDP port to which phones and other devices send sentences.
final class DatagramSource: InletSource {
    /// The maximum number of datagrams that are read in one turn.
    private static let readAtOnce = 32

    private let socket: FileDescriptor
    private let handler: (InletEvent) -> Void
    private var source: IOSource?
    let deadline: Instant? = nil

    /// Receives at an address. A multicast address is joined on all interfaces that the system
    /// chooses.
    ///
    /// - Parameter handler: Captures its owner unowned or weakly.
    init(_ address: NetworkAddress, in loop: EventLoop, handler: @escaping (InletEvent) -> Void) throws {
        do throws(SystemError) { socket = try address.receiveDatagrams() } catch {
            throw BridgeError.receiving(address, error)
        }
        self.handler = handler
        source = try loop.watch(socket.number, for: .readable) { [weak self] _ in self?.read() }
    }

    deinit { source = nil }

    func tick(at now: Instant) {}

    private func read() {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
            for _ in 0..<DatagramSource.readAtOnce {
                var sender = [UInt8](repeating: 0, count: Int(LINUX_SOURCE_SIZE))
                let count = uninterrupted {
                    linux_udp_receive(socket.number, buffer.baseAddress, buffer.count, &sender)
                }
                guard count >= 0 else { return }
                handler(.received(Array(buffer[..<count])[...], .address(sender), isPacket: true))
            }
        }
    }
}
