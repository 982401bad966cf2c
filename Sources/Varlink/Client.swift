/// A blocking client on a Unix socket, for programs that do one thing at a time.
///
///     let client = try Client.connect(path: "/run/example/org.example.clock")
///     let time = try client.call("org.example.clock.GetTime", as: Time.self)
///
/// Nothing waits longer than its timeout. Signals do not end a wait; a program with an event loop of its own watches ``fileDescriptor`` and uses
/// ``ReplyStream/arrival()``.
public final class Client {
    /// Parameters of a method that takes none.
    public struct NoParameters: Codable, Sendable {
        /// `{}`
        public init() {}
    }

    private let socket: ClientSocket
    private var connection = ClientConnection()
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    /// Takes over a connected stream socket, which is closed with the client.
    public init(adopting fileDescriptor: Int32) {
        socket = ClientSocket.adopting(fileDescriptor)
    }

    private init(_ socket: consuming ClientSocket) {
        self.socket = socket
    }

    /// Connects to the service that listens at `path`.
    public static func connect(path: String, timeout: Duration = .seconds(5)) throws(ClientError) -> Client {
        guard path.utf8.count <= ClientSocket.longestPath else { throw .pathTooLong(path: path) }
        do {
            return Client(try ClientSocket.connecting(to: path, timeout: timeout))
        } catch {
            throw .connecting(path: path, errno: error.errno)
        }
    }

    /// The socket, to be watched for input by the caller's own loop.
    public var fileDescriptor: Int32 { socket.descriptor }

    /// Calls `method` and waits for its reply. An error reply is thrown as ``ClientError/failed(method:error:)``.
    ///
    /// On a connection with an open stream the reply cannot come: use a second connection.
    public func call<R: Decodable>(
        _ method: String, _ parameters: some Encodable = NoParameters(), as type: R.Type, timeout: Duration = .seconds(45)
    ) throws(ClientError) -> R {
        let deadline = MonotonicTime(after: timeout)
        let id = try start(method, parameters, mode: .single, deadline: deadline)
        while true {
            guard let answer = try nextAnswer(method, until: deadline) else { throw .timedOut(method: method) }
            guard answer.call == id else { continue }
            return try decode(answer.reply, of: method, as: type)
        }
    }

    /// Calls `method` without wanting a reply. Returns when the call is handed to the system.
    public func notify(
        _ method: String, _ parameters: some Encodable = NoParameters(), timeout: Duration = .seconds(45)
    ) throws(ClientError) {
        _ = try start(method, parameters, mode: .oneway, deadline: MonotonicTime(after: timeout))
    }

    /// Calls `method` with `more`. The stream ends when its last reply has come or the client is let go.
    ///
    /// - Parameter timeout: time to hand the call to the system; waiting for replies has timeouts of its own.
    public func stream(
        _ method: String, _ parameters: some Encodable = NoParameters(), timeout: Duration = .seconds(45)
    ) throws(ClientError) -> ReplyStream {
        let id = try start(method, parameters, mode: .more, deadline: MonotonicTime(after: timeout))
        return ReplyStream(client: self, method: method, call: id)
    }

    private func start(
        _ method: String, _ parameters: some Encodable, mode: Call.Mode, deadline: MonotonicTime
    ) throws(ClientError) -> ClientConnection.CallID {
        let id: ClientConnection.CallID
        do {
            id = try connection.send(try Call(method: method, encoding: parameters, mode: mode))
        } catch let failure as EncodingFailure {
            throw .unsendable(method: method, reason: failure.description)
        } catch {
            throw .unsendable(method: method, reason: "too many calls wait to be sent")
        }
        while try !flush(method) {
            guard try wait(method, until: deadline) else { throw .timedOut(method: method) }
            try fill(method)
        }
        return id
    }

    private func decode<R: Decodable>(_ reply: Reply, of method: String, as type: R.Type) throws(ClientError) -> R {
        if let error = reply.failure { throw .failed(method: method, error: error) }
        do { return try reply.decode(type) } catch { throw .unexpectedReply(method: method, error) }
    }

    /// The next reply to any call; nil when the deadline comes first.
    fileprivate func nextAnswer(_ method: String, until deadline: MonotonicTime) throws(ClientError) -> ClientConnection.Answer? {
        while true {
            if let answer = try takeAnswer(method) { return answer }
            guard try wait(method, until: deadline) else { return nil }
            try flush(method)
            try fill(method)
        }
    }

    /// The next reply that is here already, or can be read without waiting.
    fileprivate func nextAnswerAtOnce(_ method: String) throws(ClientError) -> ClientConnection.Answer? {
        if let answer = try takeAnswer(method) { return answer }
        try flush(method)
        try fill(method)
        return try takeAnswer(method)
    }

    private func takeAnswer(_ method: String) throws(ClientError) -> ClientConnection.Answer? {
        do {
            return try connection.next()
        } catch .disconnected {
            throw .disconnected(method: method)
        } catch {
            throw .protocolFailure(method: method, error)
        }
    }

    private func wait(_ method: String, until deadline: MonotonicTime) throws(ClientError) -> Bool {
        do {
            return try socket.wait(toWrite: connection.wantsOutput, until: deadline)
        } catch {
            throw ClientError(error, method: method)
        }
    }

    /// Sends what there is room for; true when nothing is left to be sent. A service that has closed its end may have said why: who waits for
    /// a reply reads that, or the end.
    @discardableResult
    private func flush(_ method: String) throws(ClientError) -> Bool {
        do {
            return try connection.write { bytes throws(ClientSocket.Failure) in try socket.send(bytes) }
        } catch {
            guard error.isPeerGone, connection.unanswered > 0 else { throw ClientError(error, method: method) }
            return true
        }
    }

    /// Reads once, as much as is there.
    private func fill(_ method: String) throws(ClientError) {
        let count: Int?
        do { count = try socket.receive(into: &buffer) } catch { throw ClientError(error, method: method) }
        guard let count else { return }
        if count == 0 { connection.receiveEnd() } else { buffer.withUnsafeBytes { connection.receive(.init(rebasing: $0[..<count])) } }
    }
}

/// The replies to a call with `more`, taken one by one.
public struct ReplyStream {
    /// What ``arrival()`` finds.
    public enum Arrival: Sendable, Equatable {
        /// A reply, perhaps the last.
        case reply(Reply)
        /// Nothing now: wait until the descriptor can be read.
        case nothingYet
        /// The last reply has been taken.
        case ended
    }

    private let client: Client
    private let method: String
    private let call: ClientConnection.CallID
    private var hasEnded = false

    fileprivate init(client: Client, method: String, call: ClientConnection.CallID) {
        (self.client, self.method, self.call) = (client, method, call)
    }

    /// The socket, to be watched for input by the caller's own loop.
    public var fileDescriptor: Int32 { client.fileDescriptor }

    /// The next reply, waiting for it; nil after the last. An error reply is thrown as ``ClientError/failed(method:error:)`` and ends the stream.
    public mutating func next(timeout: Duration) throws(ClientError) -> Reply? {
        let deadline = MonotonicTime(after: timeout)
        while !hasEnded {
            guard let answer = try client.nextAnswer(method, until: deadline) else { throw .timedOut(method: method) }
            if let reply = try accept(answer) { return reply }
        }
        return nil
    }

    /// The next reply if it is here, without waiting. One readable event can bring several: ask until there is nothing yet.
    public mutating func arrival() throws(ClientError) -> Arrival {
        while !hasEnded {
            guard let answer = try client.nextAnswerAtOnce(method) else { return .nothingYet }
            if let reply = try accept(answer) { return .reply(reply) }
        }
        return .ended
    }

    /// The reply when it is one of this stream; late replies to calls that timed out are passed over.
    private mutating func accept(_ answer: ClientConnection.Answer) throws(ClientError) -> Reply? {
        guard answer.call == call else { return nil }
        hasEnded = !answer.reply.continues
        if let error = answer.reply.failure { throw .failed(method: method, error: error) }
        return answer.reply
    }
}
