/// A delay before the next attempt that doubles with each failure, within bounds.
public struct ExponentialBackoff: Sendable, Hashable {
    private var last: Instant.Span?

    /// Creates a back-off without failures.
    public init() {}

    /// Returns the delay after another failure.
    ///
    /// - Parameters:
    ///   - first: The delay after the first failure.
    ///   - max: The longest delay.
    public mutating func next(from first: Instant.Span, max: Instant.Span) -> Instant.Span {
        let delay = last.map { min($0 * 2, max) } ?? first
        last = delay
        return delay
    }

    /// Clears all failures, after an attempt that succeeded.
    public mutating func reset() { last = nil }
}
