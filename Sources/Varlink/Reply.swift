/// A reply as it travels: parameters, or an error and its parameters.
public struct Reply: Sendable, Equatable {
    /// The parameters by name; those of the error when there is one.
    public var parameters: [String: JSONValue]
    /// More replies to the same call follow.
    public var continues: Bool
    /// The error's name with its interface; nil for success.
    public var error: String?

    /// A successful reply.
    public init(parameters: [String: JSONValue] = [:], continues: Bool = false) {
        (self.parameters, self.continues, error) = (parameters, continues, nil)
    }

    /// An error, which ends its call.
    public init(error: VarlinkError) {
        (parameters, continues, self.error) = (error.parameters, false, error.name)
    }

    /// The error that was replied; nil for success.
    public var failure: VarlinkError? {
        error.map { VarlinkError(name: $0, parameters: parameters) }
    }

    /// The parameters as a typed value; members that the type does not know are skipped, as a client should.
    public func decode<R: Decodable>(_ type: R.Type) throws(UnexpectedParameters) -> R {
        do {
            return try JSONValue.object(parameters).decode(type, strict: false)
        } catch {
            throw UnexpectedParameters(path: error.path, reason: error.reason)
        }
    }
}

/// The parameters of a reply do not have the shape that the client asked for.
public struct UnexpectedParameters: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where: `location.latitude`; empty for the parameters as a whole.
    public let path: String
    /// What is wrong there.
    public let reason: String
    /// Path and reason.
    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

extension Reply {
    /// Reads a message without its NUL.
    public init(parsing message: [UInt8]) throws(ProtocolViolation) {
        let members = try MessageMembers(parsing: message, known: ["parameters", "continues", "error"])
        parameters = try members.parameters()
        continues = try members.flag("continues")
        switch members["error"] {
        case nil, .null?: error = nil
        case .string(let name)?: error = name
        default: throw .wrongKind(member: "error")
        }
        guard error == nil || !continues else { throw .unexpectedContinues }
    }

    /// The message with its closing NUL.
    public func encoded() -> [UInt8] {
        if let failure { return ReplyFrame.error(failure) }
        return ReplyFrame.assemble(shared: EncodedObject(parameters), continues: continues)
    }
}
