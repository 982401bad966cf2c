import Varlink

/// Finds a line or ring with too many points in GeoJSON text before the text is parsed, so that the
/// memory for a file of any size is bounded.
///
/// It counts arrays of numbers within one array. It does not validate the text.
package struct PointCounter: Sendable {
    /// The levels of nesting that are observed; deeper text is refused by the parser.
    private static let maxDepth = 64

    private struct Container {
        var isArray: Bool
        /// Whether the array contains a number.
        var hasNumber = false
        /// The number of its elements that are arrays of numbers.
        var points = 0
    }

    private var containers: [Container] = []
    private var line = 1
    private var isInString = false
    private var isEscaped = false

    /// Creates a counter at the start of the text.
    package init() {}

    /// Processes the next part of the text.
    ///
    /// - Throws: ``GeoJSONError`` at the first line or ring with more points than a fence may have.
    package mutating func process(_ bytes: some Sequence<UInt8>) throws(GeoJSONError) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") { line += 1 }
            if isInString {
                processInString(byte)
            } else {
                try process(byte)
            }
        }
    }

    private mutating func processInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }

    private mutating func process(_ byte: UInt8) throws(GeoJSONError) {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            guard containers.count < Self.maxDepth else {
                throw GeoJSONError(reason: "invalid JSON at line \(line): nested too deeply")
            }
            containers.append(Container(isArray: byte == UInt8(ascii: "[")))
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            guard let ended = containers.popLast(), ended.isArray, ended.hasNumber, !containers.isEmpty else { return }
            containers[containers.count - 1].points += 1
            guard containers[containers.count - 1].points <= ConditionLimit.points + 1 else {
                let limit = ConditionLimit.points
                throw GeoJSONError(
                    member: "geometry.coordinates",
                    reason: "the shape at line \(line) has more than \(limit) points; simplify the shape")
            }
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            if !containers.isEmpty { containers[containers.count - 1].hasNumber = true }
        default: break
        }
    }
}

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
