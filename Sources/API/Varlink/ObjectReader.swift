/// Reads a JSON object member by member, for frequent messages where parsing is too slow:
/// the counterpart of ``ObjectWriter``.
///
/// It reads only what that writer writes: members in the order of the calls, each at most once, and
/// strings without escapes. It fails for any other text, also for valid JSON. The caller then uses
/// the parser, which decides what the text means.
public struct ObjectReader {
    private let bytes: [UInt8]
    private var index: Int
    /// Whether the next member is the first of its object.
    @usableFromInline
    var isFirst = true
    /// Whether a value has an unexpected form. Nothing that was read counts then.
    @usableFromInline
    var hasFailed = false

    /// Creates a reader that stands behind the brace of an object.
    init(_ bytes: [UInt8], at index: Int) { (self.bytes, self.index) = (bytes, index) }

    /// Returns a string; nil if the next member has another name.
    public mutating func string(forKey name: StaticString) -> String? {
        guard begin(name) else { return nil }
        guard let text = string() else { return fail() }
        return text
    }

    /// Returns an integer; nil if the next member has another name.
    public mutating func int(forKey name: StaticString) -> Int? {
        guard begin(name) else { return nil }
        let isNegative = accept(UInt8(ascii: "-"))
        guard let digits = digits(), isEndOfValue, let number = Int(exactly: digits.value) else { return fail() }
        return isNegative ? -number : number
    }

    /// Returns a Boolean; nil if the next member has another name.
    public mutating func bool(forKey name: StaticString) -> Bool? {
        guard begin(name) else { return nil }
        if accept("true") { return true }
        return accept("false") ? false : fail()
    }

    /// Returns a number; nil if the next member has another name.
    public mutating func double(forKey name: StaticString) -> Double? {
        guard begin(name) else { return nil }
        guard let number = double() else { return fail() }
        return number
    }

    /// Returns an array of strings; nil if the next member has another name.
    public mutating func strings(forKey name: StaticString) -> [String]? {
        array(forKey: name) { $0.string() }
    }

    @inlinable
    mutating func array<Value>(
        forKey name: StaticString, _ element: (inout ObjectReader) -> Value?
    ) -> [Value]? {
        guard begin(name) else { return nil }
        guard accept(UInt8(ascii: "[")) else { return fail() }
        var values: [Value] = []
        if accept(UInt8(ascii: "]")) { return values }
        repeat {
            guard let value = element(&self) else { return fail() }
            values.append(value)
        } while accept(UInt8(ascii: ","))
        return accept(UInt8(ascii: "]")) ? values : fail()
    }

    /// Reads the end of the object. Returns whether all its members were read.
    @usableFromInline
    mutating func end() -> Bool {
        isFirst = false
        return !hasFailed && accept(UInt8(ascii: "}"))
    }

    mutating func endsWith(_ text: StaticString) -> Bool {
        bytes.count - index == text.utf8CodeUnitCount && accept(text)
    }

    /// Returns the whole object as text, without reading it: the parameters of a reply of a stream.
    /// Nil if members have been read, or the reply has another form.
    package mutating func remainder() -> [UInt8]? {
        let end = bytes.count - ObjectReader.streamEnd.utf8CodeUnitCount - 1
        var last = ObjectReader(bytes, at: end + 1)
        guard isFirst, index <= end, last.endsWith(ObjectReader.streamEnd) else { return fail() }
        defer { index = end }
        return Array(bytes[index - 1...end])
    }

    /// The end of a reply of a stream, behind its parameters.
    private static let streamEnd: StaticString = ",\"continues\":true}"

    // MARK: Values

    /// Reads the name of a member if it is the next one.
    @usableFromInline
    mutating func begin(_ name: StaticString) -> Bool {
        let length = name.utf8CodeUnitCount
        let start = isFirst ? index : index + 1
        // The comma, two quotation marks and the colon.
        guard !hasFailed, start + length + 3 <= bytes.count, isFirst || bytes[index] == UInt8(ascii: ","),
            bytes[start] == UInt8(ascii: "\""), bytes[start + length + 1] == UInt8(ascii: "\""),
            bytes[start + length + 2] == UInt8(ascii: ":"), matches(name, at: start + 1)
        else {
            return false
        }
        index = start + length + 3
        isFirst = false
        return true
    }

    /// Reads the name of a member and the first byte of its value, if the name is the next one.
    mutating func begin(_ name: StaticString, _ byte: UInt8) -> Bool {
        guard begin(name) else { return false }
        if !accept(byte) { hasFailed = true }
        return !hasFailed
    }

    /// Fails, because such a value is not read from bytes.
    mutating func refuse<Value>() -> Value? { fail() }

    private func matches(_ text: StaticString, at start: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard start + length <= bytes.count else { return false }
        return bytes[start..<start + length].withUnsafeBufferPointer { found in
            text.withUTF8Buffer { wanted in
                for position in 0..<length where found[position] != wanted[position] { return false }
                return true
            }
        }
    }

    @usableFromInline
    mutating func string() -> String? {
        guard accept(UInt8(ascii: "\"")) else { return nil }
        let start = index
        var isASCII = true
        while index < bytes.count, case let byte = bytes[index], byte != UInt8(ascii: "\"") {
            guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
            if byte >= 0x80 { isASCII = false }
            index += 1
        }
        let range = start..<index
        guard accept(UInt8(ascii: "\"")) else { return nil }
        guard isASCII else { return String(validating: bytes[range], as: UTF8.self) }
        return bytes[range].withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads digits without a superfluous zero: their value and number.
    private mutating func digits() -> (value: UInt64, count: Int)? {
        let start = index
        guard let value = digits(after: 0), index == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        return (value, index - start)
    }

    /// Appends digits to a number; nil without any, or if there are more than 18.
    private mutating func digits(after number: UInt64) -> UInt64? {
        let start = index
        var number = number
        // Bytes below "0" wrap to large values.
        while index < bytes.count, case let digit = bytes[index] &- UInt8(ascii: "0"), digit < 10 {
            guard number < 100_000_000_000_000_000 else { return nil }
            number = number * 10 + UInt64(digit)
            index += 1
        }
        return index > start ? number : nil
    }

    /// Reads a number whose digits, and whose power of ten, are exact in floating point. Their
    /// quotient is then the nearest number (Clinger, How to Read Floating Point Numbers Accurately,
    /// 1990).
    private mutating func double() -> Double? {
        let isNegative = accept(UInt8(ascii: "-"))
        guard var number = digits()?.value else { return nil }
        var scale = 1.0
        if accept(UInt8(ascii: ".")) {
            let start = index
            guard let all = digits(after: number) else { return nil }
            number = all
            for _ in start..<index { scale *= 10 }
        }
        guard number <= 1 << 53, scale <= 1e18, isEndOfValue else { return nil }
        let value = Double(number) / scale
        return isNegative ? -value : value
    }

    /// Whether a number ends here: it has no exponent and no further digits.
    private var isEndOfValue: Bool {
        guard index < bytes.count else { return false }
        switch bytes[index] {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return true
        default: return false
        }
    }

    // MARK: Bytes

    @usableFromInline
    mutating func accept(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func accept(_ text: StaticString) -> Bool {
        guard matches(text, at: index) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    @inlinable
    mutating func fail<Value>() -> Value? {
        hasFailed = true
        return nil
    }
}

extension ObjectReader {
    /// Reads the parameters of a reply of a stream, as ``ReplyFrame`` writes it.
    ///
    /// - Returns: false for a reply of another form, also for a valid one.
    static func readParameters(of message: [UInt8], with read: (inout ObjectReader) -> Bool) -> Bool {
        var reader = ObjectReader(message, at: 0)
        return reader.accept("{\"parameters\":{") && read(&reader) && reader.end()
            && reader.endsWith(streamEnd)
    }
}
