/// The client's side of one connection, as a state machine: calls go in, bytes come out; bytes go in, replies come out.
///
/// Varlink has no request numbers: replies belong to calls by their order. Calls may be sent ahead. While a call with `more` goes on, replies to
/// later ones wait behind it, so a program opens a connection for each stream.
public struct ClientConnection: Sendable {
    /// Names a call on this connection; counts from 1.
    public struct CallID: Hashable, Sendable, Comparable {
        /// Position among the calls of this connection.
        public let number: Int
        /// The earlier call is the lesser.
        public static func < (a: CallID, b: CallID) -> Bool { a.number < b.number }
    }

    /// A reply and the call it belongs to. When it does not continue, the call is over.
    public struct Answer: Sendable, Equatable {
        /// The call.
        public let call: CallID
        /// The reply.
        public let reply: Reply
    }

    /// What goes wrong with a connection as a whole; nothing can be read from it afterwards.
    public enum Failure: Error, Equatable, Sendable {
        /// The service broke the protocol.
        case violation(ProtocolViolation)
        /// A reply is longer than allowed; the limit in bytes.
        case replyTooLong(limit: Int)
        /// The service closed the connection, with this many calls unanswered.
        case disconnected(unanswered: Int)
    }

    private struct Expectation: Sendable {
        let call: CallID
        let mode: Call.Mode
    }

    /// Greatest length of a reply by default: 16 MiB, as systemd has it.
    public static let defaultReplyLimit = 16 << 20

    private var framer: MessageFramer
    private var outbox = Outbox()
    /// Calls without a last reply, oldest first from `firstExpected` on.
    private var expected: [Expectation] = []
    private var firstExpected = 0
    private var callCount = 0
    private var ended = false
    private var failure: Failure?

    /// A connection without calls.
    public init(replyLimit: Int = ClientConnection.defaultReplyLimit) {
        framer = MessageFramer(limit: replyLimit)
    }

    /// Calls that wait for their last reply.
    public var unanswered: Int { expected.count - firstExpected }

    /// Whether there is something to write.
    public var wantsOutput: Bool { !outbox.isEmpty }

    /// Queues a call. Throws when more than 1 MiB of calls wait to be written.
    @discardableResult
    public mutating func send(_ call: Call) throws(Outbox.Overflow) -> CallID {
        try outbox.append(call.encoded())
        callCount += 1
        let id = CallID(number: callCount)
        if call.mode != .oneway { expected.append(Expectation(call: id, mode: call.mode)) }
        return id
    }

    /// Offers what waits to `send` until it is all gone or not all of an offer is taken; see ``ServerConnection/write(_:)``.
    @discardableResult
    public mutating func write<Failure: Error>(_ send: (UnsafeRawBufferPointer) throws(Failure) -> Int) throws(Failure) -> Bool {
        try outbox.write(send)
    }

    /// Takes in bytes from the service.
    public mutating func receive(_ chunk: UnsafeRawBufferPointer) {
        framer.append(chunk)
    }

    /// Takes in bytes from the service.
    public mutating func receive(_ chunk: [UInt8]) {
        framer.append(chunk)
    }

    /// The service closed the connection.
    public mutating func receiveEnd() {
        ended = true
    }

    /// The next reply that has arrived whole; nil when more bytes are needed. Throws when the connection is of no more use, then always.
    public mutating func next() throws(Failure) -> Answer? {
        if let failure { throw failure }
        do throws(Failure) {
            guard let message = try nextMessage() else { return nil }
            return try match(message)
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func nextMessage() throws(Failure) -> [UInt8]? {
        let message: [UInt8]?
        do { message = try framer.next() } catch { throw .replyTooLong(limit: error.limit) }
        if message == nil, ended { throw .disconnected(unanswered: unanswered) }
        return message
    }

    private mutating func match(_ message: [UInt8]) throws(Failure) -> Answer {
        let reply: Reply
        do { reply = try Reply(parsing: message) } catch { throw .violation(error) }
        guard unanswered > 0 else { throw .violation(.unexpectedReply) }
        let expectation = expected[firstExpected]
        guard !reply.continues || expectation.mode == .more else { throw .violation(.unexpectedContinues) }
        if !reply.continues { forgetFirst() }
        return Answer(call: expectation.call, reply: reply)
    }

    private mutating func forgetFirst() {
        firstExpected += 1
        guard firstExpected >= 16, firstExpected >= expected.count / 2 else { return }
        expected.removeFirst(firstExpected)
        firstExpected = 0
    }
}
