import Chronology

/// The header lines of a capture that describe its origin: `# Name: value`, one per line.
public struct CaptureHeader: Sendable, Equatable {
    /// The keys and values in file order, unchanged.
    public private(set) var entries: [(key: String, value: String)] = []
    /// The length of the header in bytes.
    public private(set) var length = 0

    /// Reads the leading lines that begin with `#`.
    public init(_ bytes: some Collection<UInt8>) {
        var rest = bytes[...]
        while rest.first == UInt8(ascii: "#") {
            let line = rest.prefix { $0 != 10 && $0 != 13 }
            rest = rest.dropFirst(line.count).drop { $0 == 13 }
            if rest.first == 10 { rest = rest.dropFirst() }
            length = bytes.distance(from: bytes.startIndex, to: rest.startIndex)
            read(String(decoding: line.dropFirst(), as: UTF8.self))
        }
    }

    /// Returns the value of a key, ignoring letter case; nil if the key is absent.
    public subscript(key: String) -> String? {
        entries.first { $0.key.lowercased() == key.lowercased() }?.value
    }

    /// The recording date from `# Date:`. A date without a time means noon, so that every time of
    /// day is nearest to that day. Nil if the key is absent or not a date.
    public var date: UTCTime? {
        guard let value = self["Date"] else { return nil }
        return UTCTime(dayOrMoment: value) ?? UTCTime(dayOrMoment: String(value.prefix(10)))
    }

    private mutating func read(_ line: String) {
        guard let mark = line.firstIndex(where: { $0 == ":" || $0 == "=" }) else { return }
        let key = line[..<mark].trimmed
        let value = line[line.index(after: mark)...].trimmed
        if !key.isEmpty { entries.append((key, value)) }
    }

    /// Returns whether both headers hold the same entries in the same order.
    public static func == (a: CaptureHeader, b: CaptureHeader) -> Bool {
        a.length == b.length && a.entries.elementsEqual(b.entries) { $0.key == $1.key && $0.value == $1.value }
    }
}

extension UTCTime {
    /// Parses an RFC 3339 time, or a date without a time, which means noon.
    public init?(dayOrMoment text: String) {
        guard let moment = UTCTime(rfc3339: text) else { return nil }
        let isBare = !text.contains { $0 == "T" || $0 == "t" || $0 == " " }
        self = isBare ? UTCTime(milliseconds: moment.milliseconds + UTCTime.millisecondsPerDay / 2) : moment
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = self
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
