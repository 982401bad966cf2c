/// The output queue of a connection: ordinary replies in order, and at most one unsent stream
/// update.
///
/// The two have different limits. Ordinary replies are never dropped. When more than ``limit``
/// bytes of them are queued, ``append(_:)`` throws and the owner should close the connection. Only
/// the newest stream update is worth sending, so it has its own slot, where the next update
/// replaces it. A client that stops reading therefore costs one shared reference for any length of
/// time. A frame whose sending has begun is always completed, so the client never receives a
/// partial message.
///
/// The queue performs no I/O: ``write(_:)`` passes the bytes to the caller's send function.
public struct Outbox: Sendable {
    /// The output queue exceeds its limit.
    public struct Overflow: Error, Equatable {
        /// The maximum number of queued bytes.
        public let limit: Int
    }

    /// How an update carries its position in the stream.
    public enum Counters: Sendable {
        /// Without counters.
        case none
        /// With two whole numbers before its own members. `sequence` counts the updates of the
        /// stream from 1; `dropped` counts those replaced before they were sent.
        case counted
    }

    private struct Update: Sendable {
        let shared: EncodedObject
        let counters: Counters
        let sequence: Int
    }

    /// The number of queued bytes up to which ``publishInOrder(_:replacing:)`` keeps updates in
    /// order: 512 KiB. A full batch of 512 updates fits.
    public static let orderedLimit = 1 << 19

    /// The default limit: 1 MiB.
    public static let defaultLimit = 1 << 20

    /// The maximum number of queued bytes of ordinary replies.
    public let limit: Int

    /// The number of updates published since the stream began.
    public private(set) var sequence = 0
    /// The number of these updates that a newer one replaced.
    public private(set) var dropped = 0

    /// The bytes that are ready for sending, starting at `head`.
    private var bytes: [UInt8] = []
    private var head = 0
    /// Where the frames of the stream begin in `bytes`; those before it are replies to other calls.
    private var streamStart = 0
    /// Whether the first byte of the buffer belongs to a frame whose sending has begun.
    private var startsInsideFrame = false
    private var pendingUpdate: Update?

    /// Creates an empty output queue.
    public init(limit: Int = Outbox.defaultLimit) {
        self.limit = limit
    }

    /// Whether nothing is queued.
    public var isEmpty: Bool { head == bytes.count && pendingUpdate == nil }

    /// The number of bytes in assembled frames, without the update in the slot.
    public var byteCount: Int { bytes.count - head }

    /// Resets the update counters for a new stream.
    public mutating func beginStream() {
        (sequence, dropped) = (0, 0)
        streamStart = bytes.count
    }

    /// Discards the updates of the stream whose sending has not begun, and counts them in
    /// ``dropped``. All frames since ``beginStream()`` must be updates.
    public mutating func discardUpdates() {
        if pendingUpdate != nil {
            pendingUpdate = nil
            dropped += 1
        }
        var end = max(head, streamStart)
        // A frame ends with a zero byte, which occurs nowhere else in it.
        var isInside = end > streamStart ? bytes[end - 1] != 0 : end == 0 && startsInsideFrame
        while isInside, end < bytes.count {
            isInside = bytes[end] != 0
            end += 1
        }
        dropped += bytes[end...].count { $0 == 0 }
        bytes.removeLast(bytes.count - end)
        if head == bytes.count { discardFrames() }
    }

    /// Appends a complete frame, after the pending update if there is one.
    ///
    /// - Throws: ``Overflow`` when the queue would exceed its limit. The frame is then not queued.
    public mutating func append(_ frame: [UInt8]) throws(Overflow) {
        if let pendingUpdate {
            self.pendingUpdate = nil
            assemble(pendingUpdate)
        }
        guard byteCount + frame.count <= limit else { throw Overflow(limit: limit) }
        compact()
        bytes.append(contentsOf: frame)
    }

    /// Publishes `shared` as the newest update of the stream. An update that is still in the slot
    /// is replaced and counted in ``dropped``. So are the updates that `shared` replaces which were
    /// not published.
    ///
    /// Call ``write(_:)`` after each update unless the socket is full. Of two updates without a
    /// write between them only the second is sent.
    public mutating func publish(_ shared: EncodedObject, counters: Counters, replacing unpublished: Int = 0) {
        sequence += 1 + unpublished
        dropped += unpublished + (pendingUpdate == nil ? 0 : 1)
        pendingUpdate = Update(shared: shared, counters: counters, sequence: sequence)
    }

    /// Publishes `shared` as the newest update of the stream, behind all queued updates.
    ///
    /// If the queue would exceed ``orderedLimit`` bytes, the update uses the slot instead, as in
    /// ``publish(_:counters:replacing:)``. This limits the memory for a client that does not read.
    public mutating func publishInOrder(_ shared: EncodedObject, replacing unpublished: Int = 0) {
        guard byteCount + shared.bytes.count <= Outbox.orderedLimit else {
            return publish(shared, counters: .counted, replacing: unpublished)
        }
        if let pendingUpdate {
            self.pendingUpdate = nil
            assemble(pendingUpdate)
        }
        sequence += 1 + unpublished
        dropped += unpublished
        assemble(Update(shared: shared, counters: .counted, sequence: sequence))
    }

    /// Passes queued bytes to `send` until the queue is empty or `send` accepts only part of them.
    ///
    /// - Parameter send: Sends bytes from the start of the buffer and returns their number, or 0
    ///   when the socket is full. Its errors are rethrown.
    /// - Returns: Whether the queue is empty.
    public mutating func write<Failure: Error>(_ send: (UnsafeRawBufferPointer) throws(Failure) -> Int) throws(Failure)
        -> Bool
    {
        while true {
            let isFresh = stageUpdate()
            let queued = byteCount
            guard queued > 0 else { return true }
            let sent: Int
            do {
                sent = min(max(try passQueue(to: send), 0), queued)
            } catch {
                if isFresh { commitStagedUpdate(sent: false) }
                throw error
            }
            if isFresh { commitStagedUpdate(sent: sent > 0) }
            advance(by: sent)
            guard sent == queued else { return false }
        }
    }

    /// Assembles the pending update when no frame precedes it. Returns true when the buffer then
    /// contains only that frame.
    private mutating func stageUpdate() -> Bool {
        guard byteCount == 0, let pendingUpdate else { return false }
        assemble(pendingUpdate)
        return true
    }

    /// Commits a staged update whose sending has begun. Otherwise removes its frame, so that a
    /// newer update can still replace it.
    private mutating func commitStagedUpdate(sent: Bool) {
        if sent { pendingUpdate = nil } else { discardFrames() }
    }

    private func passQueue<Failure: Error>(
        to send: (UnsafeRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
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
        switch update.counters {
        case .counted: ReplyFrame.append(sequence: update.sequence, dropped: dropped, shared: update.shared, to: &bytes)
        case .none: ReplyFrame.append(leading: [], shared: update.shared, continues: true, to: &bytes)
        }
    }

    /// Empties the buffer. Keeps its memory for the next frame unless it exceeds 8 KiB.
    private mutating func discardFrames() {
        if bytes.capacity > 8192 { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
        (head, streamStart) = (0, 0)
        startsInsideFrame = false
    }

    private mutating func compact() {
        guard head > 0, head >= bytes.count / 2 else { return }
        startsInsideFrame = bytes[head - 1] != 0
        bytes.removeFirst(head)
        streamStart = max(0, streamStart - head)
        head = 0
    }
}
