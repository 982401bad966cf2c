extension JSONValue {
    /// Decodes a typed value. When `strict` is set, members that the type does not read are a
    /// mismatch.
    func decode<T: Decodable>(_ type: T.Type, strict: Bool) throws(MemberError) -> T {
        do {
            return try ValueDecoder.decode(type, from: self, at: [], strict: strict)
        } catch let error as DecodingError {
            throw MemberError(error)
        } catch {
            throw MemberError(path: "", reason: "\(error)")
        }
    }
}

/// A decoder for ``JSONValue`` that records which members of an object the type reads.
final class ValueDecoder: Decoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    fileprivate let value: JSONValue
    fileprivate let strict: Bool
    private var readMembers: Set<String> = []
    /// Whether the type read the whole value at once, so that no member counts as unread.
    private var isFullyRead = false

    private init(_ value: JSONValue, at codingPath: [any CodingKey], strict: Bool) {
        self.value = value
        self.codingPath = codingPath
        self.strict = strict
    }

    static func decode<T: Decodable>(_ type: T.Type, from value: JSONValue, at path: [any CodingKey], strict: Bool)
        throws -> T
    {
        if let scalar = type as? any JSONScalar.Type {
            guard let result = scalar.init(json: value) as? T else {
                throw mismatch(type, at: path, reason: "expected \(scalar.typeName), got \(value.kind)")
            }
            return result
        }
        let decoder = ValueDecoder(value, at: path, strict: strict)
        let result = try type.init(from: decoder)
        try decoder.rejectUnreadMembers()
        return result
    }

    func readWholeValue() -> JSONValue {
        isFullyRead = true
        return value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.object else {
            throw Self.mismatch(type, at: codingPath, reason: "expected object, got \(value.kind)")
        }
        return KeyedDecodingContainer(Members(decoder: self, members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.array else {
            throw Self.mismatch([Any].self, at: codingPath, reason: "expected array, got \(value.kind)")
        }
        return Elements(decoder: self, elements: elements)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        isFullyRead = true
        return WholeValue(decoder: self)
    }

    fileprivate func member(_ name: String, of members: [String: JSONValue]) -> JSONValue? {
        if strict { readMembers.insert(name) }
        return members[name]
    }

    private func rejectUnreadMembers() throws {
        guard strict, !isFullyRead, let names = value.object?.keys,
            let name = names.filter({ !readMembers.contains($0) }).min()
        else { return }
        let path = codingPath + [MemberName(stringValue: name)]
        throw DecodingError.dataCorrupted(.init(codingPath: path, debugDescription: "undeclared"))
    }

    fileprivate static func mismatch(_ type: Any.Type, at path: [any CodingKey], reason: String) -> DecodingError {
        .typeMismatch(type, .init(codingPath: path, debugDescription: reason))
    }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder
    let members: [String: JSONValue]

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { decoder.member(key.stringValue, of: members) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key) == .null }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try ValueDecoder.decode(type, from: try value(key), at: codingPath + [key], strict: decoder.strict)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = presentValue(key) else { return nil }
        return try ValueDecoder.decode(type, from: value, at: codingPath + [key], strict: decoder.strict)
    }

    // Most members are of these types. Without the generic methods their path is not made, and each
    // is searched for once.
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(try value(key), key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(try value(key), key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try scalar(try value(key), key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try scalar(try value(key), key) }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try presentValue(key).map { try scalar($0, key) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try presentValue(key).map { try scalar($0, key) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try presentValue(key).map { try scalar($0, key) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try presentValue(key).map { try scalar($0, key) }
    }

    private func scalar<T: JSONScalar>(_ value: JSONValue, _ key: Key) throws -> T {
        guard let result = T(json: value) else {
            throw ValueDecoder.mismatch(
                T.self, at: codingPath + [key], reason: "expected \(T.typeName), got \(value.kind)")
        }
        return result
    }

    private func presentValue(_ key: Key) -> JSONValue? {
        guard let value = decoder.member(key.stringValue, of: members) else { return nil }
        if case .null = value { return nil }
        return value
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        try decode(DecoderCapture.self, forKey: key).decoder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decode(DecoderCapture.self, forKey: key).decoder.unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decode(DecoderCapture.self, forKey: key).decoder }

    private func value(_ key: Key) throws -> JSONValue {
        guard let value = decoder.member(key.stringValue, of: members) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "missing"))
        }
        return value
    }
}

private struct Elements: UnkeyedDecodingContainer {
    let decoder: ValueDecoder
    let elements: [JSONValue]
    var currentIndex = 0

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let path = codingPath + [MemberName(intValue: currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(type, .init(codingPath: path, debugDescription: "missing"))
        }
        defer { currentIndex += 1 }
        return try ValueDecoder.decode(type, from: elements[currentIndex], at: path, strict: decoder.strict)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try decode(DecoderCapture.self).decoder.container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decode(DecoderCapture.self).decoder.unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try decode(DecoderCapture.self).decoder }
}

private struct WholeValue: SingleValueDecodingContainer {
    let decoder: ValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value == .null }

    /// Most values that are read as a whole are texts of enumerations.
    func decode(_ type: String.Type) throws -> String {
        guard let text = decoder.value.string else {
            throw ValueDecoder.mismatch(
                type, at: codingPath, reason: "expected \(String.typeName), got \(decoder.value.kind)")
        }
        return text
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try ValueDecoder.decode(type, from: decoder.value, at: codingPath, strict: decoder.strict)
    }
}

/// Returns the decoder instead of a value, for types that open nested containers themselves. Those
/// types must check the members of the nested containers.
private struct DecoderCapture: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer()
        self.decoder = decoder
    }
}

/// A type that decodes from a single JSON scalar.
private protocol JSONScalar {
    static var typeName: String { get }
    init?(json: JSONValue)
}

extension JSONScalar where Self: FixedWidthInteger {
    static var typeName: String { "int" }
    init?(json: JSONValue) {
        guard let value = json.int else { return nil }
        self.init(exactly: value)
    }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}

extension Bool: JSONScalar {
    static var typeName: String { "bool" }
    init?(json: JSONValue) {
        guard let value = json.bool else { return nil }
        self = value
    }
}

extension String: JSONScalar {
    static var typeName: String { "string" }
    init?(json: JSONValue) {
        guard let value = json.string else { return nil }
        self = value
    }
}

extension Double: JSONScalar {
    static var typeName: String { "float" }
    init?(json: JSONValue) {
        guard let value = json.double else { return nil }
        self = value
    }
}

extension Float: JSONScalar {
    static var typeName: String { "float" }
    init?(json: JSONValue) {
        guard let value = json.double else { return nil }
        self.init(value)
    }
}

extension MemberError {
    fileprivate init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            self.init(path: Self.path(context.codingPath), reason: context.debugDescription)
        case .keyNotFound(let key, let context):
            self.init(path: Self.path(context.codingPath + [key]), reason: context.debugDescription)
        @unknown default:
            self.init(path: "", reason: "\(error)")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
