import Varlink

/// The reason why GeoJSON text or one of its features is not a valid condition: the feature, the
/// member, the problem and how to fix it.
package struct GeoJSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The number of the feature in the collection, counted from 1; nil for the whole text or a
    /// single feature.
    package var number: Int?
    /// The identifier of the feature, if known.
    package var identifier: String?
    /// The path of the member, such as `properties.radius`; empty for the whole feature or text.
    package var member: String
    /// The problem and how to fix it.
    package var reason: String

    /// Creates an error for a member; an empty one means the whole. The caller adds the feature's
    /// number and identifier.
    package init(member: String = "", reason: String) {
        (self.member, self.reason) = (member, reason)
    }

    /// Creates an error for text that is not JSON.
    package init(_ error: JSONError, in bytes: [UInt8]) {
        let before = bytes.prefix(error.offset)
        let line = 1 + before.count { $0 == 10 }
        let column = 1 + before.count - (before.lastIndex(of: 10).map { $0 + 1 } ?? 0)
        self.init(reason: "invalid JSON at line \(line), column \(column): \(GeoJSONError.text(of: error.reason))")
    }

    /// A message with the feature, the member, the problem and how to fix it.
    package var description: String {
        let name = identifier.map { "\"\($0.prefix(64))\"" }
        let subject = number.map { "feature \($0)" + (name.map { " (\($0))" } ?? "") } ?? name.map { "feature \($0)" }
        return [subject, member.isEmpty ? nil : member].compactMap(\.self).map { $0 + ": " }.joined() + reason
    }

    private static func text(of reason: JSONError.Reason) -> String {
        switch reason {
        case .unexpectedEnd: "the text ends inside a value; the file may be truncated"
        case .unexpectedByte: "unexpected character"
        case .trailingBytes: "unexpected text after the end"
        case .nestedTooDeep: "nested too deeply"
        case .malformedNumber: "malformed number"
        case .numberOutOfRange: "number out of range"
        case .malformedEscape: "invalid escape sequence"
        case .notUTF8: "string is not UTF-8"
        case .controlCharacter: "control character in a string"
        case .duplicateMember: "duplicate name in an object"
        }
    }
}
