/// Reads the members of a request's object one after another, as far as they can be read.
///
/// gpsd applies each member when it has read it, so that those before an error count. It reads a
/// value without quotation marks up to the next comma or brace, whatever it is.
struct RequestMembers {
    /// A value of a member.
    enum Value: Equatable {
        /// A text in quotation marks.
        case text(String)
        /// Any other text: a number, `true`, or something that is no JSON.
        case word(String)
        /// An object or an array, which no request needs.
        case nested
    }

    /// Why the rest cannot be read.
    struct Failure: Error, Equatable {
        let reason: String
    }

    private var rest: ArraySlice<UInt8>
    private var hasBegun = false

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Returns the next member, or nil after the last one. A value that does not end is none.
    mutating func next() throws(Failure) -> (name: String, value: Value)? {
        skipBlanks()
        if !hasBegun {
            guard rest.popFirst() == UInt8(ascii: "{") else { throw Failure(reason: "not an object") }
            hasBegun = true
        }
        rest = rest.drop { $0 == UInt8(ascii: ",") || RequestMembers.isBlank($0) }
        guard let first = rest.first, first != UInt8(ascii: "}") else { return nil }
        guard first == UInt8(ascii: "\"") else { throw Failure(reason: "a name without quotation marks") }
        guard let name = text() else { return nil }
        skipBlanks()
        guard rest.popFirst() == UInt8(ascii: ":") else { throw Failure(reason: "no colon after \(name)") }
        skipBlanks()
        return value().map { (name, $0) }
    }

    private mutating func value() -> Value? {
        switch rest.first {
        case UInt8(ascii: "\"")?: return text().map(Value.text)
        case UInt8(ascii: "{")?, UInt8(ascii: "[")?:
            skipNested()
            return .nested
        default:
            let word = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
            rest = rest[word.endIndex...]
            guard !rest.isEmpty else { return nil }
            let trimmed = word.filter { !RequestMembers.isBlank($0) }
            return trimmed.isEmpty ? nil : .word(String(decoding: trimmed, as: UTF8.self))
        }
    }

    /// Reads a text in quotation marks; nil if it does not end.
    private mutating func text() -> String? {
        rest = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            // A path needs no other escape than one of the character itself.
            case UInt8(ascii: "\\"): if let escaped = rest.popFirst() { bytes.append(escaped) }
            default: bytes.append(byte)
            }
        }
        return nil
    }

    private mutating func skipNested() {
        var depth = 0
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "\""):
                guard text() != nil else { return }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            rest = rest.dropFirst()
            if depth == 0 { return }
        }
    }

    private mutating func skipBlanks() { rest = rest.drop(while: RequestMembers.isBlank) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
