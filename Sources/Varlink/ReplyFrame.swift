/// A JSON object in its final bytes, encoded once and put into many replies.
///
/// Copies share the bytes.
public struct EncodedObject: Sendable, Equatable {
    /// The object's text in UTF-8, with its braces.
    public let bytes: [UInt8]

    /// `{}`
    public static let empty = EncodedObject([:])

    /// Encodes any value; members come sorted by name. Throws when it does not encode to a JSON object, or holds a number that is not finite.
    public init(encoding value: some Encodable) throws(EncodingFailure) {
        bytes = try JSONWriter.encode(value)
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else {
            throw EncodingFailure(description: "\(type(of: value)) does not encode to an object")
        }
    }

    /// Bytes that are known to be an object.
    init(object bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The object with these members.
    public init(_ members: [String: JSONValue]) {
        bytes = JSONValue.object(members).bytes
    }

    /// The members' text, without the braces.
    var interior: ArraySlice<UInt8> { bytes[1..<(bytes.count - 1)] }
}

/// Makes the bytes of replies by joining what is already encoded: no encoder runs.
public enum ReplyFrame {
    /// A successful reply with its NUL: `{"parameters":{"sequence":1,"dropped":0,<shared>},"continues":true}`.
    ///
    /// - Parameters:
    ///   - leading: whole numbers to put before the shared members. Their names must be Varlink field names, which need no escapes, and must
    ///     not occur in `shared`.
    ///   - shared: the other members.
    ///   - continues: more replies to the same call follow.
    public static func assemble(leading: [(name: String, value: Int)] = [], shared: EncodedObject, continues: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        append(leading: leading, shared: shared, continues: continues, to: &bytes)
        return bytes
    }

    /// An error reply with its NUL.
    public static func error(_ error: VarlinkError) -> [UInt8] {
        var writer = JSONWriter()
        writer.put(text: "{\"error\":")
        writer.put(string: error.name)
        if !error.parameters.isEmpty {
            writer.put(text: ",\"parameters\":")
            writer.put(.object(error.parameters))
        }
        writer.put(text: "}\0")
        return writer.bytes
    }

    /// As ``assemble(leading:shared:continues:)``, at the end of `bytes`, which grows once at most.
    static func append(leading: [(name: String, value: Int)], shared: EncodedObject, continues: Bool, to bytes: inout [UInt8]) {
        let greatestNumber = 20
        let envelope = 64
        let numbers = leading.reduce(0) { $0 + $1.name.utf8.count + greatestNumber + 4 }
        bytes.reserve(additional: shared.bytes.count + numbers + envelope)

        bytes.append(literal: "{\"parameters\":{")
        var separator: StaticString = ""
        for (name, value) in leading {
            bytes.append(literal: separator)
            bytes.append(literal: "\"")
            bytes.append(contentsOf: name.utf8)
            bytes.append(literal: "\":")
            bytes.append(contentsOf: String(value).utf8)
            separator = ","
        }
        if !shared.interior.isEmpty {
            bytes.append(literal: separator)
            bytes.append(contentsOf: shared.interior)
        }
        bytes.append(literal: continues ? "},\"continues\":true}\0" : "}}\0")
    }
}

extension ReplyFrame {
    /// As ``append(leading:shared:continues:to:)`` with a stream's two counts: what is sent for every update to every subscriber, and
    /// nothing is allocated for it.
    static func append(sequence: Int, dropped: Int, shared: EncodedObject, to bytes: inout [UInt8]) {
        bytes.reserve(additional: shared.bytes.count + 128)
        bytes.append(literal: "{\"parameters\":{\"sequence\":")
        bytes.append(decimal: sequence.magnitude)
        bytes.append(literal: ",\"dropped\":")
        bytes.append(decimal: dropped.magnitude)
        if shared.bytes.count > 2 {
            bytes.append(literal: ",")
            bytes.append(contentsOf: shared.interior)
        }
        bytes.append(literal: "},\"continues\":true}\0")
    }
}

extension [UInt8] {
    fileprivate mutating func append(decimal number: UInt) {
        if number >= 10 { append(decimal: number / 10) }
        append(48 + UInt8(truncatingIfNeeded: number % 10))
    }

    fileprivate mutating func append(literal: StaticString) {
        literal.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Makes room for more without giving up growth by doubling.
    fileprivate mutating func reserve(additional: Int) {
        let needed = count + additional
        if needed > capacity { reserveCapacity(count == 0 ? needed : Swift.max(needed, capacity * 2)) }
    }
}
