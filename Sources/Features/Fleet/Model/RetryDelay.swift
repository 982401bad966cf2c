import Chronology

/// The time until the next attempt to reach a server: a random part of a limit that doubles, so
/// that a fleet does not return all at once ("full jitter").
package struct RetryDelay: Sendable {
    package static let first = Instant.Span.seconds(1)
    package static let last = Instant.Span.seconds(300)
    /// The minimum after a refusal, which another attempt seldom changes.
    package static let afterRefusal = Instant.Span.seconds(60)

    /// The part of a limit that a device must have waited before the next limit is longer.
    static let minFraction = 0.25

    private let first: Instant.Span
    private var limit: Instant.Span

    /// Creates the delays after a connection that worked.
    ///
    /// - Parameter first: The first limit: the time over which the devices of a fleet are spread.
    package init(first: Instant.Span = RetryDelay.first) {
        self.first = first
        limit = first
    }

    /// Returns the time to wait.
    ///
    /// - Parameters:
    ///   - fraction: A random number from 0 to 1.
    ///   - isRefusal: Whether the server refused the device, or its certificate cannot be verified.
    package mutating func next(fraction: Double, isRefusal: Bool) -> Instant.Span {
        let part = Instant.Span.seconds(limit.seconds * min(max(fraction, 0), 1))
        // An attempt soon after the one before shows little: the devices that draw short times must
        // not wait for minutes after an outage of seconds.
        if fraction >= RetryDelay.minFraction || isRefusal { limit = max(min(limit * 2, RetryDelay.last), first) }
        return isRefusal ? part + RetryDelay.afterRefusal : part
    }

    /// Starts again with short delays, after a connection that worked.
    package mutating func reset() { limit = first }
}
