import Chronology

/// Decides which positions are reported: only those with a date of the receiver, in the order of
/// time, and never two with one time.
///
/// OwnTracks and Traccar state times in whole seconds and take a second point with the same time
/// for a duplicate.
package struct PointAdmission: Sendable {
    /// A time earlier by more than this shows that the last time was wrong, not this one.
    package static let maxStep = Instant.Span.seconds(3600)

    private var last: UTCTime?

    /// Creates the rule.
    ///
    /// - Parameter last: The time of the last reported point, also of an earlier process.
    package init(after last: UTCTime? = nil) { self.last = last }

    /// Returns whether a point with this time is reported, and records it.
    package mutating func admits(_ time: UTCTime?) -> Bool {
        guard let time, time.milliseconds > 0 else { return false }
        if let last, time.wholeSeconds <= last.wholeSeconds, last.span(since: time) <= PointAdmission.maxStep {
            return false
        }
        last = time
        return true
    }
}
