/// Splits the bytes of a client into requests.
///
/// A request ends at the brace that closes its object, or at `;` or a line end before any brace.
/// Many clients send no `;` and no line end. One that has no end at all is taken with ``finish()``
/// after a while: gpsd takes each packet as whole, but a request may be cut.
///
/// A packet between requests that does not begin with `?` is ignored, as gpsd does with the first
/// lines of a telnet or HTTP client.
public struct RequestParser: Sendable {
    /// The maximum length of a request in bytes.
    public static let limit = 4096
    /// The maximum number of buffered bytes; further packets are ignored until requests are taken.
    public static let maxBuffered = 16_384

    private var bytes: [UInt8] = []
    /// Whether the rest of a request that is too long is skipped.
    private var isSkipping = false
    /// The number of bytes that belonged to no request, for tests and fuzzing.
    public private(set) var ignoredBytes = 0

    /// Creates a parser without input.
    public init() {}

    /// The number of bytes that wait, for tests and fuzzing.
    public var byteCount: Int { bytes.count }

    /// Appends what one read has returned.
    public mutating func append(_ packet: some Sequence<UInt8>) {
        var packet = Array(packet)[...]
        if isSkipping, packet.first != RequestParser.mark {
            let end = packet.firstIndex(of: 10)
            ignoredBytes += end.map { $0 + 1 - packet.startIndex } ?? packet.count
            guard let end else { return }
            packet = packet[(end + 1)...]
        }
        isSkipping = false
        if bytes.isEmpty {
            packet = packet.drop(while: RequestParser.separates)
            guard packet.first == RequestParser.mark else {
                ignoredBytes += packet.count
                return
            }
        }
        guard bytes.count + packet.count <= RequestParser.maxBuffered else {
            ignoredBytes += packet.count
            return
        }
        bytes.append(contentsOf: packet)
    }

    /// Whether ``next()`` returns a request.
    public var hasRequest: Bool { end() != nil || bytes.count > RequestParser.limit }

    /// Returns the beginning of a request whose rest has not come; nil if nothing waits.
    public mutating func finish() -> Request? {
        guard !bytes.isEmpty else { return nil }
        let text = bytes[...]
        bytes = []
        return Request(text, end: .none, isWhole: false)
    }

    /// Returns the next complete request, or nil when more bytes are needed.
    public mutating func next() -> Request? {
        guard let end = end() else {
            guard bytes.count > RequestParser.limit else { return nil }
            discard()
            isSkipping = true
            return .tooLong
        }
        guard end.text <= RequestParser.limit else {
            remove(end.next)
            return .tooLong
        }
        let request = Request(bytes[..<end.text], end: end.kind)
        remove(end.next)
        return request
    }

    private static let mark = UInt8(ascii: "?")

    private static func separates(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ";") || endsLine(byte) || byte == 32 || byte == 9
    }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }

    private static func lineEnd(_ byte: UInt8) -> Request.End { byte == 10 ? .lineFeed : .carriageReturn }

    /// Returns the end of the first request and the index after it.
    private func end() -> (text: Int, next: Int, kind: Request.End)? {
        var depth = 0
        var isQuoted = false
        var isEscaped = false
        for (index, byte) in bytes.enumerated() {
            if isQuoted {
                if RequestParser.endsLine(byte) { return (index, index + 1, RequestParser.lineEnd(byte)) }
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\"") where depth > 0: isQuoted = true
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                if depth <= 0 { return (index + 1, index + 1, .none) }
            case UInt8(ascii: ";") where depth == 0: return (index, index + 1, .semicolon)
            // Outside strings a "?" begins the next request, so that one that is never closed ends.
            case RequestParser.mark where index > 0: return (index, index, .none)
            default:
                if depth == 0, RequestParser.endsLine(byte) { return (index, index + 1, RequestParser.lineEnd(byte)) }
            }
        }
        return nil
    }

    /// Removes a request and what separates it from the next one. Other bytes after a request are
    /// ignored up to the end of what has arrived.
    private mutating func remove(_ count: Int) {
        let rest = bytes[count...].drop(while: RequestParser.separates)
        guard rest.first == RequestParser.mark else { return discard(rest.count) }
        bytes = Array(rest)
    }

    private mutating func discard(_ count: Int? = nil) {
        ignoredBytes += count ?? bytes.count
        bytes = []
    }
}
