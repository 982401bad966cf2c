import Chronology
import Varlink

// Times are RFC 3339 in UTC with milliseconds.

extension MemberReader {
    mutating func time(_ name: StaticString) -> UTCTime {
        time(string(name), name) ?? UTCTime(milliseconds: 0)
    }

    mutating func timeIfPresent(_ name: StaticString) -> UTCTime? {
        stringIfPresent(name).flatMap { time($0, name) }
    }

    private mutating func time(_ text: String, _ name: StaticString) -> UTCTime? {
        let time = UTCTime(rfc3339: text)
        if time == nil {
            let reason = "expected a time such as 2026-11-21T12:00:00Z, got \(text)"
            fail(MemberError(path: "\(name)", reason: reason))
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
