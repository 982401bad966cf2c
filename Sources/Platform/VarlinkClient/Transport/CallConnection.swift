import CLinux
import Chronology
import Glibc
import SystemCalls
import Varlink

/// One call with its connection, or with the time of its next attempt. Used by the transport's
/// thread only.
final class CallConnection {
    /// What the thread waits for on behalf of a call.
    struct Interest: Equatable {
        var descriptor: Int32
        /// The number of the connection, because a later one can have the same descriptor.
        var connection: Int
        var reads: Bool
        var writes: Bool
    }

    private let request: CallRequest
    private let queue: ReplyQueue
    private var schedule: ReconnectSchedule
    private var socket: FileDescriptor?
    private var connection = ClientConnection()
    /// The number of connections so far.
    private(set) var connectionCount = 0
    /// The time of the next attempt; nil while a socket is open.
    private var nextAttempt: Instant?
    /// Why the last connection was lost.
    private var lastReason = "the connection was not attempted"
    private var lastError: VarlinkError?
    /// Whether the last attempt failed in this process: it has no descriptor.
    private var lacksResources = false
    private var wasAccepted = false
    private var isPaused = false
    /// Whether the call has ended, so that the thread forgets it.
    private(set) var hasEnded = false

    init(_ request: CallRequest, _ queue: ReplyQueue, at now: Instant) {
        self.request = request
        self.queue = queue
        schedule = ReconnectSchedule(limits: request.limits, at: now)
        connect(at: now)
    }

    /// What to wait for; nil between two connections, and while the caller has replies to take. The
    /// end of a connection would be reported again and again if it were watched and not read.
    var interest: Interest? {
        guard isConnected, !isPaused || connection.wantsOutput else { return nil }
        return Interest(
            descriptor: number, connection: connectionCount, reads: !isPaused, writes: connection.wantsOutput)
    }

    /// Whether a socket is open.
    var isConnected: Bool { number >= 0 }

    /// When ``tick(at:)`` must be called.
    var deadline: Instant? { hasEnded ? nil : earliest(nextAttempt, schedule.deadline) }

    /// Connects again or fails, if the time has come.
    func tick(at now: Instant) {
        if let nextAttempt, nextAttempt <= now {
            connect(at: now)
        } else if let deadline = schedule.deadline, deadline <= now {
            fail(at: now)
        }
    }

    /// Continues to read after the caller has taken all replies.
    func resumeReading(at now: Instant) {
        guard isPaused else { return }
        isPaused = false
        deliver(at: now)
    }

    /// Writes and reads what the socket permits.
    func ready(at now: Instant, into buffer: inout [UInt8]) {
        guard isConnected else { return }
        flush()
        let count = uninterrupted { recv(number, &buffer, buffer.count, 0) }
        if count > 0 {
            buffer.withUnsafeBytes { connection.receive(.init(rebasing: $0[..<count])) }
        } else if count == 0 {
            connection.receiveEnd()
        } else if errno == EAGAIN || errno == EWOULDBLOCK {
            return
        } else {
            return lose("receiving: \(String(cString: strerror(errno)))", at: now)
        }
        deliver(at: now)
    }

    /// Connects again later, because the socket cannot be watched.
    func failToWait(_ reason: String, at now: Instant) {
        lacksResources = true
        lose(reason, at: now)
    }

    private var number: Int32 { socket?.number ?? -1 }

    private func connect(at now: Instant) {
        nextAttempt = nil
        let path = request.socket
        let descriptor = linux_unix_stream_socket()
        lacksResources = descriptor < 0
        guard !lacksResources else { return lose(String(cString: strerror(errno)), at: now) }
        socket = FileDescriptor(owning: descriptor)
        // A Unix socket connects at once. EAGAIN means that the queue of the daemon is full.
        guard uninterrupted({ path.withCString { linux_unix_connect(descriptor, $0, strlen($0)) } }) == 0 else {
            return lose("connecting: \(String(cString: strerror(errno)))", at: now)
        }
        connection = ClientConnection()
        connectionCount += 1
        schedule.recordConnection(at: now)
        do {
            try connection.send(request.call)
        } catch {
            return end(.notSent(method: request.call.method, reason: "its parameters are too long"))
        }
        flush()
    }

    /// Sends what the socket accepts. A failure is ignored: reading then returns the reason that
    /// the daemon has sent, or the end of the connection.
    private func flush() {
        guard connection.wantsOutput else { return }
        let number = number
        connection.write { bytes in
            let count = uninterrupted { send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
            return count >= 0 ? count : errno == EAGAIN || errno == EWOULDBLOCK ? 0 : bytes.count
        }
    }

    private func deliver(at now: Instant) {
        while !hasEnded, !isPaused, isConnected {
            do throws(ClientConnection.Failure) {
                guard let match = try connection.next() else { return }
                accept(match.reply, at: now)
            } catch {
                switch error {
                case .disconnected: lose("the service closed the connection without an answer", at: now)
                case .violation, .replyTooLong: lose("the service violates the Varlink protocol (\(error))", at: now)
                }
            }
        }
    }

    private func accept(_ reply: Reply, at now: Instant) {
        if let error = reply.failure {
            // A stream that was accepted once survives a restart after which it is refused for a
            // while.
            guard wasAccepted || error.isTemporaryRefusal else {
                return end(.failed(method: request.call.method, error: error))
            }
            return lose("the service answers \(error)", error: error, at: now)
        }
        schedule.recordReply(at: now)
        wasAccepted = true
        let arrival = Arrival(parameters: reply.parameters, replaced: 0, connection: connectionCount)
        isPaused = !queue.put(arrival)
        if !reply.continues { end(nil) }
    }

    private func lose(_ reason: String, error: VarlinkError? = nil, at now: Instant) {
        socket = nil
        lastReason = reason
        lastError = error
        nextAttempt = schedule.recordLoss(at: now)
        if nextAttempt == nil { fail(at: now) }
    }

    private func fail(at now: Instant) {
        if let lastError, !lastError.isTemporaryRefusal {
            return end(.failed(method: request.call.method, error: lastError))
        }
        let reason = !isConnected ? lastReason : "it accepts connections and does not answer"
        let error: TransportError =
            lacksResources ? .noResources(reason: reason) : .noAnswer(socket: request.socket, reason: reason)
        guard request.persists else { return end(error) }
        socket = nil
        nextAttempt = schedule.restart(at: now)
        queue.report(error)
    }

    private func end(_ error: TransportError?) {
        socket = nil
        nextAttempt = nil
        hasEnded = true
        queue.finish(error)
    }
}

extension VarlinkError {
    /// Whether the daemon refuses the connection itself, or cannot start.
    package var isTemporaryRefusal: Bool {
        [
            "io.sextant.Manager.TooManyConnections", "io.sextant.Manager.TooManyNewConnections",
            "io.sextant.Manager.InvalidConfiguration",
        ].contains(name)
    }
}
