/// Splits XML into tags and text, as far as GPX requires.
///
/// It skips comments, declarations, processing instructions and document types, and leaves entities
/// unchanged. A document that ends inside a tag, or whose tags do not nest, is an error with its
/// line.
struct XMLScanner {
    enum Event: Equatable {
        /// A start tag with its local name. An empty element is followed by its ``close``.
        case open(String, attributes: [String: String])
        case close(String)
        case text(String)
    }

    struct SyntaxError: Error, Equatable {
        var line: Int
        var reason: String
    }

    private let bytes: [UInt8]
    private var index = 0
    private var open: [String] = []
    private var pendingClose: String?
    private(set) var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// Returns the next tag or text; nil at the end of a complete document.
    mutating func next() throws(SyntaxError) -> Event? {
        if let name = pendingClose {
            pendingClose = nil
            return .close(name)
        }
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else { return .text(readText(until: UInt8(ascii: "<"))) }
            if try skipMarkup() { continue }
            if starts(with: "<![CDATA[") {
                return .text(try readContent(of: "a CDATA section", from: "<![CDATA[", through: "]]>"))
            }
            return try tag()
        }
        if let name = open.last { throw failure("the document ends inside <\(name)>") }
        return nil
    }

    /// Skips a comment or declaration. Returns false if there is none here.
    private mutating func skipMarkup() throws(SyntaxError) -> Bool {
        for (opening, closing, construct) in [
            ("<!--", "-->", "a comment"), ("<?", "?>", "a processing instruction"), ("<!D", ">", "a DOCTYPE"),
        ]
        where starts(with: opening) {
            _ = try readContent(of: construct, from: opening, through: closing)
            return true
        }
        return false
    }

    private mutating func tag() throws(SyntaxError) -> Event {
        advance()
        let closing = index < bytes.count && bytes[index] == UInt8(ascii: "/")
        if closing { advance() }
        let name = localName(readName())
        guard !name.isEmpty else { throw failure("a tag without a name") }
        if closing {
            guard open.popLast() == name else { throw failure("</\(name)> has no matching start tag") }
            skipSpace()
            guard accept(">") else { throw failure("</\(name)> has no closing >") }
            return .close(name)
        }
        let attributes = try self.attributes(of: name)
        let empty = accept("/")
        guard accept(">") else { throw failure("<\(name)> has no closing >") }
        if empty {
            pendingClose = name
        } else {
            guard open.count < 64 else { throw failure("tags are nested more than 64 levels deep") }
            open.append(name)
        }
        return .open(name, attributes: attributes)
    }

    private mutating func attributes(of name: String) throws(SyntaxError) -> [String: String] {
        var found: [String: String] = [:]
        while true {
            skipSpace()
            guard index < bytes.count else { throw failure("<\(name)> has no closing >") }
            if bytes[index] == UInt8(ascii: ">") || bytes[index] == UInt8(ascii: "/") { return found }
            let key = readName()
            skipSpace()
            guard !key.isEmpty, accept("=") else { throw failure("an attribute of <\(name)> has no value") }
            skipSpace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
                throw failure("the value of \(key) is not in quotes")
            }
            let quote = bytes[index]
            advance()
            let value = readText(until: quote)
            guard index < bytes.count else { throw failure("the value of \(key) has no closing quote") }
            advance()
            found[localName(key)] = value
        }
    }
}

// Byte-level parsing; each function keeps the line number up to date.
extension XMLScanner {
    private func failure(_ reason: String) -> SyntaxError { SyntaxError(line: line, reason: reason) }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where index < bytes.count {
            if bytes[index] == 10 { line += 1 }
            index += 1
        }
    }

    private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        advance()
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, isSpace(bytes[index]) { advance() }
    }

    private mutating func readName() -> String {
        let start = index
        while index < bytes.count, !isSpace(bytes[index]), !"=/><\"'".utf8.contains(bytes[index]) { advance() }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func readText(until end: UInt8) -> String {
        let start = index
        while index < bytes.count, bytes[index] != end { advance() }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Returns the text between two delimiters, the first of which is next.
    private mutating func readContent(
        of construct: String, from opening: String, through closing: String
    ) throws(SyntaxError) -> String {
        let firstLine = line
        advance(opening.utf8.count)
        let start = index
        while index < bytes.count, !starts(with: closing) { advance() }
        guard index < bytes.count else { throw SyntaxError(line: firstLine, reason: "\(construct) is not terminated") }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        advance(closing.utf8.count)
        return text
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private func localName(_ name: String) -> String {
        name.split(separator: ":", omittingEmptySubsequences: false).last.map(String.init) ?? name
    }
}
