import Chronology
import SextantAPI

/// Joins what several sources send into one stream of whole sentences.
///
/// Each source has a line of its own, so that sentences which arrive in parts are not mixed.
/// Without `acceptsAll`, one source is used at a time: two receivers on one port would make a
/// position that jumps between them.
public struct SentenceSources<Source: Hashable & Sendable>: Sendable {
    /// The number of reads, and for each source that of its last one.
    private var reads: UInt64 = 0
    private var lastReads: [Source: UInt64] = [:]

    private let acceptsAll: Bool
    private let filter: SentencesParameters
    private var lines: [Source: SentenceLine] = [:]
    private var lastSentences: [Source: Instant] = [:]
    private var chosen: Source?

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
        _ bytes: ArraySlice<UInt8>, from source: Source, isPacket: Bool, at now: Instant
    ) -> [UInt8] {
        limitSources(for: source)
        reads += 1
        lastReads[source] = reads
        var line = lines.removeValue(forKey: source) ?? SentenceLine()
        var sentences: [UInt8] = []
        line.receive(bytes, isPacket: isPacket) { accept($0, of: source, at: now, into: &sentences) }
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

    /// Appends a sentence of a used source.
    private mutating func accept(
        _ sentence: ArraySlice<UInt8>, of source: Source, at now: Instant, into sentences: inout [UInt8]
    ) {
        guard admits(source, at: now) else { return }
        lastSentences[source] = now
        guard filter.includes(address: sentence.dropFirst().prefix { $0 != UInt8(ascii: ",") }) else { return }
        sentences += sentence
        sentences += [13, 10]
    }

    private mutating func admits(_ source: Source, at now: Instant) -> Bool {
        if acceptsAll || chosen == source { return true }
        if let chosen, let last = lastSentences[chosen], now - last < Self.silenceLimit { return false }
        chosen = source
        return true
    }
}

/// Cuts the bytes of one source into sentences. A sentence may arrive in parts.
struct SentenceLine: Sendable {
    /// The maximum length of a line in bytes, that of the daemon.
    private static let maxLength = 1024

    private var bytes: [UInt8] = []
    /// Whether the rest up to the next line end is ignored.
    private var isOverlong = false

    /// Processes bytes of the source.
    ///
    /// - Parameters:
    ///   - isPacket: Whether the bytes are a datagram. It may end with a sentence that has no line
    ///     end, or with a part of one.
    ///   - onSentence: Receives each sentence that is complete now, without its line end.
    mutating func receive(_ input: ArraySlice<UInt8>, isPacket: Bool, onSentence: (ArraySlice<UInt8>) -> Void) {
        for byte in input {
            if byte == 10 || byte == 13 {
                finish(onSentence)
            } else if byte == UInt8(ascii: "$"), isComplete {
                finish(onSentence)
                bytes.append(byte)
            } else if bytes.count >= SentenceLine.maxLength {
                bytes.removeAll(keepingCapacity: true)
                isOverlong = true
            } else if !isOverlong {
                bytes.append(byte)
            }
        }
        if isPacket, isComplete { finish(onSentence) }
    }

    private mutating func finish(_ onSentence: (ArraySlice<UInt8>) -> Void) {
        // A tag block, or noise, may precede the sentence. Other lines, such as JSON, are ignored.
        if !isOverlong, let start = bytes.firstIndex(where: { $0 == 36 || $0 == 33 }),
            start == 0 || bytes[0] != UInt8(ascii: "{")
        {
            onSentence(bytes[start...])
        }
        bytes.removeAll(keepingCapacity: true)
        isOverlong = false
    }

    /// Whether the line ends with a checksum, as a whole sentence does.
    private var isComplete: Bool {
        let count = bytes.count
        return count >= 4 && bytes[count - 3] == UInt8(ascii: "*") && SentenceLine.isHexadecimal(bytes[count - 2])
            && SentenceLine.isHexadecimal(bytes[count - 1])
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }
}

/// When a connection to a source of sentences is opened again.
///
/// Only sentences show that the source works. One that accepts each connection, sends a byte and
/// closes it would else be asked every second.
package struct SourceBackoff: Sendable {
    /// The delays between attempts to connect.
    private static let delays = (first: Instant.Span.seconds(1), max: Instant.Span.seconds(30))
    /// The number of sentences on one connection after which the source works.
    private static let minSentences = 10

    private var backoff = ExponentialBackoff()
    private var sentences = 0

    /// Creates a back-off without failures.
    package init() {}

    /// Whether the present connection has delivered sentences.
    package var isWorking: Bool { sentences >= SourceBackoff.minSentences }

    /// Records sentences of the present connection.
    package mutating func recordSentences(_ count: Int) {
        sentences = min(sentences + min(count, SourceBackoff.minSentences), SourceBackoff.minSentences)
        if isWorking { backoff.reset() }
    }

    /// Records the end of the connection. Returns the time until the next attempt.
    package mutating func end() -> Instant.Span {
        sentences = 0
        return backoff.next(from: SourceBackoff.delays.first, max: SourceBackoff.delays.max)
    }
}
