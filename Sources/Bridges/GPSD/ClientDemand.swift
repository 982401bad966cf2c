import Chronology

/// What the policies of all clients require together. It is counted when a policy changes, so that
/// an event costs the same with thousands of clients.
struct ClientDemand {
    /// The number of clients with a stream.
    private(set) var streaming = 0
    /// The number of those that get the sentences of receivers.
    private(set) var raw = 0
    /// The number of those that compare clocks.
    private(set) var timed = 0
    /// When a client that polls last asked for the state; nil without such a client.
    private(set) var lastPoll: Instant?

    /// Counts a client that is new or has a new policy.
    mutating func add(_ client: GPSDClient) {
        count(client.policy, 1)
        if client.policy.isPolling, let poll = client.lastPoll { recordPoll(at: poll) }
    }

    /// Counts a client no more, whose policy changes or whose connection has ended.
    ///
    /// - Parameter others: The other clients.
    mutating func remove(_ client: GPSDClient, others: some Sequence<GPSDClient>) {
        count(client.policy, -1)
        guard client.policy.isPolling, client.lastPoll == lastPoll else { return }
        lastPoll = others.lazy.filter(\.policy.isPolling).compactMap(\.lastPoll).max()
    }

    /// Records that a client that polls has asked for the state.
    mutating func recordPoll(at now: Instant) { lastPoll = max(lastPoll ?? now, now) }

    private mutating func count(_ policy: WatchPolicy, _ change: Int) {
        guard policy.isStreaming else { return }
        streaming += change
        if policy.raw > 0 { raw += change }
        if policy.pps { timed += change }
    }
}
