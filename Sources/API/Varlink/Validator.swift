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
    public fileprivate(set) var path = ""
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

    fileprivate func inside(_ position: String) -> ValidationFailure {
        var outer = self
        outer.path = position + path
        return outer
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
        try check(value, against: definition, inside: type)
    }

    private func check(
        _ parameters: [String: JSONValue], against fields: [InterfaceDescription.Field]?, of name: String
    ) throws(ValidationFailure) {
        guard let fields else { throw ValidationFailure(path: name, reason: .unknownName) }
        try check(.object(parameters), against: .structure(fields), inside: "parameters")
    }

    /// Checks a value inside another one. The path is made only for an error: that of every list
    /// element would repeat the outer names, with a cost that grows with the square of the message
    /// length.
    private func check(
        _ value: JSONValue, against type: TypeReference, inside position: @autoclosure () -> String
    ) throws(ValidationFailure) {
        do throws(ValidationFailure) { try check(value, against: type) } catch { throw error.inside(position()) }
    }

    private func check(_ value: JSONValue, against type: TypeReference) throws(ValidationFailure) {
        switch type {
        case .bool: try require(value.bool != nil, "bool", of: value)
        case .int: try require(value.int != nil, "int", of: value)
        case .float: try require(value.double != nil, "float", of: value)
        case .string: try require(value.string != nil, "string", of: value)
        case .object: try require(value.object != nil, "object", of: value)
        case .optional(let wrapped): if value != .null { try check(value, against: wrapped) }
        case .array(let element): try check(elements: value, against: element)
        case .map(let element): try check(map: value, against: element)
        case .named(let name): try check(value, againstTypeNamed: name)
        case .structure(let fields): try check(structure: value, against: fields)
        case .enumeration(let values): try check(enumeration: value, against: values)
        }
    }

    private func require(_ hasType: Bool, _ expected: String, of value: JSONValue) throws(ValidationFailure) {
        guard hasType else { throw ValidationFailure(reason: .expected(expected, got: value.kind)) }
    }

    private func check(elements value: JSONValue, against type: TypeReference) throws(ValidationFailure) {
        guard let elements = value.array else { return try require(false, "array", of: value) }
        for (index, element) in elements.enumerated() {
            try check(element, against: type, inside: "[\(index)]")
        }
    }

    private func check(map value: JSONValue, against type: TypeReference) throws(ValidationFailure) {
        guard let members = value.object else { return try require(false, "object", of: value) }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            try check(member, against: type, inside: ".\(name)")
        }
    }

    private func check(_ value: JSONValue, againstTypeNamed name: String) throws(ValidationFailure) {
        guard let definition = interface.type(name) else { throw ValidationFailure(reason: .unknownName) }
        try check(value, against: definition)
    }

    private func check(
        structure value: JSONValue, against fields: [InterfaceDescription.Field]
    ) throws(ValidationFailure) {
        guard let members = value.object else { return try require(false, "object", of: value) }
        for field in fields {
            if let member = members[field.name], member != .null {
                try check(member, against: field.type, inside: ".\(field.name)")
            } else {
                guard case .optional = field.type else {
                    throw ValidationFailure(path: ".\(field.name)", reason: .missing)
                }
            }
        }
        let undeclared = Set(members.keys).subtracting(fields.map(\.name)).min()
        if let undeclared { throw ValidationFailure(path: ".\(undeclared)", reason: .undeclared) }
    }

    private func check(enumeration value: JSONValue, against values: [String]) throws(ValidationFailure) {
        guard let name = value.string else { return try require(false, "string", of: value) }
        guard values.contains(name) else {
            throw ValidationFailure(
                reason: .expected("one of \(values.joined(separator: ", "))", got: "\"\(name)\""))
        }
    }
}
