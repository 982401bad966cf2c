import Chronology

extension UTCTime: ExpressibleByStringLiteral {
    /// Creates a time from a text in RFC 3339, such as "2026-11-21T12:00:00Z".
    public init(stringLiteral text: String) {
        guard let time = UTCTime(rfc3339: text) else { preconditionFailure("\(text) is no time in RFC 3339") }
        self = time
    }
}
