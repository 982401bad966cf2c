/// A method of an interface with the types of its parameters and its reply.
///
/// Declare each method once, and use it in the service and in its clients:
///
///     let getTime = Method<NoParameters, Time>(named: "org.example.clock.GetTime")
///     let time = try client.call(getTime)
public struct Method<Parameters: Message, Reply: Message>: Sendable {
    /// The method name with its interface: `org.example.clock.GetTime`.
    public let name: String

    /// Reads a frequent reply without parsing it; nil if there is no such reader.
    ///
    /// It returns nil for a reply in another form, which is then parsed.
    public let read: (@Sendable (inout ObjectReader) -> Reply?)?

    /// Creates a method.
    ///
    /// - Parameters:
    ///   - name: The name, which includes the interface.
    ///   - isFrequent: Whether replies of streams are sent by
    ///     ``EncodedObject/init(inOrder:capacity:)``.
    public init(named name: String, isFrequent: Bool = false) {
        let direct: @Sendable (inout ObjectReader) -> Reply? = { MemberReader.read(&$0) }
        self.init(named: name, reading: isFrequent ? direct : nil)
    }

    /// Creates a method with a reader of frequent replies.
    public init(named name: String, reading read: (@Sendable (inout ObjectReader) -> Reply?)?) {
        self.name = name
        self.read = read
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

    /// Returns a call with these parameters.
    ///
    /// - Throws: ``EncodingFailure`` for a number that is not finite.
    public func call(with parameters: Parameters, mode: Call.Mode = .single) throws(EncodingFailure) -> Call {
        Call(method: name, parameters: try parameters.finiteMembers(), mode: mode)
    }

    /// Returns the encoded parameters of a reply, with their members sorted by name.
    ///
    /// - Throws: ``EncodingFailure`` for a number that is not finite.
    public func encoded(_ reply: Reply) throws(EncodingFailure) -> EncodedObject {
        EncodedObject(try reply.finiteMembers())
    }
}

/// The parameters of a call or of a reply in any form.
public struct AnyMessage: Message, Equatable {
    /// The members by name.
    public let members: [String: JSONValue]

    /// Creates a message of these members.
    public init(members: [String: JSONValue] = [:]) { self.members = members }

    /// Reads all members.
    public init(_ members: inout MemberReader) { self.members = members.remainder() }

    /// Writes the members, sorted by name.
    public func write(to object: inout ObjectWriter) { object.append(members) }
}

/// The parameters of a call or of a reply that has none: `{}`.
public struct NoParameters: Message, Equatable {
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
    /// - Throws: ``ServiceError/invalidParameter(parameter:)`` with the first parameter that is
    ///   missing, has the wrong type or is not read. One inside a struct or list is named by its
    ///   path: `area.corners[2].latitude`.
    public func parameters<Parameters, Reply>(
        of method: Method<Parameters, Reply>
    ) throws(ServiceError) -> Parameters {
        do throws(MemberError) { return try Parameters(parameters, strict: true) } catch {
            throw .invalidParameter(parameter: error.path)
        }
    }
}

extension Reply {
    /// Returns the parameters of a reply to `method`. Unknown members are ignored.
    public func parameters<Parameters, Output>(
        of method: Method<Parameters, Output>
    ) throws(UnexpectedParameters) -> Output {
        do throws(MemberError) { return try Output(parameters) } catch {
            throw UnexpectedParameters(path: error.path, reason: error.reason)
        }
    }
}

extension ServerConnection {
    /// Answers the active call, which is a call of `method`.
    ///
    /// - Throws: ``EncodingFailure`` for a number that is not finite. The call then remains
    ///   unanswered.
    public mutating func reply<Parameters, Reply>(
        to method: Method<Parameters, Reply>, _ reply: Reply, continues: Bool = false
    ) throws(EncodingFailure) {
        self.reply(try method.encoded(reply), continues: continues)
    }
}
