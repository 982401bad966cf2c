/// The server's side of one connection as a state machine without I/O. The owner holds the socket.
///
/// The connection returns one call at a time, each after the final reply to the previous one.
/// Replies therefore keep the order of the calls, and a stream (`more`) occupies the connection
/// until it ends. Pipelined calls are buffered. When 64 KiB are buffered, ``wantsInput`` becomes
/// false and the kernel applies back pressure to the client. The owner's loop is:
///
///     // When the socket is readable; receiveEnd() at the end of file.
///     connection.receive(bytes)
///     // After receiving, replying and writing.
///     while let action = connection.next() { ... }
///     // When wantsOutput is true and the socket is writable.
///     try connection.write { send(fd, $0) }
///
/// A client that shuts down only its writing side (`socat` at the end of its input) still receives
/// its replies and its stream. When the client has closed the connection (hang-up, failed read or
/// write), the owner calls ``receiveHangup()``. The complete `oneway` calls of the client are still
/// returned, because they take effect without a reader of replies. The owner closes the connection
/// when a call stays open then, or when ``next()`` returns ``Action/close(_:)``.
public struct ServerConnection: Sendable {
    /// An action that the owner must perform.
    public enum Action: Sendable, Equatable {
        /// Serve this call. Answer with exactly one final ``reply(_:continues:)`` or ``fail(_:)``,
        /// even if the call is `oneway`.
        case call(Call)
        /// The upgrade is confirmed: once the output queue is empty, the socket uses the other
        /// protocol. `received` holds bytes of that protocol that arrived early.
        case upgraded(received: [UInt8])
        /// Write as much of the output queue as the socket accepts, then close the socket.
        case close(CloseReason)
    }

    /// The reason why a connection ends.
    public enum CloseReason: Sendable, Equatable {
        /// The client ended its input, and all replies are sent.
        case finished
        /// The client ended its input in the middle of a message.
        case truncatedMessage
        /// The client violated the protocol.
        case violation(ProtocolViolation)
        /// A message is longer than `limit` bytes.
        case messageTooLong(limit: Int)
        /// The client does not read its replies, and more than `limit` bytes are queued.
        case outputLimitExceeded(limit: Int)
    }

    private enum State: Sendable {
        /// No call is active; the next call may be returned.
        case idle
        /// A call is active: its final reply is outstanding.
        case serving(Call.Mode)
        /// An upgrade is confirmed; the owner has not received the action yet.
        case upgradeConfirmed
        /// The socket uses another protocol.
        case upgraded
        /// The connection must close; the owner has not received the action yet.
        case closing(CloseReason)
        /// The connection is closed.
        case closed
    }

    private var state = State.idle
    private var framer: MessageFramer
    private var outbox: Outbox
    /// Whether the client has ended its input. It may still read.
    public private(set) var inputEnded = false
    /// Whether the client has closed the connection. Nobody reads replies any more.
    public private(set) var isHungUp = false

    /// Creates a connection.
    ///
    /// - Parameters:
    ///   - messageLimit: The maximum length of a received message in bytes.
    ///   - outputLimit: The maximum number of queued reply bytes.
    public init(messageLimit: Int = MessageFramer.defaultLimit, outputLimit: Int = Outbox.defaultLimit) {
        framer = MessageFramer(limit: messageLimit)
        outbox = Outbox(limit: outputLimit)
    }

    /// Whether the owner should read from the socket. False while many pipelined bytes are
    /// buffered, during an upgrade, and after the end of input.
    public var wantsInput: Bool {
        switch state {
        case .idle: !inputEnded && framer.byteCount <= framer.limit
        case .serving(let mode): !inputEnded && framer.byteCount <= framer.limit && mode != .upgrade
        case .upgradeConfirmed, .upgraded, .closing, .closed: false
        }
    }

    /// Whether the output queue has bytes to write.
    public var wantsOutput: Bool { !isHungUp && !outbox.isEmpty }

    /// The number of bytes that are received and not served, or queued and not written.
    public var bufferedByteCount: Int { framer.byteCount + outbox.byteCount }

    /// Whether a call is active.
    public var isServing: Bool { if case .serving = state { true } else { false } }

    /// Whether a call with `more` is active, so that further replies and updates are allowed.
    public var isStreaming: Bool { if case .serving(.more) = state { true } else { false } }

    /// Whether ``next()`` closes the connection. The owner does not wait for the client to read its
    /// output then.
    public var mustClose: Bool { if case .closing = state { true } else { false } }

    /// The update counts of the current or last stream: published, and replaced before they were
    /// sent.
    public var updates: (published: Int, dropped: Int) { (outbox.sequence, outbox.dropped) }

    /// Processes received bytes. Bytes that arrive while ``wantsInput`` is false are buffered up to
    /// one more limit; beyond it the connection closes.
    public mutating func receive(_ chunk: UnsafeRawBufferPointer) {
        switch state {
        case .idle, .serving, .upgradeConfirmed: framer.append(chunk)
        case .upgraded, .closing, .closed: return
        }
        if framer.byteCount > framer.limit * 2 + chunk.count { state = .closing(.messageTooLong(limit: framer.limit)) }
    }

    /// Processes received bytes.
    public mutating func receive(_ chunk: [UInt8]) {
        chunk.withUnsafeBytes { receive($0) }
    }

    /// Records the end of file: the client sends no more.
    public mutating func receiveEnd() {
        inputEnded = true
    }

    /// Records that the client has closed the connection. Replies and calls that need one are
    /// discarded from now on. The owner still passes what the client sent before, and its end.
    public mutating func receiveHangup() {
        isHungUp = true
    }

    /// Returns the next action, or nil when there is none until more is received, replied or
    /// written. Call it until it returns nil.
    public mutating func next() -> Action? {
        switch state {
        case .idle:
            return nextCall()
        case .upgradeConfirmed:
            state = .upgraded
            return .upgraded(received: framer.removeAll())
        case .closing(let reason):
            state = .closed
            return .close(reason)
        case .serving, .upgraded, .closed:
            return nil
        }
    }

    private mutating func nextCall() -> Action? {
        do {
            while let message = try framer.next() {
                let call = try Call(parsing: message)
                if !isHungUp || call.mode == .oneway { return begin(call) }
            }
            return nextEnd()
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
        if framer.byteCount > 0 { return close(.truncatedMessage) }
        return wantsOutput ? nil : close(.finished)
    }

    private mutating func close(_ reason: CloseReason) -> Action {
        state = .closed
        return .close(reason)
    }
}

extension ServerConnection {
    /// Answers the active call. Does nothing without an active call.
    ///
    /// With `continues`, a call with `more` stays open. Any other call gets exactly one reply, so
    /// `continues` is ignored. A `oneway` call ends without a reply.
    public mutating func reply(_ parameters: EncodedObject = .empty, continues: Bool = false) {
        guard case .serving(let mode) = state else { return }
        let staysOpen = continues && mode == .more
        if !staysOpen { state = mode == .upgrade ? .upgradeConfirmed : .idle }
        if mode != .oneway { enqueue(ReplyFrame.assemble(shared: parameters, continues: staysOpen)) }
    }

    /// Answers the active call with an error, which ends it. A `oneway` call ends without a reply.
    public mutating func fail(_ error: VarlinkError) {
        guard case .serving(let mode) = state else { return }
        state = .idle
        if mode != .oneway { enqueue(ReplyFrame.error(error)) }
    }

    /// Answers the active call with a standard error.
    public mutating func fail(_ error: ServiceError) {
        fail(error.reply)
    }

    /// Publishes `update` as the newest reply of the active stream. It replaces an update whose
    /// sending has not begun.
    ///
    /// Call ``write(_:)`` after each update while the socket is writable. Returns false and does
    /// nothing without an active stream.
    ///
    /// - Parameter unpublished: The number of earlier updates that this one replaces and that were
    ///   not published. They are counted as dropped.
    @discardableResult
    public mutating func publish(
        _ update: EncodedObject, counters: Outbox.Counters, replacing unpublished: Int = 0
    ) -> Bool {
        guard isStreaming else { return false }
        outbox.publish(update, counters: counters, replacing: unpublished)
        return true
    }

    /// Publishes `update` with counters, behind all queued updates, for batches whose updates all
    /// matter.
    ///
    /// The order is kept up to ``Outbox/orderedLimit`` bytes. Returns false and does nothing
    /// without an active stream.
    @discardableResult
    public mutating func publishInOrder(_ update: EncodedObject, replacing unpublished: Int = 0) -> Bool {
        guard isStreaming else { return false }
        outbox.publishInOrder(update, replacing: unpublished)
        return true
    }

    /// Discards the updates of the active stream whose sending has not begun. They are counted as
    /// dropped. The stream must have published updates only.
    public mutating func discardUpdates() {
        if isStreaming { outbox.discardUpdates() }
    }

    /// Passes queued bytes to `send` until the queue is empty or `send` accepts only part of them.
    ///
    /// - Parameter send: Sends bytes and returns their number, or 0 when the socket is full. Its
    ///   errors are rethrown.
    /// - Returns: Whether the queue is empty. If not, call again when the socket is writable.
    @discardableResult
    public mutating func write<Failure: Error>(_ send: (UnsafeRawBufferPointer) throws(Failure) -> Int) throws(Failure)
        -> Bool
    {
        guard wantsOutput else { return true }
        return try outbox.write(send)
    }

    private mutating func enqueue(_ frame: [UInt8]) {
        guard !isHungUp else { return }
        do { try outbox.append(frame) } catch { state = .closing(.outputLimitExceeded(limit: error.limit)) }
    }
}
