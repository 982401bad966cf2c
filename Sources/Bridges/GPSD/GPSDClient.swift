import Chronology

/// One client of ``GPSDServer``.
struct GPSDClient {
    var parser = RequestParser()
    var policy = WatchPolicy()
    /// A request that waits for data of the daemon.
    var postponed: Request?
    var lastActivity: Instant
    /// When a client without a stream last asked for the state.
    var lastPoll: Instant?

    /// Creates a client that connects at `now`.
    init(at now: Instant) { lastActivity = now }

    /// Returns the next request, or nil if none is complete or one is postponed.
    mutating func nextRequest() -> Request? { postponed == nil ? parser.next() : nil }

    /// Returns the postponed request, which is then no longer postponed.
    mutating func takePostponed() -> Request? {
        defer { postponed = nil }
        return postponed
    }
}
