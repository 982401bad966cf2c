import Bridges
import CLinux
import Chronology
import Glibc
import ServiceRuntime
import SystemCalls

/// The sender of sentences to an inlet.
enum InletPeer: Hashable, Sendable {
    /// The only source there is.
    case only
    /// A client of a TCP port.
    case client(ClientID)
    /// The sender of datagrams: its address, because its port may change with each datagram.
    case address([UInt8])
}

/// Where an inlet gets its sentences from. It opens and opens again by itself.
protocol InletSource: AnyObject {
    /// When ``tick(at:)`` is due.
    var deadline: Instant? { get }
    func tick(at now: Instant)
    /// Records how many sentences the last bytes have completed.
    func recordSentences(_ count: Int)
}

extension InletSource {
    func recordSentences(_ count: Int) {}
}

/// What a source passes on.
enum InletEvent {
    /// Bytes that have arrived.
    case received(ArraySlice<UInt8>, InletPeer, isPacket: Bool)
    /// The connection of a source has ended.
    case ended(InletPeer)
    /// A source cannot be reached, for the log.
    case problem(String)
    /// The input has ended for good.
    case finished
}

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

/// A TCP port to which programs send sentences.
final class TCPServerSource: InletSource {
    private var table: ConnectionTable?
    let deadline: Instant? = nil

    /// Accepts connections from now on.
    ///
    /// - Parameter handler: Captures its owner unowned or weakly.
    init(_ listeners: [StreamListener], in loop: EventLoop, handler: @escaping (InletEvent) -> Void) throws(SystemError)
    {
        let table = ConnectionTable(in: loop) { client, event in
            switch event {
            case .connected, .drained: break
            case .received(let bytes): handler(.received(bytes, .client(client), isPacket: false))
            case .ended: handler(.ended(.client(client)))
            }
        }
        for listener in listeners { try table.accept(from: listener) }
        self.table = table
    }

    func tick(at now: Instant) {}
}
