/// An error reply: a name that an interface declares, and its parameters.
public struct VarlinkError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error with its interface: `org.varlink.service.MethodNotFound`.
    public var name: String
    /// The error's parameters by name.
    public var parameters: [String: JSONValue]

    /// An error of that name.
    public init(name: String, parameters: [String: JSONValue] = [:]) {
        (self.name, self.parameters) = (name, parameters)
    }

    /// An error whose parameters are the members of `parameters`; throws when these do not encode to a JSON object.
    public init(name: String, encoding parameters: some Encodable) throws(EncodingFailure) {
        guard let members = try JSONValue(encoding: parameters).object else {
            throw EncodingFailure(description: "the parameters of \(name) are not an object")
        }
        self.init(name: name, parameters: members)
    }

    /// The error's parameters as a typed value; unknown members are skipped.
    public func decode<P: Decodable>(_ type: P.Type) throws(UnexpectedParameters) -> P {
        try Reply(error: self).decode(type)
    }

    /// The name, and the parameters when there are any: `io.example.NotFound {"name":"x"}`.
    public var description: String {
        parameters.isEmpty ? name : "\(name) \(String(decoding: JSONValue.object(parameters).bytes, as: UTF8.self))"
    }
}

/// The errors that every Varlink service shares, declared by `org.varlink.service`.
public enum ServiceError: Error, Equatable, Sendable {
    /// The service has no such interface.
    case interfaceNotFound(interface: String)
    /// The interface has no such method; `method` is named with its interface.
    case methodNotFound(method: String)
    /// The interface declares the method, the service does not offer it.
    case methodNotImplemented(method: String)
    /// A parameter is missing, of the wrong type, not declared, or of a value that makes no sense.
    case invalidParameter(parameter: String)
    /// The caller may not do this.
    case permissionDenied
    /// The method only makes sense when it is called with `more`.
    case expectedMore

    /// The error as it travels.
    public var reply: VarlinkError {
        switch self {
        case .interfaceNotFound(let interface): Self.make("InterfaceNotFound", ["interface": .string(interface)])
        case .methodNotFound(let method): Self.make("MethodNotFound", ["method": .string(method)])
        case .methodNotImplemented(let method): Self.make("MethodNotImplemented", ["method": .string(method)])
        case .invalidParameter(let parameter): Self.make("InvalidParameter", ["parameter": .string(parameter)])
        case .permissionDenied: Self.make("PermissionDenied", [:])
        case .expectedMore: Self.make("ExpectedMore", [:])
        }
    }

    /// Recognises a standard error among those received; nil for any other. A parameter that is missing reads as empty text.
    public init?(_ error: VarlinkError) {
        func text(_ name: String) -> String { error.parameters[name]?.string ?? "" }
        guard error.name.hasPrefix(Self.prefix) else { return nil }
        switch error.name.dropFirst(Self.prefix.count) {
        case "InterfaceNotFound": self = .interfaceNotFound(interface: text("interface"))
        case "MethodNotFound": self = .methodNotFound(method: text("method"))
        case "MethodNotImplemented": self = .methodNotImplemented(method: text("method"))
        case "InvalidParameter": self = .invalidParameter(parameter: text("parameter"))
        case "PermissionDenied": self = .permissionDenied
        case "ExpectedMore": self = .expectedMore
        default: return nil
        }
    }

    private static let prefix = "org.varlink.service."

    private static func make(_ name: String, _ parameters: [String: JSONValue]) -> VarlinkError {
        VarlinkError(name: prefix + name, parameters: parameters)
    }
}
