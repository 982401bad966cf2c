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

    struct Flaw: Error, Equatable {
        var line: Int
        var reason: String
    }

    private let bytes: [UInt8]
    private var at = 0
    private var open: [String] = []
    private var pendingClose: String?
    /// The current line, from 1.
    private(set) var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    /// Returns the next tag or text; nil at the end of a complete document.
    mutating func next() throws(Flaw) -> Event? {
        if let name = pendingClose {
            pendingClose = nil
            return .close(name)
        }
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "<") else { return .text(take(until: UInt8(ascii: "<"))) }
            if try skippedMarkup() { continue }
            if starts(with: "<![CDATA[") { return .text(try take(through: "]]>", of: "a CDATA section", dropping: 9)) }
            return try tag()
        }
        if let name = open.last { throw flaw("the document ends inside <\(name)>") }
        return nil
    }

    private mutating func skippedMarkup() throws(Flaw) -> Bool {
        for (opening, closing, what) in [
            ("<!--", "-->", "a comment"), ("<?", "?>", "a processing instruction"), ("<!D", ">", "a DOCTYPE"),
        ]
        where starts(with: opening) {
            _ = try take(through: closing, of: what, dropping: opening.utf8.count)
            return true
        }
        return false
    }

    private mutating func tag() throws(Flaw) -> Event {
        advance()
        let closing = at < bytes.count && bytes[at] == UInt8(ascii: "/")
        if closing { advance() }
        let name = localName(word())
        guard !name.isEmpty else { throw flaw("a tag without a name") }
        if closing {
            guard open.popLast() == name else { throw flaw("</\(name)> has no matching start tag") }
            skipSpace()
            guard accept(">") else { throw flaw("</\(name)> has no closing >") }
            return .close(name)
        }
        let attributes = try self.attributes(of: name)
        let empty = accept("/")
        guard accept(">") else { throw flaw("<\(name)> has no closing >") }
        if empty {
            pendingClose = name
        } else {
            guard open.count < 64 else { throw flaw("tags are nested more than 64 levels deep") }
            open.append(name)
        }
        return .open(name, attributes: attributes)
    }

    private mutating func attributes(of name: String) throws(Flaw) -> [String: String] {
        var found: [String: String] = [:]
        while true {
            skipSpace()
            guard at < bytes.count else { throw flaw("<\(name)> has no closing >") }
            if bytes[at] == UInt8(ascii: ">") || bytes[at] == UInt8(ascii: "/") { return found }
            let key = word()
            skipSpace()
            guard !key.isEmpty, accept("=") else { throw flaw("an attribute of <\(name)> has no value") }
            skipSpace()
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") else {
                throw flaw("the value of \(key) is not in quotes")
            }
            let quote = bytes[at]
            advance()
            let value = take(until: quote)
            guard at < bytes.count else { throw flaw("the value of \(key) has no closing quote") }
            advance()
            found[localName(key)] = value
        }
    }
}

// Byte-level parsing; each function keeps the line number current.
extension XMLScanner {
    private func flaw(_ reason: String) -> Flaw { Flaw(line: line, reason: reason) }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where at < bytes.count {
            if bytes[at] == 10 { line += 1 }
            at += 1
        }
    }

    private func starts(with text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

    private mutating func accept(_ mark: Unicode.Scalar) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: mark) else { return false }
        advance()
        return true
    }

    private mutating func skipSpace() {
        while at < bytes.count, isSpace(bytes[at]) { advance() }
    }

    private mutating func word() -> String {
        let start = at
        while at < bytes.count, !isSpace(bytes[at]), !"=/><\"'".utf8.contains(bytes[at]) { advance() }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func take(until mark: UInt8) -> String {
        let start = at
        while at < bytes.count, bytes[at] != mark { advance() }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func take(through end: String, of what: String, dropping prefix: Int) throws(Flaw) -> String {
        let began = line
        advance(prefix)
        let start = at
        while at < bytes.count, !starts(with: end) { advance() }
        guard at < bytes.count else { throw Flaw(line: began, reason: "\(what) is not terminated") }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        advance(end.utf8.count)
        return text
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private func localName(_ name: String) -> String {
        name.split(separator: ":", omittingEmptySubsequences: false).last.map(String.init) ?? name
    }
}
