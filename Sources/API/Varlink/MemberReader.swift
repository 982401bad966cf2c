/// Reads the members of a JSON object: of a parsed one, or of the bytes that ``ObjectWriter`` has
/// written.
///
/// Bytes are read in the order of the calls. Any difference fails, also in valid JSON. The caller
/// then parses the text and starts again with the parsed object, which has no order.
///
/// An optional member that is null counts as absent.
///
/// The methods do not throw: ``failure`` is the first error, and after one they return any value.
/// An initialiser of twenty members then needs no code for those that were read before an error.
/// The methods are not inlinable. Copies for each type would be a large part of a small program.
public struct MemberReader {
    /// The bytes, if they are read directly.
    private var bytes: ObjectReader
    private let isDirect: Bool
    /// The members of the parsed object; in a strict reader those that have not been read.
    private var members: [String: JSONValue]
    private let isStrict: Bool
    /// The first member that is missing or of another type. The values that were read do not count
    /// then.
    public private(set) var failure: MemberError?

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
        let value = Value(&reader)
        bytes = reader.bytes
        return reader.failure == nil ? value : nil
    }

    /// Notes an error, unless there was one before.
    public mutating func fail(_ error: MemberError) {
        if failure == nil { failure = error }
    }

    /// Checks that all members have been read, without an error.
    func end() throws(MemberError) {
        if let failure { throw failure }
        guard isStrict, let name = members.keys.min() else { return }
        throw MemberError(path: name, reason: "undeclared")
    }

    /// Returns the members of a parsed object that have not been read; none after that.
    mutating func remainder() -> [String: JSONValue] {
        if isDirect { fail(MemberError(path: "", reason: "not parsed")) }
        defer { members = [:] }
        return members
    }

    private mutating func take(_ name: StaticString) -> JSONValue? {
        isStrict ? members.removeValue(forKey: "\(name)") : members["\(name)"]
    }

    /// Returns the value of a required member of the parsed object; nil after an error.
    private mutating func value(_ name: StaticString) -> JSONValue? {
        let value = take(name)
        if value == nil { fail(MemberReader.missing(name)) }
        return value
    }

    /// Returns the value of a member of the parsed object; nil if it is absent.
    private mutating func valueIfPresent(_ name: StaticString) -> JSONValue? {
        guard let value = take(name), value != .null else { return nil }
        return value
    }

    private static func missing(_ name: StaticString) -> MemberError { MemberError(path: "\(name)", reason: "missing") }

    private static func mismatch(_ value: JSONValue, expected: StaticString) -> MemberError {
        MemberError(path: "", reason: "expected \(expected), got \(value.kind)")
    }
}

// MARK: Scalars
extension MemberReader {
    /// Returns a string.
    public mutating func string(_ name: StaticString) -> String {
        required(name, "string", { $0.string(forKey: name) }, { $0.string }) ?? ""
    }

    /// Returns a string; nil if it is absent.
    public mutating func stringIfPresent(_ name: StaticString) -> String? {
        optional(name, "string", { $0.string(forKey: name) }, { $0.string })
    }

    /// Returns an integer.
    public mutating func int(_ name: StaticString) -> Int {
        required(name, "int", { $0.int(forKey: name) }, { $0.int.flatMap { Int(exactly: $0) } }) ?? 0
    }

    /// Returns an integer; nil if it is absent.
    public mutating func intIfPresent(_ name: StaticString) -> Int? {
        optional(name, "int", { $0.int(forKey: name) }, { $0.int.flatMap { Int(exactly: $0) } })
    }

    /// Returns a Boolean.
    public mutating func bool(_ name: StaticString) -> Bool {
        required(name, "bool", { $0.bool(forKey: name) }, { $0.bool }) ?? false
    }

    /// Returns a Boolean; nil if it is absent.
    public mutating func boolIfPresent(_ name: StaticString) -> Bool? {
        optional(name, "bool", { $0.bool(forKey: name) }, { $0.bool })
    }

    /// Returns a number.
    public mutating func double(_ name: StaticString) -> Double {
        required(name, "float", { $0.double(forKey: name) }, { $0.double }) ?? 0
    }

    /// Returns a number; nil if it is absent.
    public mutating func doubleIfPresent(_ name: StaticString) -> Double? {
        optional(name, "float", { $0.double(forKey: name) }, { $0.double })
    }

    /// Returns the members of an object of any form.
    public mutating func object(_ name: StaticString) -> [String: JSONValue] {
        required(name, "object", { $0.refuse() }, { $0.object }) ?? [:]
    }

    /// Returns the members of an object of any form; nil if it is absent.
    public mutating func objectIfPresent(_ name: StaticString) -> [String: JSONValue]? {
        // Bytes of an object of any form are not read. A present one is noticed at the next member.
        optional(name, "object", { _ in nil }, { $0.object })
    }

    /// Returns the value of an enumeration.
    ///
    /// - Parameter unknown: The value for names of later versions, except in a strict reader.
    public mutating func name<Name: RawRepresentable>(_ name: StaticString, unknown: Name) -> Name
    where Name.RawValue == String {
        named(string(name), name, unknown)
    }

    /// Returns the value of an enumeration; nil if it is absent.
    ///
    /// - Parameter unknown: The value for names of later versions, except in a strict reader.
    public mutating func nameIfPresent<Name: RawRepresentable>(_ name: StaticString, unknown: Name) -> Name?
    where Name.RawValue == String {
        guard let text = stringIfPresent(name) else { return nil }
        return named(text, name, unknown)
    }

    private mutating func named<Name: RawRepresentable>(
        _ text: String, _ name: StaticString, _ unknown: Name
    ) -> Name where Name.RawValue == String {
        if let value = Name(rawValue: text) { return value }
        if isStrict {
            let reason = "Cannot initialize \(Name.self) from invalid String value \(text)"
            fail(MemberError(path: "\(name)", reason: reason))
        }
        return unknown
    }

    @inline(__always)
    private mutating func required<Value>(
        _ name: StaticString, _ kind: StaticString, _ direct: (inout ObjectReader) -> Value?,
        _ parsed: (JSONValue) -> Value?
    ) -> Value? {
        if isDirect {
            let value = direct(&bytes)
            if value == nil { fail(MemberReader.missing(name)) }
            return value
        }
        guard let value = value(name) else { return nil }
        return convert(value, name, kind, parsed)
    }

    @inline(__always)
    private mutating func optional<Value>(
        _ name: StaticString, _ kind: StaticString, _ direct: (inout ObjectReader) -> Value?,
        _ parsed: (JSONValue) -> Value?
    ) -> Value? {
        if isDirect { return direct(&bytes) }
        guard let value = valueIfPresent(name) else { return nil }
        return convert(value, name, kind, parsed)
    }

    @inline(__always)
    private mutating func convert<Value>(
        _ value: JSONValue, _ name: StaticString, _ kind: StaticString, _ parsed: (JSONValue) -> Value?
    ) -> Value? {
        let result = parsed(value)
        if result == nil { fail(MemberReader.mismatch(value, expected: kind).inside(name)) }
        return result
    }
}

// MARK: Messages and arrays
extension MemberReader {
    /// Returns a message.
    public mutating func message<Value: Message>(_ name: StaticString) -> Value {
        let found: Value? =
            if isDirect { directMessage(name) } else { value(name).flatMap { message($0, inside: name) } }
        if let found { return found }
        fail(MemberReader.missing(name))
        var empty = MemberReader([:], strict: false)
        return Value(&empty)
    }

    /// Returns a message; nil if it is absent.
    public mutating func messageIfPresent<Value: Message>(_ name: StaticString) -> Value? {
        if isDirect { return directMessage(name) }
        return valueIfPresent(name).flatMap { message($0, inside: name) }
    }

    /// Returns an array of messages.
    public mutating func messages<Value: Message>(_ name: StaticString) -> [Value] {
        if isDirect, let values: [Value] = directMessages(name) { return values }
        return value(name).flatMap { messages($0, inside: name) } ?? []
    }

    /// Returns an array of messages; nil if it is absent.
    public mutating func messagesIfPresent<Value: Message>(_ name: StaticString) -> [Value]? {
        if isDirect { return directMessages(name) }
        return valueIfPresent(name).flatMap { messages($0, inside: name) }
    }

    /// Returns an array of arrays of messages; nil if it is absent.
    public mutating func messageArraysIfPresent<Value: Message>(_ name: StaticString) -> [[Value]]? {
        guard let value = valueIfPresent(name) else { return nil }
        return elements(value, inside: name) { [isStrict] element throws(MemberError) in
            try MemberReader.elements(element) { inner throws(MemberError) in
                try MemberReader.message(inner, isStrict)
            }
        }
    }

    /// Returns an array of strings.
    public mutating func strings(_ name: StaticString) -> [String] {
        if isDirect, let texts = bytes.strings(forKey: name) { return texts }
        return value(name).flatMap { strings($0, inside: name) } ?? []
    }

    /// Returns an array of strings; nil if it is absent.
    public mutating func stringsIfPresent(_ name: StaticString) -> [String]? {
        if isDirect { return bytes.strings(forKey: name) }
        return valueIfPresent(name).flatMap { strings($0, inside: name) }
    }

    /// Returns an array of integers.
    public mutating func ints(_ name: StaticString) -> [Int] {
        guard let value = value(name) else { return [] }
        let numbers: [Int]? = elements(value, inside: name) { element throws(MemberError) in
            guard let number = element.int.flatMap({ Int(exactly: $0) }) else {
                throw MemberReader.mismatch(element, expected: "int")
            }
            return number
        }
        return numbers ?? []
    }

    private mutating func strings(_ value: JSONValue, inside name: StaticString) -> [String]? {
        elements(value, inside: name) { element throws(MemberError) in
            guard let text = element.string else { throw MemberReader.mismatch(element, expected: "string") }
            return text
        }
    }

    private mutating func message<Value: Message>(_ value: JSONValue, inside name: StaticString) -> Value? {
        do throws(MemberError) { return try MemberReader.message(value, isStrict) } catch { fail(error.inside(name)) }
        return nil
    }

    private mutating func messages<Value: Message>(_ value: JSONValue, inside name: StaticString) -> [Value]? {
        elements(value, inside: name) { [isStrict] element throws(MemberError) in
            try MemberReader.message(element, isStrict)
        }
    }

    private mutating func elements<Value>(
        _ value: JSONValue, inside name: StaticString, _ read: (JSONValue) throws(MemberError) -> Value
    ) -> [Value]? {
        do throws(MemberError) { return try MemberReader.elements(value, read) } catch { fail(error.inside(name)) }
        return nil
    }

    private static func message<Value: Message>(_ value: JSONValue, _ isStrict: Bool) throws(MemberError) -> Value {
        guard let members = value.object else { throw mismatch(value, expected: "object") }
        return try Value(members, strict: isStrict)
    }

    private static func elements<Value>(
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
    /// Reads a message if it is the next member; nil after an error.
    private mutating func directMessage<Value: Message>(_ name: StaticString) -> Value? {
        guard bytes.begin(name, UInt8(ascii: "{")) else { return nil }
        return directMessage(after: name)
    }

    /// Reads an array of messages if it is the next member; nil after an error.
    private mutating func directMessages<Value: Message>(_ name: StaticString) -> [Value]? {
        guard bytes.begin(name, UInt8(ascii: "[")) else { return nil }
        var values: [Value] = []
        if bytes.accept(UInt8(ascii: "]")) { return values }
        repeat {
            guard bytes.accept(UInt8(ascii: "{")), let value: Value = directMessage(after: name) else {
                fail(MemberReader.missing(name))
                return nil
            }
            values.append(value)
        } while bytes.accept(UInt8(ascii: ","))
        if !bytes.accept(UInt8(ascii: "]")) { fail(MemberReader.missing(name)) }
        return values
    }

    /// Reads a message whose opening brace has been read; nil after an error.
    private mutating func directMessage<Value: Message>(after name: StaticString) -> Value? {
        bytes.isFirst = true
        let value = Value(&self)
        if failure == nil, bytes.end() { return value }
        fail(MemberReader.missing(name))
        return nil
    }
}
