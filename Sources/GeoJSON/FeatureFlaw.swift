import Varlink

/// Why a text holds no conditions, or why one of its features is none: which, which member of it, and the mend.
public struct FeatureFlaw: Error, Sendable, Equatable, CustomStringConvertible {
    /// Which feature of the collection, counted from 1; nil where it is the text as a whole, or the only one.
    public var number: Int?
    /// What it is called, where that is known.
    public var identifier: String?
    /// Where in it: `properties.radius`; empty where it is the whole.
    public var member: String
    /// What is wrong with it, and what would be right.
    public var reason: String

    /// A flaw of a member; the feature is named by whoever counts them.
    public init(_ member: String, _ reason: String) {
        (self.member, self.reason) = (member, reason)
    }

    /// A text that is not JSON.
    init(_ error: JSONError, in bytes: [UInt8]) {
        let before = bytes.prefix(error.offset)
        let line = 1 + before.count { $0 == 10 }
        let column = 1 + before.count - (before.lastIndex(of: 10).map { $0 + 1 } ?? 0)
        self.init("", "it is not JSON: line \(line), column \(column): \(FeatureFlaw.words(error.reason))")
    }

    /// A sentence for a person: the feature, the member, the reason and the mend.
    public var description: String {
        let name = identifier.map { "\"\($0.prefix(64))\"" }
        let whose = number.map { "feature \($0)" + (name.map { " (\($0))" } ?? "") } ?? name.map { "feature \($0)" }
        return [whose, member.isEmpty ? nil : member].compactMap(\.self).map { $0 + ": " }.joined() + reason
    }

    private static func words(_ reason: JSONError.Reason) -> String {
        switch reason {
        case .endsEarly: "it ends inside a value; is the file cut short?"
        case .unexpectedByte: "a character that cannot stand here"
        case .trailingBytes: "something follows the end"
        case .nestedTooDeep: "nested too deeply"
        case .malformedNumber: "a number that is not written as JSON wants it"
        case .numberOutOfRange: "a number that is too large"
        case .malformedEscape: "an escape that does not exist"
        case .notUTF8: "a text that is not UTF-8"
        case .controlCharacter: "a control character in a text"
        case .duplicateMember: "a name that stands twice in one object"
        }
    }
}
