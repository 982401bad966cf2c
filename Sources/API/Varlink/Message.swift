/// A value that is a JSON object: the parameters of a call, a reply or an error, or a struct in
/// them.
///
/// Unlike `Codable` it needs no keys and no containers: it reads and writes its members one by one.
public protocol Message: Sendable {
    /// Reads the value from its members. It does not count if ``MemberReader/failure`` is set then.
    init(_ members: inout MemberReader)

    /// Writes the members, in the order of the interface.
    func write(to object: inout ObjectWriter)
}

extension Message {
    /// Reads the value from all members of an object.
    ///
    /// - Parameter strict: Whether members that the type does not read are an error.
    public init(_ members: [String: JSONValue], strict: Bool = false) throws(MemberError) {
        var reader = MemberReader(members, strict: strict)
        self.init(&reader)
        try reader.end()
    }

    /// The members by name.
    public var members: [String: JSONValue] { parsed(written) }

    /// Returns the members by name.
    ///
    /// - Throws: ``EncodingFailure`` if a number is not finite: without it the message would have
    ///   another meaning.
    func finiteMembers() throws(EncodingFailure) -> [String: JSONValue] {
        let writer = written
        guard !writer.hasOmittedNumber else {
            throw EncodingFailure(description: "\(Self.self) has a number that is not finite")
        }
        return parsed(writer)
    }

    private var written: ObjectWriter {
        var writer = ObjectWriter(capacity: 512)
        write(to: &writer)
        writer.finish()
        return writer
    }

    private func parsed(_ writer: ObjectWriter) -> [String: JSONValue] {
        (try? JSONValue(parsing: writer.bytes, depthLimit: 2 * JSONValue.defaultDepthLimit))?.object ?? [:]
    }
}

// A message that conforms to `Hashable` is hashed as it is written.

extension Message where Self: Hashable {
    /// Adds the members to a hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(EncodedObject(inOrder: self).bytes) }
}

// A message that conforms to `Encodable` or `Decodable` is coded by its members, without keys.

extension Message where Self: Encodable {
    /// Encodes the members.
    public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

extension Message where Self: Decodable {
    /// Reads the value from its members.
    public init(from decoder: any Decoder) throws {
        guard let members = try JSONValue(from: decoder).object else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "expected object"))
        }
        do throws(MemberError) { try self.init(members) } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(error.path): \(error.reason)"))
        }
    }
}

extension EncodedObject {
    /// Encodes a message with its members sorted by name.
    public init(_ message: some Message) { self.init(message.members) }

    /// Encodes a frequent message: with its members in the order of the interface.
    public init(inOrder message: some Message, capacity: Int = 512) {
        self.init(capacity: capacity) { message.write(to: &$0) }
    }
}

/// A member is missing, undeclared or of another type.
public struct MemberError: Error, Equatable, Sendable {
    /// The position in the value: `location.latitude`, `receivers[2].name`. Empty for the value
    /// itself.
    public private(set) var path: String
    /// What is wrong.
    public let reason: String

    /// Creates an error of the member at a path.
    public init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    /// The error as one of the object that has the value as a member.
    func inside(_ name: StaticString) -> MemberError { inside("\(name)") }

    /// The error as one of the array that has the value as an element.
    func inside(index: Int) -> MemberError { inside("[\(index)]") }

    private func inside(_ position: String) -> MemberError {
        var outer = self
        outer.path = position + (path.isEmpty || path.hasPrefix("[") ? "" : ".") + path
        return outer
    }
}
