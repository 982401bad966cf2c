/// Cuts a byte stream into Varlink messages, which end with one NUL byte each.
///
/// Bytes go in as the socket gives them, in chunks of any size; whole messages come out. White space between messages is dropped, so that a
/// person may type line ends. Every byte is looked at once, and a message longer than ``limit`` is refused before it is complete.
public struct MessageFramer: Sendable {
    /// A message is longer than the receiver allows.
    public struct MessageTooLong: Error, Equatable {
        /// Greatest length allowed, in bytes, without the NUL.
        public let limit: Int
    }

    /// Default greatest length of a message: 64 KiB.
    public static let defaultLimit = 65_536

    /// Greatest length of a message in bytes, without its NUL.
    public let limit: Int

    private var bytes: [UInt8] = []
    /// First byte not handed out yet.
    private var head = 0
    /// First byte not searched for a NUL yet; never before `head`.
    private var scanned = 0

    /// A framer with nothing in it.
    public init(limit: Int = MessageFramer.defaultLimit) {
        self.limit = limit
    }

    /// Bytes held: whole messages not taken yet, and the start of the next.
    public var byteCount: Int { bytes.count - head }

    /// Takes in bytes from the stream.
    ///
    /// The framer holds all that it is given until ``next()`` takes it, so the caller stops reading when ``byteCount`` is large.
    public mutating func append(_ chunk: UnsafeRawBufferPointer) {
        compact()
        bytes.append(contentsOf: chunk)
        skipWhitespace()
    }

    /// Takes in bytes from the stream.
    public mutating func append(_ chunk: [UInt8]) {
        chunk.withUnsafeBytes { append($0) }
    }

    /// The next whole message without its NUL; nil when more bytes are needed.
    ///
    /// Throws ``MessageTooLong`` once the message at the front is, or must become, longer than the limit; and again on every later call.
    public mutating func next() throws(MessageTooLong) -> [UInt8]? {
        let end = findNUL()
        guard (end ?? bytes.count) - head <= limit else { throw MessageTooLong(limit: limit) }
        guard let end else { return nil }
        let message = Array(bytes[head..<end])
        head = end + 1
        scanned = head
        skipWhitespace()
        return message
    }

    /// Takes everything that is held, framed or not: what a connection needs that is handed to another protocol.
    public mutating func takeRest() -> [UInt8] {
        defer { (bytes, head, scanned) = ([], 0, 0) }
        return Array(bytes[head...])
    }

    private mutating func findNUL() -> Int? {
        while scanned < bytes.count {
            if bytes[scanned] == 0 { return scanned }
            scanned += 1
        }
        return nil
    }

    private mutating func skipWhitespace() {
        while head < bytes.count, JSONParser.isWhitespace(bytes[head]) { head += 1 }
        scanned = max(scanned, head)
    }

    /// Gives room back once half of the buffer is spent, so that each byte is moved at most once on average.
    private mutating func compact() {
        guard head > 0, head >= bytes.count / 2 else { return }
        if head == bytes.count, bytes.capacity > 4096 { bytes = [] } else { bytes.removeFirst(head) }
        scanned -= head
        head = 0
    }
}
