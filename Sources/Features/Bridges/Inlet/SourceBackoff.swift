import Chronology

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
