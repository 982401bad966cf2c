/// A method of an interface with the types of its parameters and its reply.
///
/// Declare each method once, and use it in the service and in its clients:
///
///     let getTime = Method<NoParameters, Time>("org.example.clock.GetTime")
///     let time = try client.call(getTime)
public struct Method<Parameters: Sendable, Reply: Sendable>: Sendable {
    /// The method name with its interface: `org.example.clock.GetTime`.
    public let name: String

    /// Reads a frequent reply without the general decoder; nil if there is no such reader.
    ///
    /// It returns nil for a reply in another form, which the general decoder then reads.
    public let read: (@Sendable (inout ObjectReader) -> Reply?)?

    private let parameters: MessageForm<Parameters>
    private let reply: MessageForm<Reply>

    /// Creates a method from its name, which includes the interface.
    public init(_ name: String, reading read: (@Sendable (inout ObjectReader) -> Reply?)? = nil)
    where Parameters: Codable, Reply: Codable {
        self.name = name
        self.read = read
        parameters = MessageForm()
        reply = MessageForm()
    }

    /// Creates a method of messages.
    ///
    /// - Parameters:
    ///   - name: The name, which includes the interface.
    ///   - isFrequent: Whether replies of streams are sent by
    ///     ``EncodedObject/init(inOrder:capacity:)``.
    public init(named name: String, isFrequent: Bool = false) where Parameters: Message, Reply: Message {
        self.name = name
        let direct: @Sendable (inout ObjectReader) -> Reply? = { MemberReader.read(&$0) }
        read = isFrequent ? direct : nil
        parameters = MessageForm(of: Parameters.self)
        reply = MessageForm(of: Reply.self)
    }

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

    fileprivate func parameters(of call: Call) throws(MemberError) -> Parameters {
        try parameters.read(call.parameters, true)
    }

    fileprivate func output(of reply: Varlink.Reply) throws(MemberError) -> Reply {
        try self.reply.read(reply.parameters, false)
    }

    /// Returns a call with these parameters.
    ///
    /// - Throws: ``EncodingFailure`` when the parameters do not encode to a JSON object.
    public func call(with parameters: Parameters, mode: Call.Mode = .single) throws(EncodingFailure) -> Call {
        Call(method: name, parameters: try self.parameters.members(parameters), mode: mode)
    }

    /// Returns the encoded parameters of a reply, with their members sorted by name.
    ///
    /// - Throws: ``EncodingFailure`` when the reply does not encode to a JSON object.
    public func encoded(_ reply: Reply) throws(EncodingFailure) -> EncodedObject {
        EncodedObject(try self.reply.members(reply))
    }
}

/// How values of a type are read from members and written as members.
private struct MessageForm<Value: Sendable>: Sendable {
    let read: @Sendable (_ members: [String: JSONValue], _ isStrict: Bool) throws(MemberError) -> Value
    let members: @Sendable (Value) throws(EncodingFailure) -> [String: JSONValue]

    /// The form of a message.
    init(of type: Value.Type) where Value: Message {
        read = { members, isStrict throws(MemberError) in try Value(members, strict: isStrict) }
        members = { value throws(EncodingFailure) in try value.finiteMembers() }
    }

    /// The form that the general encoder and decoder give.
    init() where Value: Codable {
        read = { members, isStrict throws(MemberError) in
            try JSONValue.object(members).decode(Value.self, strict: isStrict)
        }
        members = { value throws(EncodingFailure) in
            guard let members = try JSONValue(encoding: value).object else {
                throw EncodingFailure(description: "\(Value.self) does not encode to a JSON object")
            }
            return members
        }
    }
}

/// The parameters of a call or of a reply that has none: `{}`.
public struct NoParameters: Codable, Message, Equatable {
    /// Creates `{}`.
    public init() {}

    /// Reads `{}`.
    public init(_ members: inout MemberReader) {}

    /// Writes nothing.
    public func write(to object: inout ObjectWriter) {}
}

extension Call {
    /// Returns the parameters of a call of `method`.
    ///
    /// - Throws: ``ServiceError/invalidParameter(parameter:)``, as ``decode(_:)``.
    public func parameters<Parameters, Reply>(
        of method: Method<Parameters, Reply>
    ) throws(ServiceError) -> Parameters {
        do throws(MemberError) { return try method.parameters(of: self) } catch {
            throw .invalidParameter(parameter: error.path)
        }
    }
}

extension Reply {
    /// Returns the parameters of a reply to `method`. Unknown members are ignored.
    public func parameters<Parameters, Output>(
        of method: Method<Parameters, Output>
    ) throws(UnexpectedParameters) -> Output {
        do throws(MemberError) { return try method.output(of: self) } catch {
            throw UnexpectedParameters(path: error.path, reason: error.reason)
        }
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
        self.reply(try method.encoded(reply), continues: continues)
    }
}
