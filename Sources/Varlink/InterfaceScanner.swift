/// Words and marks of an interface description, with their places and the comments above them.
struct InterfaceScanner {
    enum Token: Equatable {
        /// Letters, digits and `_ . -`.
        case word(String)
        /// `( ) [ ] : , ?` or `->`.
        case mark(String)
        case end

        var description: String {
            switch self {
            case .word(let text), .mark(let text): "'\(text)'"
            case .end: "the end of the text"
            }
        }
    }

    private let bytes: [UInt8]
    private var at = 0
    private var line = 1
    private var lineStart = 0

    /// The token to be taken next.
    private(set) var token = Token.end
    /// The comment lines directly above it.
    private(set) var documentation = ""
    private var tokenLine = 1
    private var tokenColumn = 1

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    func failure(_ reason: String) -> InterfaceSyntaxError {
        InterfaceSyntaxError(line: tokenLine, column: tokenColumn, reason: reason)
    }

    /// Moves to the next token.
    mutating func advance() throws(InterfaceSyntaxError) {
        documentation = skipBlank()
        (tokenLine, tokenColumn) = (line, at - lineStart + 1)
        guard at < bytes.count else {
            token = .end
            return
        }
        token = try scan()
    }

    private mutating func scan() throws(InterfaceSyntaxError) -> Token {
        let start = at
        let byte = bytes[at]
        if Self.isLetterOrDigit(byte) {
            while at < bytes.count, Self.isPartOfWord(bytes[at]) { at += 1 }
            return .word(String(decoding: bytes[start..<at], as: UTF8.self))
        }
        if "()[]:,?".utf8.contains(byte) {
            at += 1
            return .mark(String(Unicode.Scalar(byte)))
        }
        if bytes[start...].starts(with: "->".utf8) {
            at += 2
            return .mark("->")
        }
        throw failure("a byte that has no meaning here: 0x\(String(byte, radix: 16))")
    }

    /// Passes over white space and comments; the comment lines that touch what follows are its documentation. A comment behind something
    /// on the same line belongs to nothing.
    private mutating func skipBlank() -> String {
        var comment: [String] = []
        var lineIsEmpty = false
        var standsAlone = at == lineStart
        while at < bytes.count {
            switch bytes[at] {
            case 0x0A:
                if lineIsEmpty { comment = [] }
                (lineIsEmpty, standsAlone) = (true, true)
                at += 1
                (line, lineStart) = (line + 1, at)
            case 0x20, 0x09, 0x0D:
                at += 1
            case UInt8(ascii: "#"):
                let text = takeComment()
                if standsAlone { comment.append(text) }
                lineIsEmpty = false
            default:
                return comment.joined(separator: "\n")
            }
        }
        return ""
    }

    private mutating func takeComment() -> String {
        at += 1
        if at < bytes.count, bytes[at] == 0x20 { at += 1 }
        let start = at
        while at < bytes.count, bytes[at] != 0x0A { at += 1 }
        var end = at
        while end > start, JSONParser.isWhitespace(bytes[end - 1]) { end -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
}
