import Glibc
import SystemCalls
import Systemd
import Varlink

/// One client's connection: the socket's side of a ``ServerConnection``.
final class ClientSession {
    /// What the open call of this connection waits for.
    enum Held: Equatable {
        /// Nothing: no call is open, or it is answered already.
        case nothing
        /// A stream of positions.
        case stream
        /// The places it stays at.
        case visits
        /// One position.
        case question
        /// The receivers, all or the one of that name or port.
        case receivers(String?)
        /// A monitor, which it alone has open.
        case monitor(MonitorKey)
    }

    /// Unsent bytes the kernel may hold for one client. Updates beyond it wait in the latest-wins slot, so a slow reader's next update is never
    /// older than the few dozen that fit here.
    private static let sendBuffer: Int32 = 64 << 10

    let number: Int
    let peer: PeerCredentials
    var connection = ServerConnection()
    var held = Held.nothing
    /// What it has asked for, while something is held.
    var wish: Wish?
    /// Its stream's updates come together and are kept in their order, not replaced by the newest.
    var isBatched = false
    private let socket: FileDescriptor
    private var source: IOSource?
    /// Something is left to be sent until the client has read more.
    private(set) var waitsForRoom = false
    private var armed: IOEvents = .readable

    init(number: Int, socket: consuming FileDescriptor, peer: PeerCredentials) {
        self.number = number
        self.peer = peer
        self.socket = socket
        var size = ClientSession.sendBuffer
        setsockopt(self.socket.number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Begins to listen to the client.
    func watch(on loop: EventLoop, _ handler: @escaping (ClientSession, IOEvents) -> Void) throws {
        source = try loop.watch(socket.number, for: .readable) { [unowned self] events in handler(self, events) }
    }

    /// Takes in what the client has sent; false when the connection has failed.
    func receive() -> Bool {
        let outcome = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer -> Int in
            let count = recv(socket.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { connection.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
        if outcome == 0 { connection.receiveEnd() }
        return outcome >= 0 || errno == EAGAIN || errno == EINTR
    }

    /// Sends what waits, as far as the client reads; false when it has gone.
    func send() -> Bool {
        guard connection.wantsOutput else { return true }
        var failed = false
        let isDone = connection.write { bytes -> Int in
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = Glibc.send(socket.number, bytes.baseAddress, bytes.count, flags)
            failed = count < 0 && errno != EAGAIN && errno != EINTR
            return max(count, 0)
        }
        waitsForRoom = !isDone
        return !failed
    }

    /// Listens to just what matters now: input while it is wanted, room while something waits.
    func rearm() throws {
        var events: IOEvents = []
        if connection.wantsInput { events.insert(.readable) }
        if waitsForRoom { events.insert(.writable) }
        guard events != armed else { return }
        armed = events
        try source?.setEvents(events)
    }

    /// Tells a client that is not served why, if it listens.
    func sendUnasked(_ error: VarlinkError) {
        let frame = ReplyFrame.error(error)
        _ = frame.withUnsafeBytes { Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) }
    }

    /// Ends the connection.
    func close() {
        source?.remove()
        source = nil
    }
}
