/// The reason why this library rejects a text as JSON.
public struct JSONError: Error, Equatable, Sendable {
    /// The kind of error.
    public enum Reason: String, Sendable {
        /// The text ends inside a value.
        case unexpectedEnd = "endsEarly"
        /// A byte is not allowed at its position.
        case unexpectedByte
        /// There are bytes after the value.
        case trailingBytes
        /// Arrays and objects exceed the nesting limit.
        case nestedTooDeep
        /// A number does not follow JSON syntax.
        case malformedNumber
        /// A number exceeds the range of a 64-bit floating-point number, or has more than 1,024
        /// digits.
        case numberOutOfRange
        /// An escape is unknown, or a surrogate pair is incomplete.
        case malformedEscape
        /// A string is not valid UTF-8.
        case notUTF8
        /// A string contains an unescaped control character.
        case controlCharacter
        /// An object has two members with the same name.
        case duplicateMember
    }

    /// The kind of error.
    public let reason: Reason
    /// The position of the error in bytes from the start of the text.
    public let offset: Int
}

extension JSONValue {
    /// The default nesting limit for arrays and objects.
    public static let defaultDepthLimit = 64

    /// Parses one JSON value (RFC 8259, UTF-8 without byte order mark), optionally surrounded by
    /// white space.
    ///
    /// The parser is safe for untrusted input: time and memory are linear in its length, and
    /// nesting is limited. Duplicate member names are an error, because programs disagree about
    /// which member counts.
    ///
    /// There are two measured reasons for not using a general decoder here. Probing each value for
    /// its type throws and catches an error per wrong guess: a 64 KiB list of ones took 0.1 s, 511
    /// nested lists 0.2 s. `JSONDecoder` also accepts UTF-16, trailing commas and duplicate
    /// members.
    public init(parsing bytes: [UInt8], depthLimit: Int = JSONValue.defaultDepthLimit) throws(JSONError) {
        var parser = JSONParser(bytes, depthLimit: depthLimit)
        self = try parser.document()
    }
}

/// A recursive-descent JSON parser over an array of bytes.
struct JSONParser {
    /// The maximum length of a number in bytes. Longer numbers add nothing to the precision of a
    /// double.
    private static let maxNumberLength = 1024

    private let bytes: [UInt8]
    private let depthLimit: Int
    private var index = 0
    private var depth = 0

    init(_ bytes: [UInt8], depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
    }

    /// Returns whether `byte` is a space, tab, line feed or carriage return.
    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    mutating func document() throws(JSONError) -> JSONValue {
        skipWhitespace()
        let value = try value()
        skipWhitespace()
        guard index == bytes.count else { throw failure(.trailingBytes) }
        return value
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try nested { parser throws(JSONError) in try parser.members() })
        case UInt8(ascii: "["): return .array(try nested { parser throws(JSONError) in try parser.elements() })
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", value: .bool(true))
        case UInt8(ascii: "f"): return try literal("false", value: .bool(false))
        case UInt8(ascii: "n"): return try literal("null", value: .null)
        default: return try number()
        }
    }

    private mutating func nested<T>(_ body: (inout JSONParser) throws(JSONError) -> T) throws(JSONError) -> T {
        guard depth < depthLimit else { throw failure(.nestedTooDeep) }
        depth += 1
        index += 1
        skipWhitespace()
        let result = try body(&self)
        depth -= 1
        return result
    }

    private mutating func elements() throws(JSONError) -> [JSONValue] {
        var list: [JSONValue] = []
        if accept("]") { return list }
        repeat {
            skipWhitespace()
            list.append(try value())
            skipWhitespace()
        } while accept(",")
        try expect("]")
        return list
    }

    private mutating func members() throws(JSONError) -> [String: JSONValue] {
        var object: [String: JSONValue] = [:]
        if accept("}") { return object }
        repeat {
            skipWhitespace()
            let start = index
            let name = try string()
            skipWhitespace()
            try expect(":")
            skipWhitespace()
            guard object.updateValue(try value(), forKey: name) == nil else {
                throw JSONError(reason: .duplicateMember, offset: start)
            }
            skipWhitespace()
        } while accept(",")
        try expect("}")
        return object
    }

    private mutating func literal(_ text: String, value: JSONValue) throws(JSONError) -> JSONValue {
        for byte in text.utf8 {
            guard try peek() == byte else { throw failure(.unexpectedByte) }
            index += 1
        }
        return value
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = index
        _ = accept("-")
        guard let first = bytes[safe: index], isDigit(first) else {
            throw failure(index < bytes.count ? .unexpectedByte : .unexpectedEnd)
        }
        index += 1
        if first != UInt8(ascii: "0") { skipDigits() }
        if let byte = bytes[safe: index], isDigit(byte) { throw failure(.malformedNumber) }
        var isWhole = true
        if accept(".") {
            isWhole = false
            try requireDigits()
        }
        if accept("e") || accept("E") {
            isWhole = false
            if !accept("+") { _ = accept("-") }
            try requireDigits()
        }
        return try convert(start..<index, isWhole: isWhole)
    }

    private func convert(_ range: Range<Int>, isWhole: Bool) throws(JSONError) -> JSONValue {
        let outOfRange = JSONError(reason: .numberOutOfRange, offset: range.lowerBound)
        guard range.count <= Self.maxNumberLength else { throw outOfRange }
        let text = String(decoding: bytes[range], as: UTF8.self)
        if isWhole, let whole = Int64(text) { return .int(whole) }
        guard let value = Double(text), value.isFinite else { throw outOfRange }
        return .double(value)
    }

    private mutating func requireDigits() throws(JSONError) {
        guard isDigit(try peek()) else { throw failure(.malformedNumber) }
        skipDigits()
    }

    private mutating func skipDigits() {
        while let byte = bytes[safe: index], isDigit(byte) { index += 1 }
    }

    /// Bytes below "0" wrap to large values.
    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private mutating func string() throws(JSONError) -> String {
        try expect("\"")
        let start = index
        while let byte = bytes[safe: index], byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            guard byte >= 0x20 else { throw failure(.controlCharacter) }
            index += 1
        }
        guard try peek() == UInt8(ascii: "\\") else {
            defer { index += 1 }
            return try text(bytes[start..<index], from: start)
        }
        return try stringWithEscapes(from: start)
    }

    private mutating func stringWithEscapes(from start: Int) throws(JSONError) -> String {
        var content = Array(bytes[start..<index])
        while true {
            let byte = try peek()
            guard byte >= 0x20 else { throw failure(.controlCharacter) }
            index += 1
            if byte == UInt8(ascii: "\"") { return try text(content[...], from: start) }
            if byte == UInt8(ascii: "\\") { try escape(into: &content) } else { content.append(byte) }
        }
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
        let byte = try peek()
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"): content.append(contentsOf: String(Character(try unicodeScalar())).utf8)
        default: throw JSONError(reason: .malformedEscape, offset: index - 1)
        }
    }

    private mutating func unicodeScalar() throws(JSONError) -> Unicode.Scalar {
        let start = index
        let unit = try hexUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let isHighSurrogate = unit < 0xDC00
        guard isHighSurrogate, accept("\\"), accept("u") else {
            throw JSONError(reason: .malformedEscape, offset: start)
        }
        let low = try hexUnit()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else {
            throw JSONError(reason: .malformedEscape, offset: start)
        }
        return scalar
    }

    private mutating func hexUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(try peek())).hexDigitValue else {
                throw failure(.malformedEscape)
            }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }

    private func text(_ slice: ArraySlice<UInt8>, from start: Int) throws(JSONError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw JSONError(reason: .notUTF8, offset: start)
        }
        return text
    }

    private mutating func skipWhitespace() {
        while let byte = bytes[safe: index], Self.isWhitespace(byte) { index += 1 }
    }

    private func peek() throws(JSONError) -> UInt8 {
        guard let byte = bytes[safe: index] else { throw failure(.unexpectedEnd) }
        return byte
    }

    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        guard bytes[safe: index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSONError) {
        guard try peek() == UInt8(ascii: character) else { throw failure(.unexpectedByte) }
        index += 1
    }

    private func failure(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: index) }
}

extension Array {
    /// The element at `index`, or nil beyond the end.
    fileprivate subscript(safe index: Int) -> Element? { index < count ? self[index] : nil }
}
