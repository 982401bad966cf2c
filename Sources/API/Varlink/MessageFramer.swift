import Glibc

/// Splits a byte stream into Varlink messages, each terminated by one NUL byte.
///
/// The caller appends chunks of any size and takes complete messages. The framer drops white space
/// between messages, so that a person can type line breaks. It scans every byte once and rejects a
/// message longer than ``limit`` before the message is complete.
public struct MessageFramer: Sendable {
    /// A message is longer than the receiver allows.
    public struct MessageTooLong: Error, Equatable {
        /// The maximum length in bytes, without the NUL.
        public let limit: Int
    }

    /// The default maximum length of a message: 64 KiB.
    public static let defaultLimit = 65_536

    /// The largest buffer in bytes that is kept while it is empty.
    private static let maxKeptCapacity = 4096

    /// The maximum length of a message in bytes, without its NUL.
    public let limit: Int

    private var bytes: [UInt8] = []
    /// The index of the first byte that belongs to no returned message.
    private var head = 0
    /// The index of the first byte not yet searched for a NUL; never less than `head`.
    private var scanned = 0

    /// Creates an empty framer.
    public init(limit: Int = MessageFramer.defaultLimit) {
        self.limit = limit
    }

    /// The number of buffered bytes: complete messages and the start of the next one.
    public var byteCount: Int { bytes.count - head }

    /// Appends bytes from the stream.
    ///
    /// The framer buffers all bytes until ``next()`` returns them, so the caller must stop reading
    /// when ``byteCount`` is large.
    public mutating func append(_ chunk: UnsafeRawBufferPointer) {
        compact()
        bytes.append(contentsOf: chunk)
        skipWhitespace()
    }

    /// Appends bytes from the stream.
    public mutating func append(_ chunk: [UInt8]) {
        chunk.withUnsafeBytes { append($0) }
    }

    /// Returns the next complete message without its NUL, or nil when more bytes are needed.
    ///
    /// - Throws: ``MessageTooLong`` as soon as the first message exceeds the limit, and again on
    ///   every later call.
    public mutating func next() throws(MessageTooLong) -> [UInt8]? {
        let end = findNUL()
        guard (end ?? bytes.count) - head <= limit else { throw MessageTooLong(limit: limit) }
        guard let end else { return nil }
        let message = Array(bytes[head..<end])
        head = end + 1
        scanned = head
        skipWhitespace()
        // A client that is silent after a long message keeps no memory for it.
        if head == bytes.count, bytes.capacity > MessageFramer.maxKeptCapacity { (bytes, head, scanned) = ([], 0, 0) }
        return message
    }

    /// Removes and returns all buffered bytes, for a connection that switches to another protocol.
    public mutating func removeAll() -> [UInt8] {
        defer { (bytes, head, scanned) = ([], 0, 0) }
        return Array(bytes[head...])
    }

    private mutating func findNUL() -> Int? {
        let start = scanned
        let found = bytes.withUnsafeBytes { buffer -> Int? in
            guard start < buffer.count, let base = buffer.baseAddress,
                let found = memchr(base + start, 0, buffer.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
        scanned = found ?? bytes.count
        return found
    }

    private mutating func skipWhitespace() {
        while head < bytes.count, JSONParser.isWhitespace(bytes[head]) { head += 1 }
        scanned = max(scanned, head)
    }

    /// Releases consumed bytes once they make up half of the buffer, so that each byte moves at
    /// most once on average.
    private mutating func compact() {
        guard head > 0, head >= bytes.count / 2 else { return }
        if head == bytes.count, bytes.capacity > MessageFramer.maxKeptCapacity {
            bytes = []
        } else {
            bytes.removeFirst(head)
        }
        scanned -= head
        head = 0
    }
}
