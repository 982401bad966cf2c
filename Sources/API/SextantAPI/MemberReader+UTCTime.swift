import Chronology
import Varlink

// Times are RFC 3339 in UTC with milliseconds.

extension MemberReader {
    mutating func time(_ name: StaticString) throws(MemberError) -> UTCTime {
        try MemberReader.time(try string(name), name)
    }

    mutating func timeIfPresent(_ name: StaticString) throws(MemberError) -> UTCTime? {
        guard let text = try stringIfPresent(name) else { return nil }
        return try MemberReader.time(text, name)
    }

    private static func time(_ text: String, _ name: StaticString) throws(MemberError) -> UTCTime {
        guard let time = UTCTime(rfc3339: text) else {
            throw MemberError(path: "\(name)", reason: "expected a time such as 2026-11-21T12:00:00Z, got \(text)")
        }
        return time
    }
}

extension ObjectWriter {
    /// Appends a time unless it is nil.
    package mutating func append(_ time: UTCTime?, forKey name: StaticString) {
        append(time?.description, forKey: name)
    }
}
