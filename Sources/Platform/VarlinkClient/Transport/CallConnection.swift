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
    private var channel: Channel?
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
    /// What the log has of the last reply.
    private var loggedStates: [String: JSONValue] = [:]
    /// What the thread waits for.
    var watched: Interest?
    /// Whether the call has ended. The thread keeps it until the program closes it.
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
        guard let channel, !isPaused || channel.wantsOutput else { return nil }
        return Interest(
            descriptor: channel.descriptor, connection: connectionCount, reads: !isPaused, writes: channel.wantsOutput)
    }

    /// Whether a socket is open.
    var isConnected: Bool { channel != nil }

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
        guard let channel else { return }
        channel.flush()
        if channel.read(into: &buffer) { deliver(at: now) }
    }

    /// Connects again later, because the socket cannot be watched.
    func failToWait(_ reason: String, at now: Instant) {
        lacksResources = true
        lose(reason, at: now)
    }

    private func connect(at now: Instant) {
        nextAttempt = nil
        do throws(SystemError) {
            // A Unix socket connects at once. EAGAIN means that the queue of the daemon is full.
            let channel = try Channel(to: request.socket)
            self.channel = channel
            lacksResources = false
            connectionCount += 1
            log("connection \(connectionCount) to \(request.socket)")
            schedule.recordConnection(at: now)
            do throws(Outbox.Overflow) { try channel.send(request.call) } catch {
                end(.notSent(method: request.call.method, reason: "its parameters are too long"))
            }
        } catch {
            lacksResources = [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(error.code)
            let reason = String(cString: strerror(error.code))
            lose(lacksResources ? reason : "connecting: \(reason)", at: now)
        }
    }

    private func deliver(at now: Instant) {
        while !hasEnded, !isPaused, let channel {
            do throws(ClientConnection.Failure) {
                guard let match = try channel.next() else { return }
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
        if ClientLog.isOn, case let states = ClientLog.states(of: reply), states != loggedStates {
            loggedStates = states
            log(String(decoding: Reply(parameters: states).encoded().dropLast(), as: UTF8.self))
        }
        let arrival = Arrival(parameters: reply.parameters, replaced: 0, connection: connectionCount)
        isPaused = !queue.put(arrival)
        if !reply.continues { end(nil) }
    }

    private func lose(_ reason: String, error: VarlinkError? = nil, at now: Instant) {
        channel = nil
        lastReason = reason
        lastError = error
        nextAttempt = schedule.recordLoss(at: now)
        log(reason + (nextAttempt.map { "; next attempt in \(($0 - now).seconds) s" } ?? ""))
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
        channel = nil
        nextAttempt = schedule.restart(at: now)
        queue.report(error)
    }

    private func end(_ error: TransportError?) {
        channel = nil
        hasEnded = true
        log(error.map { "ended: \($0)" } ?? "ended")
        queue.finish(error)
    }

    private func log(_ text: @autoclosure () -> String) { ClientLog.write(request.call.method, text()) }
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

/// What calls of the Swift libraries do, as lines on standard error for the developer of a program:
/// connections, losses, errors, and what a stream says about permission and availability. Never a
/// position.
///
/// It is on if the environment variable SEXTANT_LOG is `debug`.
private enum ClientLog {
    static let isOn = getenv("SEXTANT_LOG").map { String(cString: $0) == "debug" } ?? false

    /// The members of replies that are logged when they change.
    private static let states: Set = ["permission", "diagnostics", "locationUnavailable", "cause", "detail"]

    /// The part of a reply that is logged.
    static func states(of reply: Reply) -> [String: JSONValue] { reply.parameters.filter { states.contains($0.key) } }

    /// Writes a line about a call.
    static func write(_ method: String, _ text: @autoclosure () -> String) {
        guard isOn else { return }
        let line = Array("\(method): \(TerminalText.sanitized(text()))\n".utf8)
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
