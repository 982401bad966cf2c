import Chronology
import NMEA

/// Adds a text sentence to the bursts of a simulated receiver, by which a reader recognizes it as
/// simulated (`docs/decisions/0004-simulated-receivers.md`).
///
/// The bytes of the bursts stay unchanged. The sentence comes before a burst, at most once a
/// second, and only where the line is idle and a sentence begins, so that it divides no data.
package struct SimulationAnnouncement: Sendable {
    /// The shortest interval between two sentences. It is below the period of 1 Hz with its jitter.
    private static let interval = Instant.Span.milliseconds(900)

    private var last: Instant?
    /// Whether the previous burst ended with a complete line.
    private var isAtLineStart = true

    /// Returns the burst, with the sentence before it if it is due.
    mutating func announce(before burst: Burst, isLineIdle: Bool) -> Burst {
        defer { if let end = burst.bytes.last { isAtLineStart = end == UInt8(ascii: "\n") } }
        guard isLineIdle, isAtLineStart, burst.bytes.first == UInt8(ascii: "$") else { return burst }
        if let last, burst.instant - last < SimulationAnnouncement.interval { return burst }
        last = burst.instant
        return Burst(instant: burst.instant, bytes: SimulationAnnouncement.sentence + burst.bytes)
    }

    /// The text sentence with its checksum and line end.
    package static let sentence = SentenceEncoder.bytes(ofSentence: "GPTXT,01,01,02,SIMULATED BY SEXTANT")
}
