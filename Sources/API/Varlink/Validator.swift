/// The position and the reason of a mismatch between a value and its interface.
public struct ValidationFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of mismatch.
    public enum Reason: Equatable, Sendable {
        /// The value has the wrong type; names of the expected and the actual type.
        case expected(String, got: String)
        /// The interface does not declare the field.
        case undeclared
        /// A required field is absent or null.
        case missing
        /// The interface does not have this type, method or error.
        case unknownName
    }

    /// The position in the value: `location.latitude`, `receivers[2].name`. Empty for the value
    /// itself.
    public let path: String
    /// The kind of mismatch.
    public let reason: Reason

    /// The path and the reason: `location.latitude: expected float, got string`.
    public var description: String {
        let text =
            switch reason {
            case .expected(let expected, let got): "expected \(expected), got \(got)"
            case .undeclared: "not declared"
            case .missing: "missing"
            case .unknownName: "not declared in the interface"
            }
        return path.isEmpty ? text : "\(path): \(text)"
    }
}

/// Checks values against an interface.
///
/// Whole numbers are valid floats; a number with a fraction is not a valid int. Null and absent are
/// equivalent and require a `?`. Paths start with `parameters` for methods and errors, and with the
/// type name for types.
public struct Validator: Sendable {
    private typealias TypeReference = InterfaceDescription.TypeReference

    /// The interface with the declarations.
    public let interface: InterfaceDescription

    /// Creates a validator for one interface.
    public init(_ interface: InterfaceDescription) {
        self.interface = interface
    }

    /// Checks the parameters of a call of `method`, named without its interface.
    public func checkInput(_ parameters: [String: JSONValue], of method: String) throws(ValidationFailure) {
        try check(parameters, against: interface.method(method)?.input, of: method)
    }

    /// Checks the parameters of a reply to `method`, named without its interface.
    public func checkOutput(_ parameters: [String: JSONValue], of method: String) throws(ValidationFailure) {
        try check(parameters, against: interface.method(method)?.output, of: method)
    }

    /// Checks the parameters of `error`, named without its interface.
    public func checkParameters(_ parameters: [String: JSONValue], ofError error: String) throws(ValidationFailure) {
        try check(parameters, against: interface.error(error), of: error)
    }

    /// Checks a value against a type of the interface.
    public func check(_ value: JSONValue, type: String) throws(ValidationFailure) {
        guard let definition = interface.type(type) else { throw ValidationFailure(path: type, reason: .unknownName) }
        try check(value, against: definition, at: { type })
    }

    private func check(
        _ parameters: [String: JSONValue], against fields: [InterfaceDescription.Field]?, of name: String
    ) throws(ValidationFailure) {
        guard let fields else { throw ValidationFailure(path: name, reason: .unknownName) }
        try check(.object(parameters), against: .structure(fields), at: { "parameters" })
    }

    /// Checks a value and builds its path only for an error. Building the path of every list
    /// element would repeat the outer names, with a cost that grows with the square of the message
    /// length.
    private func check(
        _ value: JSONValue, against type: TypeReference, at path: () -> String
    ) throws(ValidationFailure) {
        switch type {
        case .bool: try require(value.bool != nil, "bool", of: value, at: path)
        case .int: try require(value.int != nil, "int", of: value, at: path)
        case .float: try require(value.double != nil, "float", of: value, at: path)
        case .string: try require(value.string != nil, "string", of: value, at: path)
        case .object: try require(value.object != nil, "object", of: value, at: path)
        case .optional(let wrapped): if value != .null { try check(value, against: wrapped, at: path) }
        case .array(let element): try check(elements: value, against: element, at: path)
        case .map(let element): try check(map: value, against: element, at: path)
        case .named(let name): try check(value, againstTypeNamed: name, at: path)
        case .structure(let fields): try check(structure: value, against: fields, at: path)
        case .enumeration(let values): try check(enumeration: value, against: values, at: path)
        }
    }

    private func require(
        _ hasType: Bool, _ expected: String, of value: JSONValue, at path: () -> String
    ) throws(ValidationFailure) {
        guard hasType else { throw ValidationFailure(path: path(), reason: .expected(expected, got: value.kind)) }
    }

    private func check(elements value: JSONValue, against type: TypeReference, at path: () -> String)
        throws(ValidationFailure)
    {
        guard let elements = value.array else { return try require(false, "array", of: value, at: path) }
        // A call can have tens of thousands of numbers or strings, and needs a path for an error.
        if let isValid = Validator.scalarTest(of: type), elements.allSatisfy(isValid) { return }
        for (index, element) in elements.enumerated() {
            try check(element, against: type, at: { "\(path())[\(index)]" })
        }
    }

    /// Returns the test of a value of a scalar type; nil for other types.
    private static func scalarTest(of type: TypeReference) -> ((JSONValue) -> Bool)? {
        switch type {
        case .bool: { $0.bool != nil }
        case .int: { $0.int != nil }
        case .float: { $0.double != nil }
        case .string: { if case .string = $0 { true } else { false } }
        default: nil
        }
    }

    private func check(map value: JSONValue, against type: TypeReference, at path: () -> String)
        throws(ValidationFailure)
    {
        guard let members = value.object else { return try require(false, "object", of: value, at: path) }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            try check(member, against: type, at: { "\(path()).\(name)" })
        }
    }

    private func check(
        _ value: JSONValue, againstTypeNamed name: String, at path: () -> String
    ) throws(ValidationFailure) {
        guard let definition = interface.type(name) else { throw ValidationFailure(path: path(), reason: .unknownName) }
        try check(value, against: definition, at: path)
    }

    private func check(structure value: JSONValue, against fields: [InterfaceDescription.Field], at path: () -> String)
        throws(ValidationFailure)
    {
        guard let members = value.object else { return try require(false, "object", of: value, at: path) }
        for field in fields {
            func fieldPath() -> String { "\(path()).\(field.name)" }
            if let member = members[field.name], member != .null {
                try check(member, against: field.type, at: fieldPath)
            } else {
                guard case .optional = field.type else { throw ValidationFailure(path: fieldPath(), reason: .missing) }
            }
        }
        let undeclared = Set(members.keys).subtracting(fields.map(\.name)).min()
        if let undeclared { throw ValidationFailure(path: "\(path()).\(undeclared)", reason: .undeclared) }
    }

    private func check(enumeration value: JSONValue, against values: [String], at path: () -> String)
        throws(ValidationFailure)
    {
        guard let name = value.string else { return try require(false, "string", of: value, at: path) }
        guard values.contains(name) else {
            throw ValidationFailure(
                path: path(), reason: .expected("one of \(values.joined(separator: ", "))", got: "\"\(name)\""))
        }
    }
}
