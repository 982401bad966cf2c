import NMEA

/// Reads the answer of an NTRIP caster: its head, then the data, which may come in parts with
/// lengths (RFC 9112, chunked).
public struct NTRIPResponse: Sendable {
    /// Why a caster sends no data.
    public enum Refusal: Error, Equatable, Sendable {
        /// The user or the password is wrong, or may not use the stream.
        case notAuthorized
        /// The caster has no such stream.
        case noSuchMountpoint
        /// The caster does not know this version of the protocol.
        case unsupportedVersion
        /// Another answer, with its first line.
        case failed(String)
        /// The answer is not one of a caster.
        case malformed
        /// The stream has data of another format than RTCM 3.
        case otherFormat
    }

    private enum State: Sendable {
        case statusLine
        /// The lines after the first one.
        case headers
        /// The lines that some casters send after `ICY 200 OK`, if there are any.
        case optionalHeaders
        case data
        /// The length of the next part.
        case partLength
        case part(remaining: Int)
        /// The line end after a part.
        case partEnd
        case ended
    }

    /// The maximum length of a line, and the number of lines.
    private static let maxLine = 1024
    private static let maxLines = 64
    private static let maxPart = 1 << 20

    private var state = State.statusLine
    private var line: [UInt8] = []
    private var lines = 0
    private var hasParts = false
    private var isTable = false

    /// Creates a reader of an answer from its first byte.
    public init() {}

    /// Whether the caster has accepted the request.
    public var isAccepted: Bool {
        switch state {
        case .statusLine, .headers: false
        case .optionalHeaders, .data, .partLength, .part, .partEnd, .ended: true
        }
    }

    /// Whether the caster has reported the end of the data.
    public var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// Returns the data among further bytes of the answer.
    public mutating func push(_ bytes: some Sequence<UInt8>) throws(Refusal) -> [UInt8] {
        var data: [UInt8] = []
        for byte in bytes {
            switch state {
            case .data: data.append(byte)
            case .part(let remaining):
                data.append(byte)
                state = remaining > 1 ? .part(remaining: remaining - 1) : .partEnd
            case .ended: break
            case .optionalHeaders where line.isEmpty && !NTRIPResponse.beginsHeader(byte):
                // The data follows at once.
                state = .data
                data.append(byte)
            case .statusLine, .headers, .optionalHeaders, .partLength, .partEnd: try push(byte)
            }
        }
        return data
    }

    private mutating func push(_ byte: UInt8) throws(Refusal) {
        guard byte == 10 else {
            guard line.count < NTRIPResponse.maxLine else { throw .malformed }
            line.append(byte)
            return
        }
        let text = String(decoding: line.last == 13 ? line.dropLast() : line[...], as: UTF8.self)
        line = []
        switch state {
        case .statusLine: try readStatus(text)
        case .headers, .optionalHeaders: try readHeader(text)
        case .partLength: try readPartLength(text)
        case .partEnd:
            guard text.isEmpty else { throw .malformed }
            state = .partLength
        case .data, .part, .ended: break
        }
    }

    private mutating func readStatus(_ text: String) throws(Refusal) {
        let words = text.split(separator: " ", maxSplits: 2)
        switch words.first {
        case "ICY" where words.dropFirst().first == "200": state = .optionalHeaders
        case "SOURCETABLE": throw .noSuchMountpoint
        case "ERROR": throw .notAuthorized
        case .some(let version) where version.hasPrefix("HTTP/1.") || version == "ICY":
            switch words.dropFirst().first {
            case "200": state = .headers
            case "401", "403", "407": throw .notAuthorized
            case "404", "410": throw .noSuchMountpoint
            case "400", "405", "426", "501", "505": throw .unsupportedVersion
            default: throw .failed(NTRIPResponse.displayed(text))
            }
        default: throw .malformed
        }
    }

    private mutating func readHeader(_ text: String) throws(Refusal) {
        guard !text.isEmpty else {
            if isTable { throw .noSuchMountpoint }
            state = hasParts ? .partLength : .data
            return
        }
        lines += 1
        guard lines <= NTRIPResponse.maxLines else { throw .malformed }
        let header = text.lowercased().filter { $0 != " " }
        if header.hasPrefix("transfer-encoding:"), header.contains(part: "chunked") { hasParts = true }
        if header.hasPrefix("content-type:gnss/sourcetable") { isTable = true }
    }

    private mutating func readPartLength(_ text: String) throws(Refusal) {
        let digits = text.prefix { $0 != ";" }.filter { $0 != " " }
        guard !digits.isEmpty, digits.count <= 8, let length = Int(digits, radix: 16),
            (0...NTRIPResponse.maxPart).contains(length)
        else { throw .malformed }
        state = length == 0 ? .ended : .part(remaining: length)
    }

    /// Whether a byte begins the name of a header or the line end after the headers. Data of RTCM
    /// begins with neither.
    private static func beginsHeader(_ byte: UInt8) -> Bool {
        byte == 10 || byte == 13 || (65...90).contains(byte) || (97...122).contains(byte)
    }

    /// The beginning of a line in printable ASCII, for the log.
    private static func displayed(_ text: String) -> String {
        String(decoding: text.utf8.prefix(80).map { (32..<127).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
