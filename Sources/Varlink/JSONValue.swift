/// Any JSON value, as Varlink parameters carry it.
///
/// Whole numbers that fit are kept as `Int64` and never pass through a floating-point number. The order of an object's members is not kept.
public enum JSONValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent, within 64 bits.
    case int(Int64)
    /// Any other number; finite when it was read from text.
    case double(Double)
    /// Text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members by name.
    case object([String: JSONValue])
}

extension JSONValue {
    /// The kind of value in one word of the Varlink language: `null`, `bool`, `int`, `float`, `string`, `array` or `object`.
    public var kind: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .int: "int"
        case .double: "float"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// The member of that name; nil when there is none or this is no object.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The truth value; nil for any other kind.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The text; nil for any other kind.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements; nil for any other kind.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members; nil for any other kind.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// The whole number; `1.0` and `1e3` are whole too. Nil for fractions, numbers beyond 64 bits and any other kind.
    public var int: Int64? {
        switch self {
        case .int(let value): value
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number, rounded to the nearest double where it is a large whole one; nil for any other kind.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of two members with one name the last stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue: Codable {
    /// Reads any value from a decoder.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ValueDecoder {
            self = decoder.takeValue()
        } else if let members = try? decoder.container(keyedBy: MemberName.self) {
            self = .object(try Dictionary(members.allKeys.map { ($0.stringValue, try members.decode(JSONValue.self, forKey: $0)) }) { $1 })
        } else if var elements = try? decoder.unkeyedContainer() {
            var list: [JSONValue] = []
            while !elements.isAtEnd { list.append(try elements.decode(JSONValue.self)) }
            self = .array(list)
        } else {
            self = try Self.scalar(from: try decoder.singleValueContainer())
        }
    }

    private static func scalar(from container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(String.self) { return .string(value) }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .int(value) }
        return .double(try container.decode(Double.self))
    }

    /// Writes the value to an encoder. Numbers that JSON has no way to write become `null`, as in ``bytes``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): if value.isFinite { try container.encode(value) } else { try container.encodeNil() }
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

/// The name of a member, or the position of an element.
struct MemberName: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        (self.stringValue, intValue) = (stringValue, nil)
    }

    init(intValue: Int) {
        (stringValue, self.intValue) = (String(intValue), intValue)
    }
}
