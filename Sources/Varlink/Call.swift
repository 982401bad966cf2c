/// A message breaks the rules of the protocol, so that the connection it came over must be closed.
public enum ProtocolViolation: Error, Equatable, Sendable {
    /// The message is not JSON.
    case malformed(JSONError)
    /// The message is JSON, but not an object.
    case notAnObject
    /// A call without `method`, or with one that is not text.
    case missingMethod
    /// A member that must be of another kind: `parameters`, a flag, `error`.
    case wrongKind(member: String)
    /// A member of the message itself that Varlink does not know.
    case unknownMember(String)
    /// More than one of `oneway`, `more` and `upgrade`.
    case conflictingFlags
    /// A reply that announces more replies, where none may follow.
    case unexpectedContinues
    /// A reply that belongs to no call.
    case unexpectedReply
}

/// A method call as it travels: the method's name, its parameters and how it wants to be answered.
public struct Call: Sendable, Equatable {
    /// How many replies a call wants.
    public enum Mode: String, Sendable, CaseIterable {
        /// One reply.
        case single
        /// None, not even an error.
        case oneway
        /// Any number, the last of which says that it is the last.
        case more
        /// One, after which the connection speaks another protocol.
        case upgrade
    }

    /// The method with its interface: `org.varlink.service.GetInfo`.
    public var method: String
    /// The parameters by name.
    public var parameters: [String: JSONValue]
    /// How many replies are wanted.
    public var mode: Mode

    /// A call of `method`, named with its interface.
    public init(method: String, parameters: [String: JSONValue] = [:], mode: Mode = .single) {
        (self.method, self.parameters, self.mode) = (method, parameters, mode)
    }

    /// A call whose parameters are the members of `parameters`; throws when these do not encode to a JSON object.
    public init(method: String, encoding parameters: some Encodable, mode: Mode = .single) throws(EncodingFailure) {
        guard let members = try JSONValue(encoding: parameters).object else {
            throw EncodingFailure(description: "the parameters of \(method) are not an object")
        }
        self.init(method: method, parameters: members, mode: mode)
    }

    /// The interface part of ``method``: all before the last dot; empty when there is none.
    public var interface: String {
        method.lastIndex(of: ".").map { String(method[..<$0]) } ?? ""
    }

    /// The method's own name: all after the last dot.
    public var member: String {
        method.lastIndex(of: ".").map { String(method[method.index(after: $0)...]) } ?? method
    }

    /// The parameters as a typed value.
    ///
    /// Throws ``ServiceError/invalidParameter(parameter:)`` naming the first parameter that is missing, of the wrong type or never asked for by
    /// `type`; one inside a struct or list is named by its path, as `area.corners[2].latitude`.
    public func decode<P: Decodable>(_ type: P.Type) throws(ServiceError) -> P {
        do {
            return try JSONValue.object(parameters).decode(type, strict: true)
        } catch {
            throw .invalidParameter(parameter: error.path)
        }
    }
}

extension Call {
    /// Reads a message, without its NUL, as the server must: strictly.
    ///
    /// Members named with a dot are a vendor's own and are skipped; they must be objects.
    public init(parsing message: [UInt8]) throws(ProtocolViolation) {
        let members = try MessageMembers(parsing: message, known: ["method", "parameters", "oneway", "more", "upgrade"])
        guard let method = members["method"]?.string else { throw .missingMethod }
        let flags: [Mode] = [.oneway, .more, .upgrade]
        var raised: [Mode] = []
        for flag in flags where try members.flag(flag.rawValue) { raised.append(flag) }
        guard raised.count <= 1 else { throw .conflictingFlags }
        self.init(method: method, parameters: try members.parameters(), mode: raised.first ?? .single)
    }

    /// The message with its closing NUL.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.put(text: "{\"method\":")
        writer.put(string: method)
        if !parameters.isEmpty {
            writer.put(text: ",\"parameters\":")
            writer.put(.object(parameters))
        }
        switch mode {
        case .single: break
        case .oneway: writer.put(text: ",\"oneway\":true")
        case .more: writer.put(text: ",\"more\":true")
        case .upgrade: writer.put(text: ",\"upgrade\":true")
        }
        writer.put(text: "}\0")
        return writer.bytes
    }
}

/// The members of a message: of its header, not of its parameters.
struct MessageMembers {
    private let members: [String: JSONValue]

    init(parsing message: [UInt8], known: Set<String>) throws(ProtocolViolation) {
        let value: JSONValue
        do { value = try JSONValue(parsing: message) } catch { throw .malformed(error) }
        guard let members = value.object else { throw .notAnObject }
        self.members = members
        for name in members.keys.sorted() where !known.contains(name) {
            guard name.contains(".") else { throw .unknownMember(name) }
            guard members[name]?.object != nil else { throw .wrongKind(member: name) }
        }
    }

    subscript(name: String) -> JSONValue? { members[name] }

    func flag(_ name: String) throws(ProtocolViolation) -> Bool {
        guard let value = members[name] else { return false }
        guard let flag = value.bool else { throw .wrongKind(member: name) }
        return flag
    }

    /// Absent, null and empty mean the same.
    func parameters() throws(ProtocolViolation) -> [String: JSONValue] {
        guard let value = members["parameters"], value != .null else { return [:] }
        guard let parameters = value.object else { throw .wrongKind(member: "parameters") }
        return parameters
    }
}
