/// What a connection has still to say: ordinary replies in order, and at most one stream update that has not begun to be sent.
///
/// The two are bounded in different ways. Ordinary replies are never dropped; when more than ``limit`` bytes of them wait, ``append(_:)`` throws
/// and the connection should be closed. A stream update is only worth sending while it is the newest, so it waits in a slot of its own where
/// the next one replaces it: a reader that stops costs one shared reference, however long it stops. What has begun to be sent is always
/// finished first, so that the reader never sees half a message.
///
/// No I/O happens here: ``write(_:)`` offers the bytes to the caller's socket.
public struct Outbox: Sendable {
    /// More bytes wait than the outbox may hold.
    public struct Overflow: Error, Equatable {
        /// Greatest number of waiting bytes.
        public let limit: Int
    }

    /// How an update tells its place in the stream.
    public enum Stamp: Sendable {
        /// It does not.
        case none
        /// By two whole numbers before its own members: `sequence` counts the updates of the stream from 1, `dropped` those of them that were
        /// replaced before they could be sent.
        case counted
    }

    private struct Update: Sendable {
        let shared: EncodedObject
        let stamp: Stamp
        let sequence: Int
    }

    /// Bytes up to which updates that belong together are kept in their order: over 512 of them, the most that are ever held together.
    public static let orderedLimit = 1 << 19

    /// Default limit: 1 MiB.
    public static let defaultLimit = 1 << 20

    /// Greatest number of bytes of ordinary replies that may wait.
    public let limit: Int

    /// Updates published since the stream began.
    public private(set) var sequence = 0
    /// Of these, how many were replaced by a newer one.
    public private(set) var dropped = 0

    /// Bytes that are ready to be sent, from `head` on.
    private var bytes: [UInt8] = []
    private var head = 0
    private var update: Update?

    /// An outbox with nothing in it.
    public init(limit: Int = Outbox.defaultLimit) {
        self.limit = limit
    }

    /// Nothing waits to be sent.
    public var isEmpty: Bool { head == bytes.count && update == nil }

    /// Bytes of finished frames that wait; the update in the slot is not counted.
    public var byteCount: Int { bytes.count - head }

    /// Starts counting updates anew.
    public mutating func beginStream() {
        (sequence, dropped) = (0, 0)
    }

    /// Puts a whole frame at the end. An update that waits goes before it.
    ///
    /// Throws ``Overflow`` when too much waits already; the frame is then not taken.
    public mutating func append(_ frame: [UInt8]) throws(Overflow) {
        if let update {
            self.update = nil
            assemble(update)
        }
        guard byteCount + frame.count <= limit else { throw Overflow(limit: limit) }
        compact()
        bytes.append(contentsOf: frame)
    }

    /// Makes `shared` the newest update of the stream. One that waits in the slot is replaced and counted in ``dropped``.
    ///
    /// Call ``write(_:)`` after each update unless the socket has no room: two updates without a write between them leave the second only.
    public mutating func publish(_ shared: EncodedObject, stamp: Stamp) {
        sequence += 1
        if update != nil { dropped += 1 }
        update = Update(shared: shared, stamp: stamp, sequence: sequence)
    }

    /// Makes `shared` the newest update of the stream, behind those that wait, none of which it replaces. Only where more than
    /// ``orderedLimit`` bytes would wait does it take the slot as in ``publish(_:stamp:)``: who does not read at all is not remembered for ever.
    public mutating func publishInOrder(_ shared: EncodedObject) {
        guard byteCount + shared.bytes.count <= Outbox.orderedLimit else { return publish(shared, stamp: .counted) }
        if let update {
            self.update = nil
            assemble(update)
        }
        sequence += 1
        assemble(Update(shared: shared, stamp: .counted, sequence: sequence))
    }

    /// Offers what waits to `send` until it is all gone or not all of an offer is taken.
    ///
    /// - Parameter send: takes the bytes at the front and tells how many of them it took: 0 when there is no room now. What it throws passes
    ///   through.
    /// - Returns: whether nothing is left.
    public mutating func write<Failure: Error>(_ send: (UnsafeRawBufferPointer) throws(Failure) -> Int) throws(Failure) -> Bool {
        while true {
            let isFresh = stage()
            let offered = byteCount
            guard offered > 0 else { return true }
            let taken: Int
            do {
                taken = min(max(try offer(send), 0), offered)
            } catch {
                if isFresh { settle(sent: false) }
                throw error
            }
            if isFresh { settle(sent: taken > 0) }
            advance(by: taken)
            guard taken == offered else { return false }
        }
    }

    /// Makes a frame of the waiting update once nothing is before it. True when the buffer now holds that frame and nothing else.
    private mutating func stage() -> Bool {
        guard byteCount == 0, let update else { return false }
        assemble(update)
        return true
    }

    /// Decides what a staged update is: on its way, or still replaceable because not one byte of it has been sent.
    private mutating func settle(sent: Bool) {
        if sent { update = nil } else { discardFrames() }
    }

    private func offer<Failure: Error>(_ send: (UnsafeRawBufferPointer) throws(Failure) -> Int) throws(Failure) -> Int {
        try bytes.withUnsafeBufferPointer { buffer throws(Failure) in
            try send(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[head...])))
        }
    }

    private mutating func advance(by count: Int) {
        guard count > 0 else { return }
        head += count
        if head == bytes.count { discardFrames() }
    }

    private mutating func assemble(_ update: Update) {
        compact()
        switch update.stamp {
        case .counted: ReplyFrame.append(sequence: update.sequence, dropped: dropped, shared: update.shared, to: &bytes)
        case .none: ReplyFrame.append(leading: [], shared: update.shared, continues: true, to: &bytes)
        }
    }

    /// Empties the buffer and keeps it for the next frame unless it has become large.
    private mutating func discardFrames() {
        if bytes.capacity > 8192 { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
        head = 0
    }

    private mutating func compact() {
        guard head > 0, head >= bytes.count / 2 else { return }
        bytes.removeFirst(head)
        head = 0
    }
}
