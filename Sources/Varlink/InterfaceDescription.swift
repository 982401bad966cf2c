/// A Varlink interface: what its description says, as values.
public struct InterfaceDescription: Sendable, Equatable {
    /// A type as it stands after a colon.
    public indirect enum TypeReference: Sendable, Equatable {
        /// `bool`
        case bool
        /// `int`, at least 64 bits with sign
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
        /// The field's name.
        public var name: String
        /// Its type.
        public var type: TypeReference
        /// The comment above it, without the marks.
        public var documentation: String

        /// A field.
        public init(name: String, type: TypeReference, documentation: String = "") {
            (self.name, self.type, self.documentation) = (name, type, documentation)
        }
    }

    /// What a member of an interface is.
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
        /// Its name, unique in the interface.
        public var name: String
        /// What it is.
        public var definition: Definition
        /// The comment above it, without the marks.
        public var documentation: String

        /// A member.
        public init(name: String, definition: Definition, documentation: String = "") {
            (self.name, self.definition, self.documentation) = (name, definition, documentation)
        }
    }

    /// The interface's name: `org.varlink.service`.
    public let name: String
    /// The comment above it, without the marks.
    public let documentation: String
    /// Types, methods and errors in the order of the text.
    public let members: [Member]
    /// The text it was read from, which is what a client gets to see.
    public let text: String

    private let positions: [String: Int]

    /// Reads a description. Throws where it does not follow the language.
    public init(parsing text: String) throws(InterfaceSyntaxError) {
        var parser = InterfaceParser(text)
        let interface = try parser.interface()
        (name, documentation, members) = interface
        self.text = text
        positions = Dictionary(members.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// The same without its text and without comments: what checking calls takes, in a fraction of the memory.
    public var bare: InterfaceDescription { InterfaceDescription(baring: self) }

    private init(baring full: InterfaceDescription) {
        (name, documentation, text, positions) = (full.name, "", "", full.positions)
        members = full.members.map { Member(name: $0.name, definition: $0.definition.bare) }
    }

    /// The member of that name; nil when there is none.
    public func member(_ name: String) -> Member? {
        positions[name].map { members[$0] }
    }

    /// The definition of a type: a struct or an enumeration. Nil when there is no such type.
    public func type(_ name: String) -> TypeReference? {
        if case .type(let type)? = member(name)?.definition { type } else { nil }
    }

    /// A method's fields; nil when there is no such method.
    public func method(_ name: String) -> (input: [Field], output: [Field])? {
        if case .method(let input, let output)? = member(name)?.definition { (input, output) } else { nil }
    }

    /// An error's fields; nil when there is no such error.
    public func error(_ name: String) -> [Field]? {
        if case .error(let fields)? = member(name)?.definition { fields } else { nil }
    }

    /// Names of the methods, in the order of the text.
    public var methodNames: [String] { members.map(\.name).filter { method($0) != nil } }
}

extension InterfaceDescription.Definition {
    /// Without comments.
    fileprivate var bare: Self {
        switch self {
        case .type(let type): .type(type.bare)
        case .method(let input, let output): .method(input: input.map(\.bare), output: output.map(\.bare))
        case .error(let fields): .error(fields.map(\.bare))
        }
    }
}

extension InterfaceDescription.Field {
    fileprivate var bare: Self { Self(name: name, type: type.bare) }
}

extension InterfaceDescription.TypeReference {
    fileprivate var bare: Self {
        switch self {
        case .optional(let type): .optional(type.bare)
        case .array(let type): .array(type.bare)
        case .map(let type): .map(type.bare)
        case .structure(let fields): .structure(fields.map(\.bare))
        case .bool, .int, .float, .string, .object, .named, .enumeration: self
        }
    }
}

/// Where and how a description does not follow the language.
public struct InterfaceSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Line, from 1.
    public let line: Int
    /// Byte in the line, from 1.
    public let column: Int
    /// What is wrong, in words.
    public let reason: String
    /// `3:14: reason`
    public var description: String { "\(line):\(column): \(reason)" }
}
