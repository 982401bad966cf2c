/// A tokenizer for interface descriptions. It reports each token's position and the comment above
/// it.
struct InterfaceScanner {
    enum Token: Equatable {
        /// A run of letters, digits and `_ . -`.
        case word(String)
        /// One of `( ) [ ] : , ?` and `->`.
        case punctuation(String)
        case end

        var description: String {
            switch self {
            case .word(let text), .punctuation(let text): "'\(text)'"
            case .end: "the end of the text"
            }
        }
    }

    private let bytes: [UInt8]
    private let isDocumented: Bool
    private var index = 0
    private var line = 1
    private var lineStart = 0

    /// The current token, not yet consumed.
    private(set) var token = Token.end
    /// The comment lines directly above the current token, if they are kept.
    private(set) var documentation = ""
    private var tokenLine = 1
    private var tokenColumn = 1

    init(_ text: String, documented: Bool) {
        bytes = Array(text.utf8)
        isDocumented = documented
    }

    func failure(_ reason: String) -> InterfaceSyntaxError {
        InterfaceSyntaxError(line: tokenLine, column: tokenColumn, reason: reason)
    }

    /// Moves to the next token.
    mutating func advance() throws(InterfaceSyntaxError) {
        documentation = skipWhitespaceAndComments()
        (tokenLine, tokenColumn) = (line, index - lineStart + 1)
        guard index < bytes.count else {
            token = .end
            return
        }
        token = try scan()
    }

    private mutating func scan() throws(InterfaceSyntaxError) -> Token {
        let start = index
        let byte = bytes[index]
        if Self.isLetterOrDigit(byte) {
            while index < bytes.count, Self.isPartOfWord(bytes[index]) { index += 1 }
            return .word(String(decoding: bytes[start..<index], as: UTF8.self))
        }
        if "()[]:,?".utf8.contains(byte) {
            index += 1
            return .punctuation(String(Unicode.Scalar(byte)))
        }
        if bytes[start...].starts(with: "->".utf8) {
            index += 2
            return .punctuation("->")
        }
        throw failure("unexpected byte 0x\(String(byte, radix: 16))")
    }

    /// Skips white space and comments. Returns the comment lines directly above the next token as
    /// its documentation.
    ///
    /// A comment behind a token on the same line documents nothing.
    private mutating func skipWhitespaceAndComments() -> String {
        var comment: [String] = []
        var lineIsEmpty = false
        var isOnOwnLine = index == lineStart
        while index < bytes.count {
            switch bytes[index] {
            case 0x0A:
                if lineIsEmpty { comment = [] }
                (lineIsEmpty, isOnOwnLine) = (true, true)
                index += 1
                (line, lineStart) = (line + 1, index)
            case 0x20, 0x09, 0x0D:
                index += 1
            case UInt8(ascii: "#"):
                let text = readComment()
                if isOnOwnLine, isDocumented { comment.append(text) }
                lineIsEmpty = false
            default:
                return comment.joined(separator: "\n")
            }
        }
        return ""
    }

    private mutating func readComment() -> String {
        index += 1
        if index < bytes.count, bytes[index] == 0x20 { index += 1 }
        let start = index
        while index < bytes.count, bytes[index] != 0x0A { index += 1 }
        var end = index
        while end > start, JSONParser.isWhitespace(bytes[end - 1]) { end -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
}
