import Chronology

/// The lines at the head of a capture that say where it comes from: `# Name: value`, one a line.
public struct CaptureHeader: Sendable, Equatable {
    /// Keys and values in order, as they stand.
    public private(set) var entries: [(key: String, value: String)] = []
    /// Bytes that the header takes up.
    public private(set) var length = 0

    /// Reads the lines that begin with `#`, up to the first that does not.
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

    /// The value of a key, letter case not minded; nil where there is none.
    public subscript(key: String) -> String? {
        entries.first { $0.key.lowercased() == key.lowercased() }?.value
    }

    /// `# Date:`, the day of the recording. A bare day is taken at its noon, so that any time of day is nearest to that day. Nil where
    /// there is none or it names no day.
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

    /// Whether both hold the same entries in the same order.
    public static func == (a: CaptureHeader, b: CaptureHeader) -> Bool {
        a.length == b.length && a.entries.elementsEqual(b.entries) { $0.key == $1.key && $0.value == $1.value }
    }
}

extension UTCTime {
    /// RFC 3339; a bare day means its noon.
    public init?(dayOrMoment text: String) {
        guard let moment = UTCTime(rfc3339: text) else { return nil }
        let isBare = !text.contains { $0 == "T" || $0 == "t" || $0 == " " }
        self = isBare ? UTCTime(milliseconds: moment.milliseconds + UTCTime.day / 2) : moment
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
