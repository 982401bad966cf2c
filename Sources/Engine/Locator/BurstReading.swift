import Chronology

/// How the burst of an epoch was read.
struct BurstReading: Sendable {
    /// Whether the beginning of the burst may be missing; the port was opened or the
    /// receiver was woken in between.
    var mayBePartial = false
    /// When the first byte of the burst arrived; nil if that was not observed, or if the burst had
    /// an earlier epoch.
    var start: Instant?

    /// Returns whether a request shall wait for another epoch.
    ///
    /// - Parameter needsStart: Whether the request compares the time with the burst's first byte.
    func isInsufficient(needsStart: Bool) -> Bool { mayBePartial || needsStart && start == nil }
}
