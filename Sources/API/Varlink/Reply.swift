/// A reply as sent over the connection: parameters, or an error with its parameters.
public struct Reply: Sendable, Equatable {
    /// The parameters of the reply or of its error, by name.
    public var parameters: [String: JSONValue]
    /// Whether more replies to the same call follow.
    public var continues: Bool
    /// The error name with its interface, or nil for success.
    public var error: String?

    /// Creates a successful reply.
    public init(parameters: [String: JSONValue] = [:], continues: Bool = false) {
        self.parameters = parameters
        self.continues = continues
        error = nil
    }

    /// Creates an error reply, which ends its call.
    public init(error: VarlinkError) {
        parameters = error.parameters
        continues = false
        self.error = error.name
    }

    /// The error, or nil for success.
    public var failure: VarlinkError? {
        error.map { VarlinkError(name: $0, parameters: parameters) }
    }
}

/// The parameters of a reply do not match the type that the client requested.
public struct UnexpectedParameters: Error, Equatable, Sendable, CustomStringConvertible {
    /// The position of the mismatch, such as `location.latitude`. Empty for the parameters as a
    /// whole.
    public let path: String
    /// The kind of mismatch.
    public let reason: String
    /// The path and the reason.
    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

extension Reply {
    /// Parses a message without its NUL.
    public init(parsing message: [UInt8]) throws(ProtocolViolation) {
        let members = try MessageMembers(parsing: message, known: ["parameters", "continues", "error"])
        parameters = try members.parameters()
        continues = try members.flag("continues")
        switch members["error"] {
        case nil, .null?: error = nil
        case .string(let name)?: error = name
        default: throw .wrongType(member: "error")
        }
        guard error == nil || !continues else { throw .unexpectedContinues }
    }

    /// Returns the message as bytes, including the final NUL.
    public func encoded() -> [UInt8] {
        if let failure { return ReplyFrame.error(failure) }
        return ReplyFrame.assemble(shared: EncodedObject(parameters), continues: continues)
    }
}
