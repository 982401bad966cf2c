import Varlink

/// A blocking client on a Unix socket, for programs that do one thing at a time.
///
///     let client = try BlockingClient.connect(path: "/run/example/org.example.clock")
///     let time = try client.call(Method<NoParameters, Time>(named: "org.example.clock.GetTime"))
///
/// No operation waits longer than its timeout, and signals do not end a wait. A program with its
/// own event loop watches ``fileDescriptor`` and calls
/// ``ReplyStream/nextIfAvailable()``.
public final class BlockingClient {
    private let socket: ClientSocket
    private var connection = ClientConnection()
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    /// Takes ownership of a connected stream socket. The client closes it on deinitialization.
    public init(adopting fileDescriptor: Int32) {
        socket = ClientSocket.adopting(fileDescriptor)
    }

    private init(_ socket: consuming ClientSocket) {
        self.socket = socket
    }

    /// Connects to the service at the socket `path`.
    public static func connect(path: String, timeout: Duration = .seconds(5)) throws(ClientError) -> BlockingClient {
        guard path.utf8.count <= ClientSocket.maxPathLength else { throw .pathTooLong(path: path) }
        do {
            return BlockingClient(try ClientSocket.connecting(to: path, timeout: timeout))
        } catch {
            throw .connecting(path: path, errno: error.errno)
        }
    }

    /// The socket, for use in the caller's event loop.
    public var fileDescriptor: Int32 { socket.descriptor }

    func reply(
        to call: ClientConnection.CallID, of method: String, until deadline: MonotonicTime
    ) throws(ClientError) -> Reply {
        while true {
            guard let match = try nextReply(method, until: deadline) else { throw .timedOut(method: method) }
            guard match.call == call else { continue }
            if let error = match.reply.failure { throw .failed(method: method, error: error) }
            return match.reply
        }
    }

    func start(
        _ method: String, deadline: MonotonicTime, _ call: () throws(EncodingFailure) -> Call
    ) throws(ClientError) -> ClientConnection.CallID {
        let id: ClientConnection.CallID
        do {
            id = try connection.send(try call())
        } catch let failure as EncodingFailure {
            throw .sendFailed(method: method, reason: failure.description)
        } catch {
            throw .sendFailed(method: method, reason: "too many calls wait to be sent")
        }
        while try !flush(method) {
            guard try wait(method, until: deadline) else { throw .timedOut(method: method) }
            try readAvailable(method)
        }
        return id
    }

    /// Returns the next reply to any call, or nil at the deadline.
    fileprivate func nextReply(
        _ method: String, until deadline: MonotonicTime
    ) throws(ClientError) -> ClientConnection.MatchedReply? {
        while true {
            if let match = try nextBufferedReply(method) { return match }
            guard try wait(method, until: deadline) else { return nil }
            try flush(method)
            try readAvailable(method)
        }
    }

    /// Returns the next reply that is already buffered or can be read without waiting.
    fileprivate func nextAvailableReply(_ method: String) throws(ClientError) -> ClientConnection.MatchedReply? {
        if let match = try nextBufferedReply(method) { return match }
        try flush(method)
        try readAvailable(method)
        return try nextBufferedReply(method)
    }

    private func nextBufferedReply(_ method: String) throws(ClientError) -> ClientConnection.MatchedReply? {
        do throws(ClientConnection.Failure) { return try connection.next() } catch {
            throw ClientError(error, method: method)
        }
    }

    private func wait(_ method: String, until deadline: MonotonicTime) throws(ClientError) -> Bool {
        do {
            return try socket.wait(toWrite: connection.wantsOutput, until: deadline)
        } catch {
            throw ClientError(error, method: method)
        }
    }

    /// Sends as much as the socket accepts. Returns true when the output queue is empty.
    ///
    /// If the service has closed its end, it may have sent an error first. While calls are
    /// unanswered this function ignores the failed write, so the caller reads that error or the end
    /// of the stream.
    @discardableResult
    private func flush(_ method: String) throws(ClientError) -> Bool {
        do {
            return try connection.write { bytes throws(ClientSocket.Failure) in try socket.send(bytes) }
        } catch {
            guard error.isPeerGone, connection.unanswered > 0 else { throw ClientError(error, method: method) }
            return true
        }
    }

    /// Reads once, up to the size of the buffer.
    private func readAvailable(_ method: String) throws(ClientError) {
        let count: Int?
        do { count = try socket.receive(into: &buffer) } catch { throw ClientError(error, method: method) }
        guard let count else { return }
        if count == 0 {
            connection.receiveEnd()
        } else {
            buffer.withUnsafeBytes { connection.receive(.init(rebasing: $0[..<count])) }
        }
    }
}

extension BlockingClient {
    /// Calls `method` and waits for its reply.
    ///
    /// While a stream is open on this connection the reply cannot arrive: use a second connection.
    ///
    /// - Throws: ``ClientError/failed(method:error:)`` for an error reply.
    public func call<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, with parameters: Parameters, timeout: Duration = .seconds(45)
    ) throws(ClientError) -> Reply {
        let deadline = MonotonicTime(after: timeout)
        let id = try start(method.name, deadline: deadline) { () throws(EncodingFailure) in
            try method.call(with: parameters)
        }
        let reply = try reply(to: id, of: method.name, until: deadline)
        do { return try reply.parameters(of: method) } catch {
            throw .unexpectedReply(method: method.name, error)
        }
    }

    /// Calls `method`, which has no parameters, and waits for its reply.
    ///
    /// - Throws: ``ClientError/failed(method:error:)`` for an error reply.
    public func call<Reply>(
        _ method: Method<NoParameters, Reply>, timeout: Duration = .seconds(45)
    ) throws(ClientError) -> Reply {
        try call(method, with: NoParameters(), timeout: timeout)
    }

    /// Calls `method` with `more`. The stream ends with its last reply or when the client is
    /// released.
    ///
    /// - Parameter timeout: The time limit for sending the call. Each wait for a reply has its own
    ///   timeout.
    public func stream<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, with parameters: Parameters, timeout: Duration = .seconds(45)
    ) throws(ClientError) -> ReplyStream {
        let id = try start(method.name, deadline: MonotonicTime(after: timeout)) { () throws(EncodingFailure) in
            try method.call(with: parameters, mode: .more)
        }
        return ReplyStream(client: self, method: method.name, call: id)
    }
}

/// The sequence of replies to a call with `more`.
public struct ReplyStream {
    /// The result of ``nextIfAvailable()``.
    public enum PollResult: Sendable, Equatable {
        /// A reply, which may be the last one.
        case reply(Reply)
        /// No reply is available. Wait until the descriptor is readable.
        case pending
        /// The caller has already received the last reply.
        case ended
    }

    private let client: BlockingClient
    private let method: String
    private let call: ClientConnection.CallID
    private var hasEnded = false

    init(client: BlockingClient, method: String, call: ClientConnection.CallID) {
        self.client = client
        self.method = method
        self.call = call
    }

    /// The socket, for use in the caller's event loop.
    public var fileDescriptor: Int32 { client.fileDescriptor }

    /// Waits for the next reply. Returns nil after the last one.
    ///
    /// - Throws: ``ClientError/failed(method:error:)`` for an error reply, which ends the stream.
    public mutating func next(timeout: Duration) throws(ClientError) -> Reply? {
        let deadline = MonotonicTime(after: timeout)
        while !hasEnded {
            guard let match = try client.nextReply(method, until: deadline) else { throw .timedOut(method: method) }
            if let reply = try accept(match) { return reply }
        }
        return nil
    }

    /// Returns the next available reply without waiting.
    ///
    /// One readable event can carry several replies: call this function until it returns
    /// ``PollResult/pending``.
    public mutating func nextIfAvailable() throws(ClientError) -> PollResult {
        while !hasEnded {
            guard let match = try client.nextAvailableReply(method) else { return .pending }
            if let reply = try accept(match) { return .reply(reply) }
        }
        return .ended
    }

    /// Returns the reply if it belongs to this stream. Ignores late replies to calls that timed
    /// out.
    private mutating func accept(_ match: ClientConnection.MatchedReply) throws(ClientError) -> Reply? {
        guard match.call == call else { return nil }
        hasEnded = !match.reply.continues
        if let error = match.reply.failure { throw .failed(method: method, error: error) }
        return match.reply
    }
}

/// The reason why a call or a connection attempt failed. Each case names the operation.
public enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Connecting to the socket at `path` failed with `errno`.
    case connecting(path: String, errno: Int32)
    /// `path` does not fit into a Unix socket address, which holds 107 bytes.
    case pathTooLong(path: String)
    /// Sending or receiving failed with `errno` during a call of `method`.
    case transport(method: String, errno: Int32)
    /// The service closed the connection before it answered `method`.
    case disconnected(method: String)
    /// The service did not answer `method` within the timeout.
    case timedOut(method: String)
    /// The service answered `method` with an error reply.
    case failed(method: String, error: VarlinkError)
    /// During a call of `method` the service violated the protocol or exceeded the reply limit.
    case protocolFailure(method: String, ClientConnection.Failure)
    /// The reply to `method` does not match the requested type.
    case unexpectedReply(method: String, UnexpectedParameters)
    /// The call of `method` cannot be sent: its parameters do not encode as JSON, or the output
    /// queue is full.
    case sendFailed(method: String, reason: String)

    /// One sentence for users.
    public var description: String {
        switch self {
        case .connecting(let path, let errno): "connecting to \(path): \(systemMessage(errno))"
        case .pathTooLong(let path):
            "connecting to \(path): a socket path can have at most \(ClientSocket.maxPathLength) bytes"
        case .transport(let method, let errno): "calling \(method): \(systemMessage(errno))"
        case .disconnected(let method): "calling \(method): the service closed the connection"
        case .timedOut(let method): "calling \(method): no answer in time"
        case .failed(let method, let error): "\(method) failed: \(error)"
        case .protocolFailure(let method, let failure):
            "calling \(method): the service violated the Varlink protocol (\(failure))"
        case .unexpectedReply(let method, let mismatch):
            "calling \(method): the reply does not match the interface: \(mismatch)"
        case .sendFailed(let method, let reason): "calling \(method): the call cannot be sent: \(reason)"
        }
    }
}

extension ClientError {
    /// Creates the error for a failed system call. A service that closed its end with unsent or
    /// unread data causes a connection reset or a broken pipe.
    init(_ failure: ClientSocket.Failure, method: String) {
        self = failure.isPeerGone ? .disconnected(method: method) : .transport(method: method, errno: failure.errno)
    }

    /// Creates the error for the end of a connection during a call.
    package init(_ failure: ClientConnection.Failure, method: String) {
        if case .disconnected = failure {
            self = .disconnected(method: method)
        } else {
            self = .protocolFailure(method: method, failure)
        }
    }
}
