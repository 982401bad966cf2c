import Chronology

/// Pauses between looks that find nothing new: each twice as long as the one before it, between bounds.
struct LookPause: Sendable {
    private var last: Instant.Span?

    /// The next pause.
    mutating func next(_ bounds: LookInterval) -> Instant.Span {
        let next = last.map { min(Instant.Span(nanoseconds: $0.nanoseconds &* 2), bounds.last) } ?? bounds.first
        last = next
        return next
    }
}
