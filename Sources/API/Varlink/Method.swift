/// A method of an interface with the types of its parameters and its reply.
///
/// Declare each method once, and use it in the service and in its clients:
///
///     let getTime = Method<NoParameters, Time>("org.example.clock.GetTime")
///     let time = try client.call(getTime)
public struct Method<Parameters: Codable & Sendable, Reply: Codable & Sendable>: Sendable {
    /// The method name with its interface: `org.example.clock.GetTime`.
    public let name: String

    /// Reads a frequent reply without the general decoder; nil if there is no such reader.
    ///
    /// It returns nil for a reply in another form, which the general decoder then reads.
    public let read: (@Sendable (inout ObjectReader) -> Reply?)?

    /// Returns the parameters of a reply of a stream if ``read`` reads them.
    ///
    /// - Parameter message: The reply without its NUL.
    package func directOutput(of message: [UInt8]) -> Reply? {
        guard let read else { return nil }
        var output: Reply?
        let isRead = ObjectReader.readParameters(of: message) { reader in
            output = read(&reader)
            return output != nil
        }
        return isRead ? output : nil
    }

    /// Creates a method from its name, which includes the interface.
    public init(_ name: String, reading read: (@Sendable (inout ObjectReader) -> Reply?)? = nil) {
        self.name = name
        self.read = read
    }
}

/// The parameters of a call or of a reply that has none: `{}`.
public struct NoParameters: Codable, Sendable, Equatable {
    /// Creates `{}`.
    public init() {}
}

extension Call {
    /// Returns the parameters of a call of `method`.
    ///
    /// - Throws: ``ServiceError/invalidParameter(parameter:)``, as ``decode(_:)``.
    public func parameters<Parameters, Reply>(
        of method: Method<Parameters, Reply>
    ) throws(ServiceError) -> Parameters {
        try decode(Parameters.self)
    }
}

extension Reply {
    /// Returns the parameters of a reply to `method`. Unknown members are ignored.
    public func parameters<Parameters, Output>(
        of method: Method<Parameters, Output>
    ) throws(UnexpectedParameters) -> Output {
        try decode(Output.self)
    }
}

extension ServerConnection {
    /// Answers the active call, which is a call of `method`.
    ///
    /// - Throws: ``EncodingFailure`` when the reply is not a JSON object. The call then remains
    ///   unanswered.
    public mutating func reply<Parameters, Reply>(
        to method: Method<Parameters, Reply>, _ reply: Reply, continues: Bool = false
    ) throws(EncodingFailure) {
        try self.reply(encoding: reply, continues: continues)
    }
}
