import CLinux
import Chronology
import Glibc
import Permission
import ServiceRuntime
import SystemCalls
import Varlink

/// A client's connection: the socket of a `ServerConnection`.
final class PlacesClient {
    /// The length of a message in bytes, at most: 500 own places of some 260 bytes.
    private static let messageLimit = 131_072
    /// The number of bytes that are read at once.
    private static let readLength = 8192

    /// The protocol's state.
    var connection = ServerConnection(messageLimit: PlacesClient.messageLimit)
    /// When the client last sent something or was answered.
    var lastUse: Instant
    /// The user of the client.
    let user: UInt32
    /// The program of the client; nil if the process that connected has ended. It is determined at
    /// the first call that depends on it.
    private(set) lazy var program = program(of: socket.number)
    private let socket: FileDescriptor
    private var source: IOSource?
    private var armed: IOEvents = .readable
    /// Whether output waits until the client has read more.
    private(set) var hasOutput = false

    /// Creates the state of an accepted connection.
    init(_ socket: consuming FileDescriptor, user: UInt32, at now: Instant) {
        self.socket = socket
        self.user = user
        lastUse = now
    }

    /// The socket, which this object closes.
    var descriptor: Int32 { socket.number }

    private func program(of socket: Int32) -> ProgramID? {
        guard let peer = try? PeerCredentials(of: socket) else { return nil }
        return ProgramID(user: user, unit: peer.unit, userUnit: peer.userUnit)
    }

    /// Starts to watch the socket.
    func watch(in loop: EventLoop, _ handler: @escaping (IOEvents) -> Void) throws(SystemError) {
        source = try loop.watch(socket.number, for: .readable, handler: handler)
    }

    /// Reads what the client has sent.
    func receive(at now: Instant) {
        lastUse = now
        let count = withUnsafeTemporaryAllocation(byteCount: PlacesClient.readLength, alignment: 16) { buffer in
            let count = uninterrupted { recv(socket.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) }
            if count > 0 { connection.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
        if count < 0, errno != EAGAIN { hangUp() }
        if count == 0 || count < 0 && connection.isHungUp { connection.receiveEnd() }
    }

    /// Records that the client has closed the connection. It is not watched any more: the hang-up
    /// would be reported in each turn.
    func hangUp() {
        connection.receiveHangup()
        close()
    }

    /// Sends output as far as the client reads. Returns false if the connection cannot be watched.
    func flush() -> Bool {
        var hasFailed = false
        let isDone = connection.write { bytes -> Int in
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = uninterrupted { send(socket.number, bytes.baseAddress, bytes.count, flags) }
            hasFailed = count < 0 && errno != EAGAIN
            return max(count, 0)
        }
        hasOutput = !isDone && !hasFailed
        if hasFailed { hangUp() }
        return updateEvents()
    }

    /// Watches for input if it is accepted, and for space if output waits. Returns false if that is
    /// impossible.
    func updateEvents() -> Bool {
        var events: IOEvents = []
        if connection.wantsInput { events.insert(.readable) }
        if hasOutput { events.insert(.writable) }
        guard events != armed, let source else { return true }
        armed = events
        do throws(SystemError) {
            try source.setEvents(events)
            return true
        } catch {
            return false
        }
    }

    /// Sends an error to a client that is not served, without waiting.
    static func refuse(_ socket: borrowing FileDescriptor, _ error: VarlinkError) {
        let number = socket.number
        _ = Reply(error: error).encoded().withUnsafeBytes { bytes in
            uninterrupted { send(number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) }
        }
    }

    /// Ends the watching of the socket.
    func close() {
        source?.remove()
        source = nil
    }
}
