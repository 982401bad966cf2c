/// Where a value departs from its interface, and how.
public struct ValidationFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong with a value.
    public enum Reason: Equatable, Sendable {
        /// A value of another kind; both kinds in words.
        case expected(String, got: String)
        /// A field that the interface does not declare.
        case undeclared
        /// A field is absent, or null, that may not be.
        case missing
        /// The interface has no such type, method or error.
        case unknownName
    }

    /// Where in the value: `location.latitude`, `receivers[2].name`; empty for the value itself.
    public let path: String
    /// What is wrong there.
    public let reason: Reason

    /// `location.latitude: expected float, got string`
    public var description: String {
        let text =
            switch reason {
            case .expected(let wanted, let got): "expected \(wanted), got \(got)"
            case .undeclared: "not declared"
            case .missing: "missing"
            case .unknownName: "the interface declares no such name"
            }
        return path.isEmpty ? text : "\(path): \(text)"
    }
}

/// Holds values against an interface.
///
/// Whole numbers are good floats; a number with a fraction is no int. Null and absent are the same and need a `?`. Paths begin with `parameters`
/// for methods and errors, and with the type's name for a type.
public struct Validator: Sendable {
    private typealias TypeReference = InterfaceDescription.TypeReference

    /// The interface that values are held against.
    public let interface: InterfaceDescription

    /// A validator for one interface.
    public init(_ interface: InterfaceDescription) {
        self.interface = interface
    }

    /// Checks the parameters of a call of `method`, named without its interface.
    public func checkInput(of method: String, _ parameters: [String: JSONValue]) throws(ValidationFailure) {
        try check(parameters, against: interface.method(method)?.input, of: method)
    }

    /// Checks the parameters of a reply to `method`, named without its interface.
    public func checkOutput(of method: String, _ parameters: [String: JSONValue]) throws(ValidationFailure) {
        try check(parameters, against: interface.method(method)?.output, of: method)
    }

    /// Checks the parameters of `error`, named without its interface.
    public func checkError(_ error: String, _ parameters: [String: JSONValue]) throws(ValidationFailure) {
        try check(parameters, against: interface.error(error), of: error)
    }

    /// Checks a value against a type of the interface.
    public func check(_ value: JSONValue, type: String) throws(ValidationFailure) {
        guard let definition = interface.type(type) else { throw ValidationFailure(path: type, reason: .unknownName) }
        try check(value, definition, at: { type })
    }

    private func check(
        _ parameters: [String: JSONValue], against fields: [InterfaceDescription.Field]?, of name: String
    ) throws(ValidationFailure) {
        guard let fields else { throw ValidationFailure(path: name, reason: .unknownName) }
        try check(.object(parameters), .structure(fields), at: { "parameters" })
    }

    /// The path is made only where it is told: one for each element of a list would hold the names above it over and over, as long as the
    /// square of the message.
    private func check(_ value: JSONValue, _ type: TypeReference, at path: () -> String) throws(ValidationFailure) {
        switch type {
        case .bool: try require(value.bool != nil, "bool", value, path)
        case .int: try require(value.int != nil, "int", value, path)
        case .float: try require(value.double != nil, "float", value, path)
        case .string: try require(value.string != nil, "string", value, path)
        case .object: try require(value.object != nil, "object", value, path)
        case .optional(let wrapped): if value != .null { try check(value, wrapped, at: path) }
        case .array(let element): try check(elements: value, element, at: path)
        case .map(let element): try check(map: value, element, at: path)
        case .named(let name): try check(named: value, name, at: path)
        case .structure(let fields): try check(structure: value, fields, at: path)
        case .enumeration(let values): try check(enumeration: value, values, at: path)
        }
    }

    private func require(_ isMet: Bool, _ wanted: String, _ value: JSONValue, _ path: () -> String) throws(ValidationFailure) {
        guard isMet else { throw ValidationFailure(path: path(), reason: .expected(wanted, got: value.kind)) }
    }

    private func check(elements value: JSONValue, _ type: TypeReference, at path: () -> String) throws(ValidationFailure) {
        guard let elements = value.array else { return try require(false, "array", value, path) }
        for (index, element) in elements.enumerated() { try check(element, type, at: { "\(path())[\(index)]" }) }
    }

    private func check(map value: JSONValue, _ type: TypeReference, at path: () -> String) throws(ValidationFailure) {
        guard let members = value.object else { return try require(false, "object", value, path) }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) { try check(member, type, at: { "\(path()).\(name)" }) }
    }

    private func check(named value: JSONValue, _ name: String, at path: () -> String) throws(ValidationFailure) {
        guard let definition = interface.type(name) else { throw ValidationFailure(path: path(), reason: .unknownName) }
        try check(value, definition, at: path)
    }

    private func check(structure value: JSONValue, _ fields: [InterfaceDescription.Field], at path: () -> String) throws(ValidationFailure)
    {
        guard let members = value.object else { return try require(false, "object", value, path) }
        for field in fields {
            func fieldPath() -> String { "\(path()).\(field.name)" }
            if let member = members[field.name], member != .null {
                try check(member, field.type, at: fieldPath)
            } else {
                guard case .optional = field.type else { throw ValidationFailure(path: fieldPath(), reason: .missing) }
            }
        }
        let undeclared = Set(members.keys).subtracting(fields.map(\.name)).min()
        if let undeclared { throw ValidationFailure(path: "\(path()).\(undeclared)", reason: .undeclared) }
    }

    private func check(enumeration value: JSONValue, _ values: [String], at path: () -> String) throws(ValidationFailure) {
        guard let name = value.string else { return try require(false, "string", value, path) }
        guard values.contains(name) else {
            throw ValidationFailure(path: path(), reason: .expected("one of \(values.joined(separator: ", "))", got: "\"\(name)\""))
        }
    }
}
