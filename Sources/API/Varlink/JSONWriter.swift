/// A value cannot be encoded as JSON.
public struct EncodingFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason, for users.
    public let description: String
}

extension JSONValue {
    /// The value as compact JSON in UTF-8, with members sorted by name. NaN and infinity become
    /// `null`.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.put(self)
        return writer.bytes
    }

    /// Creates the JSON form of `value`.
    ///
    /// - Throws: ``EncodingFailure`` when `value` contains NaN or infinity, or when its own
    ///   encoding throws.
    public init(encoding value: some Encodable) throws(EncodingFailure) {
        do {
            self = try ValueEncoder.encode(value)
        } catch let failure as EncodingFailure {
            throw failure
        } catch {
            throw EncodingFailure(description: "\(error)")
        }
    }
}

/// A writer that appends JSON to a buffer.
struct JSONWriter {
    var bytes: [UInt8] = []

    mutating func put(text literal: StaticString) {
        literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ value: JSONValue) {
        switch value {
        case .null: put(text: "null")
        case .bool(let value): put(text: value ? "true" : "false")
        case .int(let value): bytes.append(contentsOf: String(value).utf8)
        case .double(let value): put(value)
        case .string(let value): put(string: value)
        case .array(let value): put(value)
        case .object(let value): put(value)
        }
    }

    mutating func put(string: String) {
        guard !putPlain(string) else { return }
        put(text: "\"")
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): put(text: "\\\"")
            case UInt8(ascii: "\\"): put(text: "\\\\")
            case 0x0A: put(text: "\\n")
            case 0x00..<0x20: putEscape(byte)
            default: bytes.append(byte)
            }
        }
        put(text: "\"")
    }

    /// Appends a string that needs no escapes. Returns false for another one.
    private mutating func putPlain(_ string: String) -> Bool {
        let isPlain = string.utf8.withContiguousStorageIfAvailable { text in
            for byte in text where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                return false
            }
            #if compiler(>=6.3)
                bytes.append(addingCapacity: text.count + 2) { span in
                    span.append(UInt8(ascii: "\""))
                    for byte in text { span.append(byte) }
                    span.append(UInt8(ascii: "\""))
                }
            #else
                bytes.append(UInt8(ascii: "\""))
                bytes.append(contentsOf: text)
                bytes.append(UInt8(ascii: "\""))
            #endif
            return true
        }
        return isPlain ?? false
    }

    private mutating func put(_ value: Double) {
        if value.isFinite { bytes.append(contentsOf: value.description.utf8) } else { put(text: "null") }
    }

    private mutating func put(_ elements: [JSONValue]) {
        put(text: "[")
        for (index, element) in elements.enumerated() {
            if index > 0 { put(text: ",") }
            put(element)
        }
        put(text: "]")
    }

    private mutating func put(_ members: [String: JSONValue]) {
        put(text: "{")
        put(contents: members)
        put(text: "}")
    }

    mutating func put(contents members: [String: JSONValue]) {
        for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { put(text: ",") }
            put(string: member.key)
            put(text: ":")
            put(member.value)
        }
    }

    private mutating func putEscape(_ byte: UInt8) {
        put(text: byte < 0x10 ? "\\u000" : "\\u001")
        bytes.append(contentsOf: String(byte & 0x0F, radix: 16).utf8)
    }
}

/// The JSON format of this project: one line, sorted keys and unescaped slashes. Equal values give
/// equal text on every machine.
package enum JSONFormat {
    /// Returns a value as one line of JSON without a line break.
    ///
    /// - Throws: ``EncodingFailure`` for a number that is not finite.
    package static func line(_ value: some Encodable) throws(EncodingFailure) -> [UInt8] {
        try JSONValue(encoding: value).bytes
    }

    /// Returns a message as one line of JSON without a line break.
    package static func line(_ message: some Message) -> [UInt8] { EncodedObject(message).bytes }
}
