import Chronology
import Glibc
import SystemCalls
import Varlink

/// What a service knows about the client of a connection, and keeps for its open call.
package protocol SessionState: AnyObject {
    /// Identifies the program of a client, whose connections are counted together.
    associatedtype Owner: Hashable

    /// The program that owns the connection.
    var owner: Owner { get }

    /// Creates the state of a new connection; nil if it is not served, because the process that
    /// opened it has ended.
    ///
    /// - Parameters:
    ///   - socket: The socket, which lives as long as the session.
    ///   - user: The user of the client, as it is counted.
    init?(of socket: Int32, user: UInt32) throws(SystemError)
}

/// A client's connection: the socket of a `ServerConnection`, and what the service knows about it.
package final class ServerSession<State: SessionState> {
    /// Identifies the session among all of its server.
    package let number: Int
    /// The protocol's state.
    package var connection: ServerConnection
    /// The user of the client, or the one for whose program it acts.
    package internal(set) var user: UInt32
    /// Whether the client may act for another program. The descriptor that came with its first call
    /// is kept for that.
    package let mayAct: Bool
    /// The number of calls that were served.
    package internal(set) var callCount = 0
    /// Whether the client has replies to calls whose changes are not on disk yet.
    package var awaitsDisk = false
    /// The bytes held for this session that the server has counted.
    var countedBytes = 0
    /// When the client last sent something or was answered.
    var lastUse: Instant
    /// Whether the connection uses another protocol since a call with `upgrade`.
    var isUpgraded = false
    /// Whether output is pending until the client has read more.
    package private(set) var hasPendingOutput = false
    private var receivedByteCount = 0
    /// A call that is served later, and the number of its bytes.
    private var postponed: (call: Call, byteCount: Int)?
    /// Whether descriptors are received. If not, the kernel closes those that the client passes.
    private var receivesDescriptors: Bool
    private var passed = PassedDescriptors()
    private let socket: FileDescriptor
    private var source: IOSource?
    private var armed: IOEvents = .readable
    /// What the service knows.
    package internal(set) var state: State

    /// The maximum number of unsent bytes that the kernel holds for a client. Updates beyond it
    /// replace each other in a slot for the latest one. A slow reader's next update is thus at most
    /// as old as the few dozen that fit here.
    private static var sendBuffer: Int32 { 64 << 10 }

    init(
        _ socket: consuming FileDescriptor, number: Int, user: UInt32, mayAct: Bool, messageLimit: Int, state: State,
        at now: Instant
    ) {
        self.number = number
        connection = ServerConnection(messageLimit: messageLimit)
        self.user = user
        self.mayAct = mayAct
        lastUse = now
        receivesDescriptors = mayAct
        self.socket = socket
        self.state = state
        var size = Self.sendBuffer
        setsockopt(self.socket.number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The socket, which this object closes.
    package var descriptor: Int32 { socket.number }

    /// Whether the session has used memory for queues that is worth releasing when it ends: by many
    /// calls, long ones, or replies that were not read.
    package var hasUsedMuchMemory: Bool { callCount >= 16 || receivedByteCount >= 8192 || heldByteCount > 0 }

    /// Returns the descriptor that came with the first call, if it was exactly one.
    package func takePassedDescriptor() -> FileDescriptor? { passed.takeOnly() }

    /// Closes a descriptor that was not taken. None is received with later calls.
    func stopReceivingDescriptors() {
        guard receivesDescriptors else { return }
        receivesDescriptors = false
        _ = passed.takeOnly()
    }

    /// The number of bytes that the service holds for this session.
    var heldByteCount: Int { connection.bufferedByteCount + (postponed?.byteCount ?? 0) }

    /// Keeps a call that is served later.
    func postpone(_ call: Call, byteCount: Int) { postponed = (call, byteCount) }

    /// Returns the call that waits to be served.
    func takePostponed() -> (call: Call, byteCount: Int)? {
        defer { postponed = nil }
        return postponed
    }

    /// Whether the client has closed the connection and its open call waits for something else than
    /// its turn. No one would read the reply.
    var isAbandoned: Bool { connection.isHungUp && connection.isServing && postponed == nil }
}

// MARK: The socket
extension ServerSession {
    func watch(on loop: EventLoop, _ handler: @escaping (ServerSession, IOEvents) -> Void) throws(SystemError) {
        source = try loop.watch(socket.number, for: .readable) { [unowned self] events in handler(self, events) }
    }

    /// Processes events of the socket: reads once, or records that the client has closed the
    /// connection. A client that only finished writing is still served.
    func process(_ events: IOEvents, at now: Instant) {
        if events.contains(.readable) { receive(at: now) }
        if events.contains(.hangup) || events.contains(.failure) { hangUp() }
    }

    private func receive(at now: Instant) {
        lastUse = now
        let outcome = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer -> Int in
            let count =
                receivesDescriptors
                ? passed.receive(from: socket.number, into: buffer)
                : uninterrupted { recv(socket.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) }
            if count > 0 {
                receivedByteCount += count
                connection.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return count
        }
        if outcome < 0, errno != EAGAIN { hangUp() }
        if outcome == 0 || outcome < 0 && connection.isHungUp { connection.receiveEnd() }
    }

    /// The socket is not watched any more: the hang-up would be reported in each turn.
    private func hangUp() {
        connection.receiveHangup()
        close()
    }

    /// Reads the bytes of another protocol once, so that a sender of many delays nobody. Returns
    /// `false` if the connection has ended, or `process` returns `false`.
    func receiveUpgraded(_ process: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
            let count = uninterrupted { recv(socket.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) }
            guard count > 0 else { return count < 0 && errno == EAGAIN && !connection.isHungUp }
            return process(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Sends pending output as far as the client reads.
    package func send() {
        guard connection.wantsOutput else {
            // What was pending may have been discarded.
            hasPendingOutput = false
            return
        }
        var failed = false
        let isDone = connection.write { bytes -> Int in
            let count = UnixSocket.send(bytes, to: socket.number)
            failed = count < 0 && errno != EAGAIN
            return max(count, 0)
        }
        hasPendingOutput = !isDone && !failed
        if failed { hangUp() }
    }

    /// Updates the watched events: input if it is accepted, and output space if output is pending.
    func updateWatchedEvents() throws(SystemError) {
        var events: IOEvents = []
        if connection.wantsInput || isUpgraded { events.insert(.readable) }
        if hasPendingOutput { events.insert(.writable) }
        guard events != armed else { return }
        armed = events
        try source?.setEvents(events)
    }

    /// Ends the watching of the socket.
    func close() {
        source?.remove()
        source = nil
    }
}
