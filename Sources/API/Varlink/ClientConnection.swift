/// The client's side of one connection as a state machine without I/O.
///
/// The owner queues calls and writes the resulting bytes to the socket. It passes received bytes in
/// and takes replies out.
///
/// Varlink has no request identifiers: replies match calls by their order. A client may pipeline
/// calls. While a call with `more` is active, replies to later calls are delayed behind it, so
/// programs open one connection per stream.
public struct ClientConnection: Sendable {
    /// The identifier of a call on this connection, counted from 1.
    public struct CallID: Hashable, Sendable, Comparable {
        /// The position of the call among the calls of this connection, from 1.
        public let number: Int
        /// Returns whether the first call was made before the second.
        public static func < (a: CallID, b: CallID) -> Bool { a.number < b.number }
    }

    /// A reply with the call that it answers. A reply without `continues` completes its call.
    public struct MatchedReply: Sendable, Equatable {
        /// The call that is answered.
        public let call: CallID
        /// The reply.
        public let reply: Reply
    }

    /// A reply whose parameters may have been read directly.
    package enum DirectReply {
        /// The parameters of a reply to this call have been read. More replies follow.
        case read(CallID)
        /// Any other reply.
        case general(MatchedReply)
    }

    /// A failure of the connection as a whole. No more replies can be read after it.
    public enum Failure: Error, Equatable, Sendable {
        /// The service violated the protocol.
        case violation(ProtocolViolation)
        /// A reply is longer than `limit` bytes.
        case replyTooLong(limit: Int)
        /// The service closed the connection while `unanswered` calls had no final reply.
        case disconnected(unanswered: Int)
    }

    private struct OutstandingCall: Sendable {
        let call: CallID
        let mode: Call.Mode
    }

    /// The default maximum length of a reply: 16 MiB, the same limit as systemd's.
    public static let defaultReplyLimit = 16 << 20

    private var framer: MessageFramer
    private var outbox = Outbox()
    /// The calls without a final reply, oldest first, starting at `firstExpected`.
    private var outstandingCalls: [OutstandingCall] = []
    private var firstExpected = 0
    private var callCount = 0
    private var ended = false
    private var failure: Failure?

    /// Creates a connection without calls.
    public init(replyLimit: Int = ClientConnection.defaultReplyLimit) {
        framer = MessageFramer(limit: replyLimit)
    }

    /// The number of calls without a final reply.
    public var unanswered: Int { outstandingCalls.count - firstExpected }

    /// Whether the output queue has bytes to write.
    public var wantsOutput: Bool { !outbox.isEmpty }

    /// Queues a call. Throws when the output queue would exceed 1 MiB.
    @discardableResult
    public mutating func send(_ call: Call) throws(Outbox.Overflow) -> CallID {
        try outbox.append(call.encoded())
        callCount += 1
        let id = CallID(number: callCount)
        if call.mode != .oneway { outstandingCalls.append(OutstandingCall(call: id, mode: call.mode)) }
        return id
    }

    /// Queues bytes of the protocol that follows an upgrade. Throws when the output queue would
    /// exceed 1 MiB.
    package mutating func send(_ bytes: [UInt8]) throws(Outbox.Overflow) { try outbox.append(bytes) }

    /// Passes queued bytes to `send` until the queue is empty or `send` accepts only part of them.
    /// See ``ServerConnection/write(_:)``.
    @discardableResult
    public mutating func write<Failure: Error>(_ send: (UnsafeRawBufferPointer) throws(Failure) -> Int) throws(Failure)
        -> Bool
    {
        try outbox.write(send)
    }

    /// Processes bytes received from the service.
    public mutating func receive(_ chunk: UnsafeRawBufferPointer) {
        framer.append(chunk)
    }

    /// Processes bytes received from the service.
    public mutating func receive(_ chunk: [UInt8]) {
        framer.append(chunk)
    }

    /// Records that the service closed the connection.
    public mutating func receiveEnd() {
        ended = true
    }

    /// Returns the next complete reply, or nil when more bytes are needed.
    ///
    /// - Throws: ``Failure`` when the connection is unusable, and again on every later call.
    public mutating func next() throws(Failure) -> MatchedReply? {
        if let failure { throw failure }
        do throws(Failure) {
            guard let message = try nextMessage() else { return nil }
            return try match(message)
        } catch {
            failure = error
            throw error
        }
    }

    /// Returns the next reply like ``next()``, after `read` has read its parameters.
    ///
    /// Only replies of a stream that continues are read so; others, and those for which `read`
    /// returns false, are returned in general form.
    package mutating func next(reading read: (inout ObjectReader) -> Bool) throws(Failure) -> DirectReply? {
        if let failure { throw failure }
        do throws(Failure) {
            guard let message = try nextMessage() else { return nil }
            if unanswered > 0, outstandingCalls[firstExpected].mode == .more,
                ObjectReader.readParameters(of: message, with: read)
            {
                return .read(outstandingCalls[firstExpected].call)
            }
            return .general(try match(message))
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

    private mutating func match(_ message: [UInt8]) throws(Failure) -> MatchedReply {
        let reply: Reply
        do { reply = try Reply(parsing: message) } catch { throw .violation(error) }
        guard unanswered > 0 else { throw .violation(.unexpectedReply) }
        let expectation = outstandingCalls[firstExpected]
        guard !reply.continues || expectation.mode == .more else { throw .violation(.unexpectedContinues) }
        if !reply.continues { removeFirstOutstandingCall() }
        return MatchedReply(call: expectation.call, reply: reply)
    }

    private mutating func removeFirstOutstandingCall() {
        firstExpected += 1
        guard firstExpected >= 16, firstExpected >= outstandingCalls.count / 2 else { return }
        outstandingCalls.removeFirst(firstExpected)
        firstExpected = 0
    }
}
