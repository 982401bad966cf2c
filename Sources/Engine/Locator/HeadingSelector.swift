import Chronology
import Positioning

/// A heading that one source of one receiver reports.
struct HeadingCandidate: Sendable, Equatable {
    /// The receiver.
    var receiver: ReceiverID
    /// The latest report of the source.
    var entry: HeadingReports.Entry

    /// Returns whether both have the same receiver and source.
    func isSameSource(as other: HeadingCandidate) -> Bool {
        receiver == other.receiver && entry.report.source == other.entry.report.source
    }

    func isBetter(than other: HeadingCandidate) -> Bool {
        entry.report.source.isBetter(than: other.entry.report.source)
    }
}

/// Selects the heading of the device among the sources of all receivers.
///
/// A better source takes over when it has reported for ``takeoverDelay`` without a gap; it replaces
/// a course at once. A source that stops is replaced when its last report is no longer valid. Of
/// equal sources the present one stays.
struct HeadingSelector: Sendable {
    /// How long a better source must report before it replaces another one. A receiver that
    /// acquires and loses the vector between its antennas then causes few changes.
    static let takeoverDelay = Instant.Span.seconds(5)

    private var current: HeadingCandidate?

    /// Selects the heading and keeps it as the present one.
    ///
    /// - Parameter candidates: The latest reports; of equal ones, the first is preferred.
    mutating func select(_ candidates: [HeadingCandidate], at now: Instant) -> HeadingCandidate? {
        current = selection(among: candidates, at: now)
        return current
    }

    /// Returns what ``select(_:at:)`` would select.
    func selection(among candidates: [HeadingCandidate], at now: Instant) -> HeadingCandidate? {
        let valid = candidates.lazy.filter { $0.entry.isCurrent(at: now) }
        let present = current.flatMap { current in valid.first { $0.isSameSource(as: current) } }
        var best = present
        for candidate in valid where best.map(candidate.isBetter) ?? true {
            if let present, !mayReplace(present, candidate) { continue }
            best = candidate
        }
        return best
    }

    private func mayReplace(_ present: HeadingCandidate, _ candidate: HeadingCandidate) -> Bool {
        let entry = candidate.entry
        return present.entry.report.source == .course || entry.at - entry.since >= HeadingSelector.takeoverDelay
    }
}
