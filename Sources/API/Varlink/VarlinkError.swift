/// An error reply: the name of a declared error and its parameters.
public struct VarlinkError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error name with its interface: `org.varlink.service.MethodNotFound`.
    public var name: String
    /// The parameters of the error by name.
    public var parameters: [String: JSONValue]

    /// Creates an error.
    public init(name: String, parameters: [String: JSONValue] = [:]) {
        (self.name, self.parameters) = (name, parameters)
    }

    /// Creates an error whose parameters `write` writes.
    public init(name: String, writing write: (inout ObjectWriter) -> Void) {
        let bytes = EncodedObject(writing: write).bytes
        self.init(name: name, parameters: (try? JSONValue(parsing: bytes))?.object ?? [:])
    }

    /// The name, followed by the parameters if there are any: `io.example.NotFound {"name":"x"}`.
    public var description: String {
        parameters.isEmpty ? name : "\(name) \(String(decoding: JSONValue.object(parameters).bytes, as: UTF8.self))"
    }
}

/// The standard errors of every Varlink service, declared by `org.varlink.service`.
public enum ServiceError: Error, Equatable, Sendable {
    /// The service does not have this interface.
    case interfaceNotFound(interface: String)
    /// The interface does not have this method; `method` includes the interface name.
    case methodNotFound(method: String)
    /// The interface declares the method, but the service does not implement it.
    case methodNotImplemented(method: String)
    /// A parameter is missing, has the wrong type, is not declared or has an invalid value.
    case invalidParameter(parameter: String)
    /// The caller does not have permission.
    case permissionDenied
    /// The method requires a call with `more`.
    case expectedMore

    /// The error in the form of a reply.
    public var reply: VarlinkError {
        switch self {
        case .interfaceNotFound(let interface):
            Self.make("InterfaceNotFound", parameters: ["interface": .string(interface)])
        case .methodNotFound(let method): Self.make("MethodNotFound", parameters: ["method": .string(method)])
        case .methodNotImplemented(let method):
            Self.make("MethodNotImplemented", parameters: ["method": .string(method)])
        case .invalidParameter(let parameter):
            Self.make("InvalidParameter", parameters: ["parameter": .string(parameter)])
        case .permissionDenied: Self.make("PermissionDenied", parameters: [:])
        case .expectedMore: Self.make("ExpectedMore", parameters: [:])
        }
    }

    /// Creates a standard error from a received one, or nil for any other error. A missing
    /// parameter becomes an empty string.
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

    private static func make(_ name: String, parameters: [String: JSONValue]) -> VarlinkError {
        VarlinkError(name: prefix + name, parameters: parameters)
    }
}
