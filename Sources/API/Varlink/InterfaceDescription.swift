/// A parsed Varlink interface description.
public struct InterfaceDescription: Sendable, Equatable {
    /// A type expression, as written after a colon.
    public indirect enum TypeReference: Sendable, Equatable {
        /// `bool`
        case bool
        /// `int`, a signed integer of at least 64 bits
        case int
        /// `float`, a 64-bit floating-point number
        case float
        /// `string`
        case string
        /// `object`, any JSON object
        case object
        /// `?T`, which may be null or absent
        case optional(TypeReference)
        /// `[]T`
        case array(TypeReference)
        /// `[string]T`
        case map(TypeReference)
        /// A type of the same interface.
        case named(String)
        /// `(name: type, ...)`
        case structure([Field])
        /// `(name, ...)`
        case enumeration([String])
    }

    /// A named member of a struct, of a method's input or output, or of an error.
    public struct Field: Sendable, Equatable {
        /// The field name.
        public var name: String
        /// The type of the field.
        public var type: TypeReference
        /// The comment above the field, without the `#` marks.
        public var documentation = ""
    }

    /// The kind and content of an interface member.
    public enum Definition: Sendable, Equatable {
        /// `type Name (...)`: always a struct or an enumeration.
        case type(TypeReference)
        /// `method Name(...) -> (...)`
        case method(input: [Field], output: [Field])
        /// `error Name (...)`
        case error([Field])
    }

    /// A type, method or error.
    public struct Member: Sendable, Equatable {
        /// The name, unique within the interface.
        public var name: String
        /// The kind and content of the member.
        public var definition: Definition
        /// The comment above the member, without the `#` marks.
        public var documentation = ""
    }

    /// The interface name: `org.varlink.service`.
    public let name: String
    /// The comment above the `interface` keyword, without the `#` marks; empty if it is not kept.
    public let documentation: String
    /// The types, methods and errors in source order.
    public let members: [Member]
    /// The source text, which clients receive from `GetInterfaceDescription`; empty if it is not
    /// kept.
    public let text: String

    private let positions: [String: Int]

    /// Parses a description. Throws at the first syntax error.
    ///
    /// - Parameter documented: Whether source text and comments are kept. Checking calls needs
    ///   neither, and without them a description uses a fraction of the memory.
    public init(parsing text: String, documented: Bool = true) throws(InterfaceSyntaxError) {
        var parser = InterfaceParser(text, documented: documented)
        let interface = try parser.interface()
        name = interface.name
        documentation = interface.documentation
        members = interface.members
        self.text = documented ? text : ""
        positions = Dictionary(members.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// Returns the member with that name, or nil when there is none.
    public func member(_ name: String) -> Member? {
        positions[name].map { members[$0] }
    }

    /// Returns the definition of a type, which is a struct or an enumeration, or nil when there is
    /// none.
    public func type(_ name: String) -> TypeReference? {
        if case .type(let type)? = member(name)?.definition { type } else { nil }
    }

    /// Returns the fields of a method, or nil when there is no such method.
    public func method(_ name: String) -> (input: [Field], output: [Field])? {
        if case .method(let input, let output)? = member(name)?.definition { (input, output) } else { nil }
    }

    /// Returns the fields of an error, or nil when there is no such error.
    public func error(_ name: String) -> [Field]? {
        if case .error(let fields)? = member(name)?.definition { fields } else { nil }
    }

    /// The method names in source order.
    public var methodNames: [String] { members.map(\.name).filter { method($0) != nil } }
}

/// The position and the reason of a syntax error in an interface description.
public struct InterfaceSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line, counted from 1.
    public let line: Int
    /// The byte within the line, counted from 1.
    public let column: Int
    /// The error message.
    public let reason: String
    /// The position and the reason: `3:14: reason`.
    public var description: String { "\(line):\(column): \(reason)" }
}
