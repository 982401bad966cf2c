/// Reads the members of a JSON object: of a parsed one, or of the bytes that ``ObjectWriter`` has
/// written.
///
/// Bytes are read in the order of the calls. Any difference fails, also in valid JSON. The caller
/// then parses the text and starts again with the parsed object, which has no order.
///
/// An optional member that is null counts as absent.
public struct MemberReader {
    /// The bytes, if they are read directly.
    private var bytes: ObjectReader
    @usableFromInline
    let isDirect: Bool
    /// The members of the parsed object; in a strict reader those that have not been read.
    private var members: [String: JSONValue]
    @usableFromInline
    let isStrict: Bool

    /// Creates a reader of a parsed object.
    ///
    /// - Parameter strict: Whether members that are not read, and unknown values of enumerations,
    ///   are errors, as in calls. Replies of later versions can have both.
    public init(_ members: [String: JSONValue], strict: Bool) {
        self.members = members
        isStrict = strict
        (bytes, isDirect) = (ObjectReader([], at: 0), false)
    }

    private init(_ bytes: ObjectReader) {
        (self.bytes, isDirect) = (bytes, true)
        (members, isStrict) = ([:], false)
    }

    /// Reads a message from bytes; nil if they have another form.
    static func read<Value: Message>(_ bytes: inout ObjectReader) -> Value? {
        var reader = MemberReader(bytes)
        let value = try? Value(&reader)
        bytes = reader.bytes
        return value
    }

    /// Checks that all members have been read.
    @usableFromInline
    func end() throws(MemberError) {
        guard isStrict, let name = members.keys.min() else { return }
        throw MemberError(path: name, reason: "undeclared")
    }

    /// Takes all members, for a type that reads them by itself.
    mutating func takeAll() -> JSONValue {
        defer { members = [:] }
        return .object(members)
    }

    private mutating func take(_ name: StaticString) -> JSONValue? {
        isStrict ? members.removeValue(forKey: "\(name)") : members["\(name)"]
    }

    /// Returns the value of a member of the parsed object.
    @usableFromInline
    mutating func value(_ name: StaticString) throws(MemberError) -> JSONValue {
        guard let value = take(name) else { throw MemberReader.missing(name) }
        return value
    }

    /// Returns the value of a member of the parsed object; nil if it is absent.
    @usableFromInline
    mutating func valueIfPresent(_ name: StaticString) -> JSONValue? {
        guard let value = take(name), value != .null else { return nil }
        return value
    }

    @usableFromInline
    static func missing(_ name: StaticString) -> MemberError { MemberError(path: "\(name)", reason: "missing") }

    @usableFromInline
    static func mismatch(_ value: JSONValue, expected: StaticString) -> MemberError {
        MemberError(path: "", reason: "expected \(expected), got \(value.kind)")
    }
}

// MARK: Scalars
extension MemberReader {
    /// Returns a string.
    public mutating func string(_ name: StaticString) throws(MemberError) -> String {
        try required(name, "string", { $0.string(forKey: name) }, { $0.string })
    }

    /// Returns a string; nil if it is absent.
    public mutating func stringIfPresent(_ name: StaticString) throws(MemberError) -> String? {
        try optional(name, "string", { $0.string(forKey: name) }, { $0.string })
    }

    /// Returns an integer.
    public mutating func int(_ name: StaticString) throws(MemberError) -> Int {
        try required(name, "int", { $0.int(forKey: name) }, { $0.int.flatMap { Int(exactly: $0) } })
    }

    /// Returns an integer; nil if it is absent.
    public mutating func intIfPresent(_ name: StaticString) throws(MemberError) -> Int? {
        try optional(name, "int", { $0.int(forKey: name) }, { $0.int.flatMap { Int(exactly: $0) } })
    }

    /// Returns a Boolean.
    public mutating func bool(_ name: StaticString) throws(MemberError) -> Bool {
        try required(name, "bool", { $0.bool(forKey: name) }, { $0.bool })
    }

    /// Returns a Boolean; nil if it is absent.
    public mutating func boolIfPresent(_ name: StaticString) throws(MemberError) -> Bool? {
        try optional(name, "bool", { $0.bool(forKey: name) }, { $0.bool })
    }

    /// Returns a number.
    public mutating func double(_ name: StaticString) throws(MemberError) -> Double {
        try required(name, "float", { $0.double(forKey: name) }, { $0.double })
    }

    /// Returns a number; nil if it is absent.
    public mutating func doubleIfPresent(_ name: StaticString) throws(MemberError) -> Double? {
        try optional(name, "float", { $0.double(forKey: name) }, { $0.double })
    }

    /// Returns the members of an object of any form.
    public mutating func object(_ name: StaticString) throws(MemberError) -> [String: JSONValue] {
        try required(name, "object", { $0.refuse() }, { $0.object })
    }

    /// Returns the members of an object of any form; nil if it is absent.
    public mutating func objectIfPresent(_ name: StaticString) throws(MemberError) -> [String: JSONValue]? {
        // Bytes of an object of any form are not read. A present one is noticed at the next member.
        try optional(name, "object", { _ in nil }, { $0.object })
    }

    /// Returns the value of an enumeration.
    ///
    /// - Parameter unknown: The value for names of later versions, except in a strict reader.
    @inlinable
    public mutating func name<Name: RawRepresentable>(
        _ name: StaticString, unknown: Name
    ) throws(MemberError) -> Name where Name.RawValue == String {
        try named(try string(name), name, unknown)
    }

    /// Returns the value of an enumeration; nil if it is absent.
    ///
    /// - Parameter unknown: The value for names of later versions, except in a strict reader.
    @inlinable
    public mutating func nameIfPresent<Name: RawRepresentable>(
        _ name: StaticString, unknown: Name
    ) throws(MemberError) -> Name? where Name.RawValue == String {
        guard let text = try stringIfPresent(name) else { return nil }
        return try named(text, name, unknown)
    }

    @inlinable
    func named<Name: RawRepresentable>(
        _ text: String, _ name: StaticString, _ unknown: Name
    ) throws(MemberError) -> Name where Name.RawValue == String {
        if let value = Name(rawValue: text) { return value }
        guard isStrict else { return unknown }
        throw MemberError(path: "\(name)", reason: "Cannot initialize \(Name.self) from invalid String value \(text)")
    }

    @inline(__always)
    private mutating func required<Value>(
        _ name: StaticString, _ kind: StaticString, _ direct: (inout ObjectReader) -> Value?,
        _ parsed: (JSONValue) -> Value?
    ) throws(MemberError) -> Value {
        if isDirect {
            guard let value = direct(&bytes) else { throw MemberReader.missing(name) }
            return value
        }
        let value = try value(name)
        guard let result = parsed(value) else { throw MemberReader.mismatch(value, expected: kind).inside(name) }
        return result
    }

    @inline(__always)
    private mutating func optional<Value>(
        _ name: StaticString, _ kind: StaticString, _ direct: (inout ObjectReader) -> Value?,
        _ parsed: (JSONValue) -> Value?
    ) throws(MemberError) -> Value? {
        if isDirect { return direct(&bytes) }
        guard let value = valueIfPresent(name) else { return nil }
        guard let result = parsed(value) else { throw MemberReader.mismatch(value, expected: kind).inside(name) }
        return result
    }
}

// MARK: Messages and arrays
extension MemberReader {
    /// Returns a message.
    @inlinable
    public mutating func message<Value: Message>(_ name: StaticString) throws(MemberError) -> Value {
        guard isDirect else { return try MemberReader.message(try value(name), isStrict, inside: name) }
        guard let value: Value = try messageIfPresent(name) else { throw MemberReader.missing(name) }
        return value
    }

    /// Returns a message; nil if it is absent.
    @inlinable
    public mutating func messageIfPresent<Value: Message>(_ name: StaticString) throws(MemberError) -> Value? {
        guard isDirect else {
            guard let value = valueIfPresent(name) else { return nil }
            return try MemberReader.message(value, isStrict, inside: name)
        }
        guard begin(name, UInt8(ascii: "{")) else { return nil }
        return try directMessage(name)
    }

    /// Returns an array of messages.
    @inlinable
    public mutating func messages<Value: Message>(_ name: StaticString) throws(MemberError) -> [Value] {
        guard isDirect else { return try MemberReader.messages(try value(name), isStrict, inside: name) }
        guard let values: [Value] = try messagesIfPresent(name) else { throw MemberReader.missing(name) }
        return values
    }

    /// Returns an array of messages; nil if it is absent.
    @inlinable
    public mutating func messagesIfPresent<Value: Message>(_ name: StaticString) throws(MemberError) -> [Value]? {
        guard isDirect else {
            guard let value = valueIfPresent(name) else { return nil }
            return try MemberReader.messages(value, isStrict, inside: name)
        }
        guard begin(name, UInt8(ascii: "[")) else { return nil }
        var values: [Value] = []
        if accept(UInt8(ascii: "]")) { return values }
        repeat {
            guard accept(UInt8(ascii: "{")) else { throw MemberReader.missing(name) }
            values.append(try directMessage(name))
        } while accept(UInt8(ascii: ","))
        guard accept(UInt8(ascii: "]")) else { throw MemberReader.missing(name) }
        return values
    }

    /// Returns an array of arrays of messages; nil if it is absent.
    @inlinable
    public mutating func messageArraysIfPresent<Value: Message>(
        _ name: StaticString
    ) throws(MemberError) -> [[Value]]? {
        guard let value = valueIfPresent(name) else { return nil }
        return try MemberReader.elements(value, inside: name) { element throws(MemberError) in
            try MemberReader.elements(element) { inner throws(MemberError) in
                try MemberReader.message(inner, isStrict)
            }
        }
    }

    /// Returns an array of strings.
    public mutating func strings(_ name: StaticString) throws(MemberError) -> [String] {
        guard isDirect else { return try MemberReader.strings(try value(name), inside: name) }
        guard let texts = bytes.strings(forKey: name) else { throw MemberReader.missing(name) }
        return texts
    }

    /// Returns an array of strings; nil if it is absent.
    public mutating func stringsIfPresent(_ name: StaticString) throws(MemberError) -> [String]? {
        if isDirect { return bytes.strings(forKey: name) }
        return try valueIfPresent(name).map { value throws(MemberError) in
            try MemberReader.strings(value, inside: name)
        }
    }

    /// Returns an array of integers.
    public mutating func ints(_ name: StaticString) throws(MemberError) -> [Int] {
        try MemberReader.elements(try value(name), inside: name) { element throws(MemberError) in
            guard let number = element.int.flatMap({ Int(exactly: $0) }) else {
                throw MemberReader.mismatch(element, expected: "int")
            }
            return number
        }
    }

    private static func strings(_ value: JSONValue, inside name: StaticString) throws(MemberError) -> [String] {
        try elements(value, inside: name) { element throws(MemberError) in
            guard let text = element.string else { throw mismatch(element, expected: "string") }
            return text
        }
    }

    @inlinable
    static func messages<Value: Message>(
        _ value: JSONValue, _ isStrict: Bool, inside name: StaticString
    ) throws(MemberError) -> [Value] {
        try elements(value, inside: name) { element throws(MemberError) in try message(element, isStrict) }
    }

    @inlinable
    static func message<Value: Message>(
        _ value: JSONValue, _ isStrict: Bool, inside name: StaticString
    ) throws(MemberError) -> Value {
        do throws(MemberError) { return try message(value, isStrict) } catch { throw error.inside(name) }
    }

    @inlinable
    static func message<Value: Message>(_ value: JSONValue, _ isStrict: Bool) throws(MemberError) -> Value {
        guard let members = value.object else { throw mismatch(value, expected: "object") }
        return try Value(members, strict: isStrict)
    }

    @inlinable
    static func elements<Value>(
        _ value: JSONValue, inside name: StaticString, _ read: (JSONValue) throws(MemberError) -> Value
    ) throws(MemberError) -> [Value] {
        do throws(MemberError) { return try elements(value, read) } catch { throw error.inside(name) }
    }

    @inlinable
    static func elements<Value>(
        _ value: JSONValue, _ read: (JSONValue) throws(MemberError) -> Value
    ) throws(MemberError) -> [Value] {
        guard let elements = value.array else { throw mismatch(value, expected: "array") }
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do throws(MemberError) { values.append(try read(element)) } catch { throw error.inside(index: index) }
        }
        return values
    }
}

// MARK: Bytes
extension MemberReader {
    /// Reads a message whose opening brace has been read.
    @inlinable
    mutating func directMessage<Value: Message>(_ name: StaticString) throws(MemberError) -> Value {
        beginMembers()
        let value = try Value(&self)
        guard endMembers() else { throw MemberReader.missing(name) }
        return value
    }

    /// Reads the name of a member and the first byte of its value, if they are next.
    @usableFromInline
    mutating func begin(_ name: StaticString, _ byte: UInt8) -> Bool { bytes.begin(name, byte) }

    @usableFromInline
    mutating func accept(_ byte: UInt8) -> Bool { bytes.accept(byte) }

    @usableFromInline
    mutating func beginMembers() { bytes.isFirst = true }

    @usableFromInline
    mutating func endMembers() -> Bool { bytes.end() }
}
