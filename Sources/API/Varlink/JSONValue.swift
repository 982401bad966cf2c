/// Any JSON value, as used in Varlink parameters.
///
/// Whole numbers that fit into 64 bits are stored as `Int64` and never converted to floating point.
/// The order of object members is not preserved.
public enum JSONValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that fits into 64 bits.
    case int(Int64)
    /// Any other number. It is finite when parsed from text.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object: its members by name.
    case object([String: JSONValue])
}

extension JSONValue {
    /// The name of the value's type in Varlink terms: `null`, `bool`, `int`, `float`, `string`,
    /// `array` or `object`.
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

    /// The member with that name, or nil when it is missing or the value is not an object.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The Boolean value, or nil for any other type.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The string, or nil for any other type.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements, or nil for any other type.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members, or nil for any other type.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// The whole number, or nil for fractions, numbers beyond 64 bits and any other type. `1.0` and
    /// `1e3` are whole numbers.
    public var int: Int64? {
        switch self {
        case .int(let value): value
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number, or nil for any other type. Large whole numbers are rounded to the nearest
    /// double.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a whole number.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object. If a name occurs twice, the last member is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue: Codable {
    /// Decodes any JSON value.
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: MemberName.self) {
            self = .object(
                try Dictionary(members.allKeys.map { ($0.stringValue, try members.decode(JSONValue.self, forKey: $0)) })
                { $1 })
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

    /// Encodes the value. NaN and infinity become `null`, as in ``bytes``.
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

/// The name of an object member or the index of an array element.
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
