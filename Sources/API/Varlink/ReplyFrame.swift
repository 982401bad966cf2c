/// A JSON object as bytes, encoded once for use in many replies.
///
/// Copies share the bytes.
public struct EncodedObject: Sendable, Equatable {
    /// The object in UTF-8, including its braces.
    public let bytes: [UInt8]

    /// `{}`
    public static let empty = EncodedObject([:])

    /// Creates an object from bytes that are known to be a JSON object.
    init(object bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Creates an object with these members.
    public init(_ members: [String: JSONValue]) {
        bytes = JSONValue.object(members).bytes
    }

    /// The bytes of the members, without the braces.
    var memberBytes: ArraySlice<UInt8> { bytes[1..<(bytes.count - 1)] }
}

/// Assembles replies from encoded parts without running an encoder.
public enum ReplyFrame {
    /// Returns a successful reply with its NUL:
    /// `{"parameters":{"sequence":1,"dropped":0,<shared>},"continues":true}`.
    ///
    /// - Parameters:
    ///   - leading: Whole numbers to insert before the shared members. Their names must be Varlink
    ///     field names, which need no escapes, and must not occur in `shared`.
    ///   - shared: The other members.
    ///   - continues: Whether more replies to the same call follow.
    public static func assemble(leading: [(name: String, value: Int)] = [], shared: EncodedObject, continues: Bool)
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        append(leading: leading, shared: shared, continues: continues, to: &bytes)
        return bytes
    }

    /// Returns an error reply with its NUL.
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

    /// Appends the reply of ``assemble(leading:shared:continues:)`` to `bytes`, with at most one
    /// reallocation.
    static func append(
        leading: [(name: String, value: Int)], shared: EncodedObject, continues: Bool, to bytes: inout [UInt8]
    ) {
        let maxNumber = 20
        let envelope = 64
        let numbers = leading.reduce(0) { $0 + $1.name.utf8.count + maxNumber + 4 }
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
        if !shared.memberBytes.isEmpty {
            bytes.append(literal: separator)
            bytes.append(contentsOf: shared.memberBytes)
        }
        bytes.append(literal: continues ? "},\"continues\":true}\0" : "}}\0")
    }
}

extension ReplyFrame {
    /// Appends a reply with the two counters of a stream, without allocating beyond the growth of
    /// `bytes`. It runs for every update and every subscriber.
    static func append(sequence: Int, dropped: Int, shared: EncodedObject, to bytes: inout [UInt8]) {
        bytes.reserve(additional: shared.bytes.count + 128)
        bytes.append(literal: "{\"parameters\":{\"sequence\":")
        bytes.append(decimal: sequence.magnitude)
        bytes.append(literal: ",\"dropped\":")
        bytes.append(decimal: dropped.magnitude)
        if shared.bytes.count > 2 {
            bytes.append(literal: ",")
            bytes.append(contentsOf: shared.memberBytes)
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

    /// Reserves space for `additional` elements and keeps geometric growth.
    fileprivate mutating func reserve(additional: Int) {
        let needed = count + additional
        if needed > capacity { reserveCapacity(count == 0 ? needed : Swift.max(needed, capacity * 2)) }
    }
}
