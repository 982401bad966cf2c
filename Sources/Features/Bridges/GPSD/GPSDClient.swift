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

extension [ClientID: GPSDClient] {
    /// The clients with a stream of the device, or of another receiver, and such a policy.
    func watching(
        _ path: String?, in state: DaemonState, where isIncluded: (WatchPolicy) -> Bool = { _ in true }
    ) -> [ClientID] {
        let device = state.device
        return filter { _, client in
            let selection = client.policy.device
            let isSelected = path == nil ? selection == nil || selection == device : selection == path
            return isSelected && client.policy.isStreaming && isIncluded(client.policy)
        }.map(\.key)
    }

    /// Those clients whose stream has this form.
    func among(_ ids: [ClientID], with form: StreamReports.Form, writesRaw: Bool) -> [ClientID] {
        ids.filter { id in self[id].map { StreamReports.Form($0.policy, writesRaw: writesRaw) == form } ?? false }
    }

    /// The clients that do not watch and have sent nothing for long.
    func idle(for limit: Instant.Span, at now: Instant) -> [ClientID] {
        filter { !$0.value.policy.enable && now - $0.value.lastActivity >= limit }.map(\.key)
    }
}
