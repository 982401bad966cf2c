import CLinux
import Glibc
import Settings
import SystemCalls

/// A numeric internet address with a port: `127.0.0.1:2947`, `[::1]:2947`.
struct NetworkAddress {
    let text: String
    private var address: sockaddr_storage

    /// Reads `HOST:PORT`.
    ///
    /// - Throws: ``BridgeError`` for another form. Names of hosts are not looked up, except
    ///   `localhost`, which is 127.0.0.1.
    init(_ text: String) throws(BridgeError) {
        guard let parsed = HostPort(text) else { throw .invalidAddress(text) }
        self.init(text, parsed)
        guard Int32(address.ss_family) != AF_UNSPEC else { throw .invalidAddress(text) }
    }

    private init(_ text: String, _ parsed: HostPort) {
        self.text = text
        address = linux_internet_address(parsed.host == "localhost" ? "127.0.0.1" : parsed.host, parsed.port)
    }

    /// The address of a host that is numeric, or `localhost`; nil for another name.
    init?(numeric host: HostPort) {
        self.init(host.description, host)
        guard Int32(address.ss_family) != AF_UNSPEC else { return nil }
    }

    /// Whether a text is a numeric address without a port.
    static func isNumeric(_ text: String) -> Bool {
        Int32(linux_internet_address(text, 0).ss_family) != AF_UNSPEC
    }

    /// Opens a TCP socket that accepts connections at this address.
    func listen() throws(SystemError) -> FileDescriptor {
        var address = address
        return FileDescriptor(
            owning: try systemCall("accepting connections at \(text)") { linux_tcp_listener(&address) })
    }

    /// Opens a TCP socket that connects to this address, without waiting.
    func connect() throws(SystemError) -> FileDescriptor {
        var address = address
        return FileDescriptor(owning: try systemCall("connecting to \(text)") { linux_tcp_connect(&address) })
    }

    /// Opens a UDP socket that receives at this address, or from this multicast group.
    func receiveDatagrams() throws(SystemError) -> FileDescriptor {
        var address = address
        return FileDescriptor(owning: try systemCall("receiving at \(text)") { linux_udp_listener(&address) })
    }

    /// Opens a UDP socket for ``send(_:through:)``.
    func datagramSocket() throws(SystemError) -> FileDescriptor {
        let family = Int32(address.ss_family)
        return FileDescriptor(owning: try systemCall("creating a socket for \(text)") { linux_udp_socket(family) })
    }

    /// Sends a datagram to this address. One that cannot be sent is lost.
    func send(_ datagram: UnsafeRawBufferPointer, through socket: borrowing FileDescriptor) {
        var address = address
        _ = uninterrupted { linux_udp_send(socket.number, datagram.baseAddress, datagram.count, &address) }
    }
}
