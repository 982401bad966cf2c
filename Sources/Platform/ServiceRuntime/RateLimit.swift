import Chronology

/// A limit on how often something happens, on the host's clock: `burst` times at once, and
/// `perSecond` times per second on average.
package struct RateLimit: Sendable {
    /// The time that one admission takes at the average rate.
    private let interval: Instant.Span
    /// The time that a whole burst takes at the average rate.
    private let allowance: Instant.Span
    /// When a whole burst is admitted again.
    private var recovery = Instant.zero

    /// Creates a limit that nothing has used.
    package init(perSecond: Int, burst: Int) {
        interval = Instant.Span(nanoseconds: 1_000_000_000 / Int64(max(1, perSecond)))
        allowance = interval * burst
    }

    /// Counts one use and returns whether it is within the limit. One beyond it is not counted.
    package mutating func admits(at now: Instant) -> Bool {
        let next = max(recovery, now) + interval
        guard next - now <= allowance else { return false }
        recovery = next
        return true
    }

    package var nextAdmission: Instant { recovery + interval - allowance }

    /// Returns whether a whole burst is admitted.
    package func isUnused(at now: Instant) -> Bool { recovery <= now }
}
