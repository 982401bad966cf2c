/// A message that breaks the protocol rules. The connection that carried it must be closed.
public enum ProtocolViolation: Error, Equatable, Sendable {
    /// The message is not JSON.
    case malformed(JSONError)
    /// The message is JSON, but not an object.
    case notAnObject
    /// A call has no `method`, or `method` is not a string.
    case missingMethod
    /// A member has the wrong JSON type: `parameters`, a flag or `error`.
    case wrongType(member: String)
    /// The message has a top-level member that Varlink does not define.
    case unknownMember(String)
    /// The call sets more than one of `oneway`, `more` and `upgrade`.
    case conflictingFlags
    /// A reply announces further replies where none are allowed.
    case unexpectedContinues
    /// A reply belongs to no call.
    case unexpectedReply
}

/// A method call as sent over the connection: the method name, its parameters and the reply mode.
public struct Call: Sendable, Equatable {
    /// The number of replies that a call expects.
    public enum Mode: String, Sendable, CaseIterable {
        /// One reply.
        case single
        /// No reply, not even an error.
        case oneway
        /// Any number of replies. Every reply except the last has `continues` set.
        case more
        /// One reply, after which the connection uses another protocol.
        case upgrade
    }

    /// The method name with its interface: `org.varlink.service.GetInfo`.
    public var method: String
    /// The parameters by name.
    public var parameters: [String: JSONValue]
    /// The number of replies that the call expects.
    public var mode: Mode

    /// Creates a call of `method`, which includes the interface name.
    public init(method: String, parameters: [String: JSONValue] = [:], mode: Mode = .single) {
        self.method = method
        self.parameters = parameters
        self.mode = mode
    }

    /// The interface part of ``method``: everything before the last dot, or an empty string without
    /// a dot.
    public var interface: String {
        method.lastIndex(of: ".").map { String(method[..<$0]) } ?? ""
    }

    /// The method name without its interface: everything after the last dot.
    public var member: String {
        method.lastIndex(of: ".").map { String(method[method.index(after: $0)...]) } ?? method
    }
}

extension Call {
    /// Parses a message without its NUL, with the strict rules of a server.
    ///
    /// Members with a dot in their name are vendor extensions. The parser requires them to be
    /// objects and ignores them.
    public init(parsing message: [UInt8]) throws(ProtocolViolation) {
        let members = try MessageMembers(
            parsing: message, known: ["method", "parameters", "oneway", "more", "upgrade"])
        guard let method = members["method"]?.string else { throw .missingMethod }
        let flags: [Mode] = [.oneway, .more, .upgrade]
        var setFlags: [Mode] = []
        for flag in flags where try members.flag(flag.rawValue) { setFlags.append(flag) }
        guard setFlags.count <= 1 else { throw .conflictingFlags }
        self.init(method: method, parameters: try members.parameters(), mode: setFlags.first ?? .single)
    }

    /// Returns the message as bytes, including the final NUL.
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

/// The top-level members of a message, as opposed to its parameters.
struct MessageMembers {
    private let members: [String: JSONValue]

    init(parsing message: [UInt8], known: Set<String>) throws(ProtocolViolation) {
        let value: JSONValue
        do { value = try JSONValue(parsing: message) } catch { throw .malformed(error) }
        guard let members = value.object else { throw .notAnObject }
        self.members = members
        for name in members.keys.sorted() where !known.contains(name) {
            guard name.contains(".") else { throw .unknownMember(name) }
            guard members[name]?.object != nil else { throw .wrongType(member: name) }
        }
    }

    subscript(name: String) -> JSONValue? { members[name] }

    func flag(_ name: String) throws(ProtocolViolation) -> Bool {
        // Some encoders write null for an absent member.
        guard let value = members[name], value != .null else { return false }
        guard let flag = value.bool else { throw .wrongType(member: name) }
        return flag
    }

    /// Returns the parameters. Absent, null and empty parameters are equivalent.
    func parameters() throws(ProtocolViolation) -> [String: JSONValue] {
        guard let value = members["parameters"], value != .null else { return [:] }
        guard let parameters = value.object else { throw .wrongType(member: "parameters") }
        return parameters
    }
}
