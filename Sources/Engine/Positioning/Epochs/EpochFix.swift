import Chronology

/// The fix of an epoch that has ended or of which no further sentence is expected, and how its
/// burst was read.
package struct EpochFix: Sendable {
    /// The fix of the epoch, with or without a position.
    package let fix: Fix
    /// Whether the fix was published before the epoch ended.
    package var isPublished = false
    /// Whether the beginning of the burst may be missing; the port was opened or the
    /// receiver was woken in between.
    package var mayBePartial = false
    /// When the first byte of the burst arrived; nil if that was not observed, or if the burst had
    /// an earlier epoch.
    package var burstStart: Instant?

    /// Returns how much older the fix is than the newest one from the same read, 0 to 10 s.
    package func age(before newest: UTCTime?) -> Instant.Span {
        guard let newest, let time = fix.time else { return .zero }
        return max(.zero, min(newest.span(since: time), .seconds(10)))
    }
}
