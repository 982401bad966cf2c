import Chronology
import Wire

/// Joins what several sources send into one stream of whole sentences.
///
/// Each source has a line of its own, so that sentences which arrive in parts are not mixed.
/// Without `acceptsAll`, one source is used at a time: two receivers on one port would make a
/// position that jumps between them.
public struct SentenceSources<Source: Hashable & Sendable>: Sendable {
    /// The line of a source that is not complete yet.
    private struct Line: Sendable {
        var bytes: [UInt8] = []
        /// Whether the rest up to the next line end is ignored.
        var isOverlong = false
    }

    /// The number of reads, and for each source that of its last one.
    private var reads: UInt64 = 0
    private var lastReads: [Source: UInt64] = [:]

    private let acceptsAll: Bool
    /// The sentences that are passed on.
    private let filter: SentencesParameters
    private var lines: [Source: Line] = [:]
    /// When each source has sent its last sentence.
    private var lastSentences: [Source: Instant] = [:]
    private var chosen: Source?
    /// The number of sentences of sources that are not used.
    public private(set) var ignored = 0

    /// The maximum length of a line in bytes, that of the daemon.
    private static var maxLength: Int { 1024 }
    /// The maximum number of sources; further ones replace the one that was silent longest.
    private static var limit: Int { 16 }
    /// How long the chosen source may be silent before another one replaces it.
    private static var silenceLimit: Instant.Span { .seconds(10) }

    /// Creates a value without sources.
    ///
    /// - Parameters:
    ///   - acceptsAll: Whether several sources are used at the same time.
    ///   - types: The only sentences to pass on, such as `RMC` or `GNRMC`; nil for all.
    public init(acceptsAll: Bool, types: [String]? = nil) {
        self.acceptsAll = acceptsAll
        filter = SentencesParameters(types: types)
    }

    /// Returns the sentences that are complete now, each with its line end.
    ///
    /// - Parameter isPacket: Whether the bytes are a datagram. It may end with a sentence that has
    ///   no line end, or with a part of one.
    public mutating func receive(
        _ bytes: some Sequence<UInt8>, from source: Source, isPacket: Bool, at now: Instant
    ) -> [UInt8] {
        limitSources(for: source)
        reads += 1
        lastReads[source] = reads
        var line = lines[source] ?? Line()
        var sentences: [UInt8] = []
        for byte in bytes {
            if byte == 10 || byte == 13 {
                finish(&line, of: source, at: now, into: &sentences)
            } else if byte == UInt8(ascii: "$"), Self.isComplete(line.bytes) {
                finish(&line, of: source, at: now, into: &sentences)
                line.bytes.append(byte)
            } else if line.bytes.count < Self.maxLength {
                if !line.isOverlong { line.bytes.append(byte) }
            } else {
                line = Line(isOverlong: true)
            }
        }
        if isPacket, Self.isComplete(line.bytes) { finish(&line, of: source, at: now, into: &sentences) }
        lines[source] = line
        return sentences
    }

    /// Forgets a source whose connection has ended.
    public mutating func remove(_ source: Source) {
        lines[source] = nil
        lastReads[source] = nil
        lastSentences[source] = nil
        if chosen == source { chosen = nil }
    }

    private mutating func limitSources(for source: Source) {
        guard lines[source] == nil, lines.count >= Self.limit else { return }
        // Many other senders must not displace the one that is used.
        let oldest = lines.keys.filter { $0 != chosen }.min { (lastReads[$0] ?? 0) < (lastReads[$1] ?? 0) }
        if let oldest { remove(oldest) }
    }

    /// Ends a line; a sentence of a used source is appended.
    private mutating func finish(_ line: inout Line, of source: Source, at now: Instant, into sentences: inout [UInt8])
    {
        defer { line = Line() }
        // A tag block, or noise, may precede the sentence. Other lines, such as JSON, are ignored.
        guard !line.isOverlong, let start = line.bytes.firstIndex(where: { $0 == 36 || $0 == 33 }),
            start == 0 || line.bytes[0] != UInt8(ascii: "{")
        else { return }
        guard admits(source, at: now) else {
            ignored += 1
            return
        }
        lastSentences[source] = now
        guard filter.includes(address: line.bytes[start...].dropFirst().prefix { $0 != UInt8(ascii: ",") }) else {
            return
        }
        sentences += line.bytes[start...]
        sentences += [13, 10]
    }

    private mutating func admits(_ source: Source, at now: Instant) -> Bool {
        if acceptsAll || chosen == source { return true }
        if let chosen, let last = lastSentences[chosen], now - last < Self.silenceLimit { return false }
        chosen = source
        return true
    }

    /// Whether a line ends with a checksum, as a whole sentence does.
    private static func isComplete(_ line: [UInt8]) -> Bool {
        line.count >= 4 && line[line.count - 3] == UInt8(ascii: "*") && line.suffix(2).allSatisfy(isHexadecimal)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }
}
