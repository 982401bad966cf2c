import Chronology

/// When clients that watch receivers get them again, if they want them less often than every epoch.
/// A change of a receiver's state does not wait.
struct WatchIntervals {
    private struct Entry {
        var interval: Instant.Span
        var lastShown: Instant
    }

    /// How much earlier than its interval a reply may follow: epochs vary, and each is a turn that
    /// happens anyway.
    private static let tolerance = Instant.Span.milliseconds(200)

    private var entries: [Int: Entry] = [:]

    /// Records the interval of a session, which has got the receivers now.
    mutating func begin(_ session: Int, interval: Instant.Span, at now: Instant) {
        entries[session] = Entry(interval: interval, lastShown: now)
    }

    /// Returns whether a session gets the receivers now.
    mutating func isDue(_ session: Int, isUrgent: Bool, at now: Instant) -> Bool {
        guard let entry = entries[session] else { return true }
        guard isUrgent || now - entry.lastShown >= entry.interval - WatchIntervals.tolerance else { return false }
        entries[session]?.lastShown = now
        return true
    }

    /// Forgets sessions that have ended.
    mutating func keep(_ sessions: some Sequence<Int>) {
        guard !entries.isEmpty else { return }
        let open = Set(sessions)
        entries = entries.filter { open.contains($0.key) }
    }
}
