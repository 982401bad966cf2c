/// An encoder that builds a ``JSONValue``.
///
/// It takes the place of FoundationEssentials' `JSONEncoder`, which costs a daemon that has
/// answered calls 0.7 MB of resident memory (docs/decisions/0005-json-output.md).
final class ValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    fileprivate let node: Node

    fileprivate init(_ node: Node, at codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
    }

    /// Returns the JSON value of `value`.
    ///
    /// - Throws: ``EncodingFailure`` for a number that is not finite, or the error of a custom
    ///   `encode(to:)`.
    static func encode(_ value: some Encodable) throws -> JSONValue {
        let node = Node()
        try encode(value, into: node, at: [])
        return node.value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members<Key>(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements(node: node, codingPath: codingPath) }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValue(node: node, codingPath: codingPath) }

    fileprivate static func encode(_ value: some Encodable, into node: Node, at path: [any CodingKey]) throws {
        if let scalar = try scalar(value, at: path) {
            node.content = .scalar(scalar)
        } else {
            try value.encode(to: ValueEncoder(node, at: path))
        }
    }

    /// Returns the value of the types that JSON has a form for; nil for any other type.
    private static func scalar(_ value: some Encodable, at path: [any CodingKey]) throws -> JSONValue? {
        switch value {
        case let value as JSONValue: value
        case let value as String: .string(value)
        case let value as Bool: .bool(value)
        case let value as Double: try number(value, at: path)
        case let value as Float: try number(Double(value), at: path)
        case let value as any BinaryInteger: Int64(exactly: value).map(JSONValue.int) ?? .double(Double(value))
        default: nil
        }
    }

    /// A whole number is written without a fraction, as `JSONEncoder` does.
    private static func number(_ value: Double, at path: [any CodingKey]) throws -> JSONValue {
        guard value.isFinite else {
            let name = path.map(\.stringValue).joined(separator: ".")
            throw EncodingFailure(description: "cannot write \(value) as JSON\(name.isEmpty ? "" : " in \(name)")")
        }
        return Int64(exactly: value).map(JSONValue.int) ?? .double(value)
    }
}

/// A value while it is being encoded. Containers share it by reference, as `Encoder` requires.
private final class Node {
    enum Content {
        case empty
        case scalar(JSONValue)
        case members([String: Node])
        case elements([Node])
    }

    var content = Content.empty

    var value: JSONValue {
        switch content {
        case .empty: .object([:])
        case .scalar(let value): value
        case .members(let members): .object(members.mapValues(\.value))
        case .elements(let elements): .array(elements.map(\.value))
        }
    }

    /// Makes the node an object, if it is none yet. A value may open several keyed containers.
    func beginMembers() { if case .members = content {} else { content = .members([:]) } }

    func beginElements() { if case .elements = content {} else { content = .elements([]) } }

    func member(_ name: String) -> Node {
        guard case .members(var members) = content else { return self }
        content = .empty
        let node = Node()
        members[name] = node
        content = .members(members)
        return node
    }

    func element() -> Node {
        guard case .elements(var elements) = content else { return self }
        content = .empty
        let node = Node()
        elements.append(node)
        content = .elements(elements)
        return node
    }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    let codingPath: [any CodingKey]

    init(node: Node, codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
        node.beginMembers()
    }

    mutating func encodeNil(forKey key: Key) { node.member(key.stringValue).content = .scalar(.null) }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        try ValueEncoder.encode(value, into: node.member(key.stringValue), at: codingPath + [key])
    }

    // Most members are of these types. Without the generic method their path is not made.
    mutating func encode(_ value: Bool, forKey key: Key) { set(.bool(value), key) }
    mutating func encode(_ value: String, forKey key: Key) { set(.string(value), key) }
    mutating func encode(_ value: Int, forKey key: Key) { set(.int(Int64(value)), key) }

    private func set(_ value: JSONValue, _ key: Key) { node.member(key.stringValue).content = .scalar(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key)
        -> KeyedEncodingContainer<NestedKey>
    {
        let nested = node.member(key.stringValue)
        return KeyedEncodingContainer(Members<NestedKey>(node: nested, codingPath: codingPath + [key]))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        Elements(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }

    mutating func superEncoder() -> any Encoder { ValueEncoder(node.member("super"), at: codingPath) }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        ValueEncoder(node.member(key.stringValue), at: codingPath + [key])
    }
}

private struct Elements: UnkeyedEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]
    private(set) var count = 0

    init(node: Node, codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
        node.beginElements()
    }

    private mutating func next() -> Node {
        count += 1
        return node.element()
    }

    mutating func encodeNil() { next().content = .scalar(.null) }

    mutating func encode(_ value: some Encodable) throws {
        try ValueEncoder.encode(value, into: next(), at: codingPath)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type)
        -> KeyedEncodingContainer<NestedKey>
    {
        KeyedEncodingContainer(Members<NestedKey>(node: next(), codingPath: codingPath))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        Elements(node: next(), codingPath: codingPath)
    }

    mutating func superEncoder() -> any Encoder { ValueEncoder(next(), at: codingPath) }
}

private struct SingleValue: SingleValueEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]

    mutating func encodeNil() { node.content = .scalar(.null) }

    mutating func encode(_ value: some Encodable) throws { try ValueEncoder.encode(value, into: node, at: codingPath) }
}
