/// The server's side of one connection, as a state machine: bytes and replies go in, calls and bytes come out; the socket is the owner's.
///
/// Calls are handed out one at a time, each after the last reply to the one before, so replies keep the order of the calls by themselves and a
/// stream (`more`) holds the connection until it ends. What a client sends ahead waits unread: when 64 KiB wait, ``wantsInput`` is false and the
/// kernel holds the client back. The owner's loop is:
///
///     connection.receive(bytes)                         // when the socket is readable; receiveEnd() at end of file
///     while let action = connection.next() { ... }      // after receiving, replying and writing
///     try connection.write { send(fd, $0) }             // when there is something to say and the socket has room
///
/// A client that shuts down its writing side only (`socat` at the end of its input) still gets its replies and its stream. The owner closes when
/// the peer is gone altogether (hang-up, failed write) or ``next()`` says so.
public struct ServerConnection: Sendable {
    /// What the owner has to do.
    public enum Action: Sendable, Equatable {
        /// Serve this call: answer with exactly one final ``reply(_:continues:)`` or ``fail(_:)``, also when it wants no reply.
        case call(Call)
        /// A call to upgrade has been confirmed: once the outbox is empty the socket speaks the other protocol. `received` came early.
        case upgraded(received: [UInt8])
        /// Write what is left as far as there is room, then close the socket.
        case close(CloseReason)
    }

    /// Why a connection ends.
    public enum CloseReason: Sendable, Equatable {
        /// The client said that it would send no more, and everything is answered and sent.
        case finished
        /// The client stopped in the middle of a message.
        case endedInsideMessage
        /// The client broke the protocol.
        case violation(ProtocolViolation)
        /// A message is longer than allowed; the limit in bytes.
        case messageTooLong(limit: Int)
        /// More replies wait than allowed, because the client does not read them; the limit in bytes.
        case tooMuchUnread(limit: Int)
    }

    private enum State: Sendable {
        /// No call is being served; the next one may be handed out.
        case idle
        /// A call was handed out and its last reply is not made yet.
        case serving(Call.Mode)
        /// An upgrade was confirmed and the owner does not know yet.
        case confirmed
        /// The socket belongs to another protocol.
        case upgraded
        /// The connection must end and the owner does not know yet.
        case condemned(CloseReason)
        /// The connection has ended.
        case closed
    }

    private var state = State.idle
    private var framer: MessageFramer
    private var outbox: Outbox
    /// The client will send no more; it may still read.
    public private(set) var inputEnded = false

    /// A new connection. The limits are bytes: of one message in, and of replies that wait to be read.
    public init(messageLimit: Int = MessageFramer.defaultLimit, outputLimit: Int = Outbox.defaultLimit) {
        framer = MessageFramer(limit: messageLimit)
        outbox = Outbox(limit: outputLimit)
    }

    /// Whether the owner should read from the socket. False while a client has sent far ahead, waits for an upgrade, or has ended its input.
    public var wantsInput: Bool {
        switch state {
        case .idle: !inputEnded && framer.byteCount <= framer.limit
        case .serving(let mode): !inputEnded && framer.byteCount <= framer.limit && mode != .upgrade
        case .confirmed, .upgraded, .condemned, .closed: false
        }
    }

    /// Whether there is something to write.
    public var wantsOutput: Bool { !outbox.isEmpty }

    /// A call is being served.
    public var isServing: Bool { if case .serving = state { true } else { false } }

    /// A call with `more` is being served: further replies and updates may be sent to it.
    public var isStreaming: Bool { if case .serving(.more) = state { true } else { false } }

    /// Updates of the present or last stream: published, and replaced before they could be sent.
    public var updates: (published: Int, dropped: Int) { (outbox.sequence, outbox.dropped) }

    /// Takes in bytes. Those that come although ``wantsInput`` is false are kept up to one more limit; beyond it the connection ends.
    public mutating func receive(_ chunk: UnsafeRawBufferPointer) {
        switch state {
        case .idle, .serving, .confirmed: framer.append(chunk)
        case .upgraded, .condemned, .closed: return
        }
        if framer.byteCount > framer.limit * 2 + chunk.count { state = .condemned(.messageTooLong(limit: framer.limit)) }
    }

    /// Takes in bytes.
    public mutating func receive(_ chunk: [UInt8]) {
        chunk.withUnsafeBytes { receive($0) }
    }

    /// The socket is at its end of file: the client will send no more.
    public mutating func receiveEnd() {
        inputEnded = true
    }

    /// What to do next; nil when there is nothing to do before more is received, replied or written. Ask until it is nil.
    public mutating func next() -> Action? {
        switch state {
        case .idle:
            return nextCall()
        case .confirmed:
            state = .upgraded
            return .upgraded(received: framer.takeRest())
        case .condemned(let reason):
            state = .closed
            return .close(reason)
        case .serving, .upgraded, .closed:
            return nil
        }
    }

    private mutating func nextCall() -> Action? {
        do {
            guard let message = try framer.next() else { return nextEnd() }
            return begin(try Call(parsing: message))
        } catch let violation as ProtocolViolation {
            return close(.violation(violation))
        } catch {
            return close(.messageTooLong(limit: framer.limit))
        }
    }

    private mutating func begin(_ call: Call) -> Action {
        state = .serving(call.mode)
        outbox.beginStream()
        return .call(call)
    }

    private mutating func nextEnd() -> Action? {
        guard inputEnded else { return nil }
        if framer.byteCount > 0 { return close(.endedInsideMessage) }
        return outbox.isEmpty ? close(.finished) : nil
    }

    private mutating func close(_ reason: CloseReason) -> Action {
        state = .closed
        return .close(reason)
    }
}

extension ServerConnection {
    /// Answers the call that is being served.
    ///
    /// With `continues` a call with `more` stays open. Any other call wants one reply, so `continues` is not heeded and this one is it. A `oneway`
    /// call ends without a reply. Without a call nothing happens.
    public mutating func reply(_ parameters: EncodedObject = .empty, continues: Bool = false) {
        guard case .serving(let mode) = state else { return }
        let staysOpen = continues && mode == .more
        if !staysOpen { state = mode == .upgrade ? .confirmed : .idle }
        if mode != .oneway { enqueue(ReplyFrame.assemble(shared: parameters, continues: staysOpen)) }
    }

    /// Answers with any encodable value. Throws when it is no JSON object; the call then still waits for its answer.
    public mutating func reply(encoding parameters: some Encodable, continues: Bool = false) throws(EncodingFailure) {
        reply(try EncodedObject(encoding: parameters), continues: continues)
    }

    /// Answers the call that is being served with an error, which ends it. A `oneway` call ends without a reply.
    public mutating func fail(_ error: VarlinkError) {
        guard case .serving(let mode) = state else { return }
        state = .idle
        if mode != .oneway { enqueue(ReplyFrame.error(error)) }
    }

    /// Answers with one of the errors that all services share.
    public mutating func fail(_ error: ServiceError) {
        fail(error.reply)
    }

    /// Makes `update` the newest reply of the stream that is being served, replacing one that has not begun to be sent.
    ///
    /// Write after each update, as long as the socket has room. False, and nothing happens, when no stream is being served.
    @discardableResult
    public mutating func publish(_ update: EncodedObject, stamp: Outbox.Stamp) -> Bool {
        guard isStreaming else { return false }
        outbox.publish(update, stamp: stamp)
        return true
    }

    /// Makes `update` the newest reply of the stream that is being served, counted, behind those that wait: for updates that come together
    /// and all matter, as far as ``Outbox/orderedLimit`` goes. False, and nothing happens, when no stream is being served.
    @discardableResult
    public mutating func publishInOrder(_ update: EncodedObject) -> Bool {
        guard isStreaming else { return false }
        outbox.publishInOrder(update)
        return true
    }

    /// Offers what waits to `send` until it is all gone or not all of an offer is taken.
    ///
    /// - Parameter send: takes bytes and tells how many it took, 0 when there is no room; what it throws passes through.
    /// - Returns: whether nothing is left; if not, write again when the socket has room.
    @discardableResult
    public mutating func write<Failure: Error>(_ send: (UnsafeRawBufferPointer) throws(Failure) -> Int) throws(Failure) -> Bool {
        try outbox.write(send)
    }

    private mutating func enqueue(_ frame: [UInt8]) {
        do { try outbox.append(frame) } catch { state = .condemned(.tooMuchUnread(limit: error.limit)) }
    }
}
