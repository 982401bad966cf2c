import Chronology

/// What the policies of all clients require together. It is counted when a policy changes, so that
/// an event costs the same with thousands of clients.
struct ClientDemand {
    /// What clients with the same selection require.
    struct Part: Equatable {
        fileprivate(set) var streaming = 0
        /// When a client that polls last asked for the state; nil without such a client.
        fileprivate(set) var lastPoll: Instant?

        /// How long a poll keeps its demand: longer than a minute, so that a client that polls once
        /// a minute always gets a recent location.
        private static let pollDemand = Instant.Span.seconds(90)

        var pollEnd: Instant? { lastPoll.map { $0 + Part.pollDemand } }

        fileprivate var isEmpty: Bool { streaming == 0 && lastPoll == nil }
    }

    private(set) var streaming = 0
    /// The number of those that get the sentences of receivers.
    private(set) var raw = 0
    /// The number of those that compare clocks.
    private(set) var timed = 0
    /// The demand by the selected device; nil is the key of clients without one.
    private var parts: [String?: Part] = [:]
    /// When the first demand of polls ends.
    private(set) var nextPollEnd: Instant?

    /// What clients with this selection require.
    subscript(_ device: String?) -> Part { parts[device] ?? Part() }

    /// Whether any client has selected a device.
    var hasSelections: Bool { parts.count > (parts[nil] == nil ? 0 : 1) }

    /// Whether a client has polled lately.
    var hasPolls: Bool { nextPollEnd != nil }

    /// Counts a client that is new or has a new policy.
    mutating func add(_ client: GPSDClient) {
        count(client.policy, 1)
        if client.policy.isPolling, let poll = client.lastPoll { recordPoll(by: client, at: poll) }
    }

    /// Counts a client no more, whose policy changes or whose connection has ended.
    ///
    /// - Parameter others: The other clients.
    mutating func remove(_ client: GPSDClient, others: some Sequence<GPSDClient>) {
        count(client.policy, -1)
        let device = client.policy.device
        guard client.policy.isPolling, let last = client.lastPoll, last == parts[device]?.lastPoll else { return }
        let rest = others.lazy.filter { $0.policy.isPolling && $0.policy.device == device }
        change(device) { $0.lastPoll = rest.compactMap(\.lastPoll).max() }
        findNextEnd()
    }

    /// Records that a client that polls has asked for the state.
    mutating func recordPoll(by client: GPSDClient, at now: Instant) {
        let earlier = parts[client.policy.device]?.pollEnd
        change(client.policy.device) { $0.lastPoll = max($0.lastPoll ?? now, now) }
        if earlier == nil || earlier == nextPollEnd { findNextEnd() }
    }

    /// Ends the demand of polls that is over.
    mutating func expire(at now: Instant) {
        guard let nextPollEnd, now >= nextPollEnd else { return }
        for (device, part) in parts {
            if let end = part.pollEnd, now >= end { change(device) { $0.lastPoll = nil } }
        }
        findNextEnd()
    }

    private mutating func findNextEnd() { nextPollEnd = parts.values.lazy.compactMap(\.pollEnd).min() }

    private mutating func change(_ device: String?, _ change: (inout Part) -> Void) {
        var part = self[device]
        change(&part)
        parts[device] = part.isEmpty ? nil : part
    }

    private mutating func count(_ policy: WatchPolicy, _ number: Int) {
        guard policy.isStreaming else { return }
        streaming += number
        change(policy.device) { $0.streaming += number }
        if policy.raw > 0 { raw += number }
        if policy.pps { timed += number }
    }
}

/// What the clients of ``GPSDServer`` need from the daemon; each includes the previous ones.
package enum DataDemand: Comparable {
    case nothing
    /// The list of receivers.
    case devices
    /// The location from time to time.
    case polls
    /// Every epoch.
    case stream
}

extension ClientDemand.Part {
    /// What the clients need now of their position.
    func demand(at now: Instant) -> DataDemand {
        if streaming > 0 { return .stream }
        if let pollEnd, now < pollEnd { return .polls }
        return .nothing
    }
}

/// The receivers whose positions clients need.
extension DaemonState {
    /// The maximum number of receivers other than that of the position whose positions are
    /// requested, as many as gpsd has devices (MAX_DEVICES).
    private static let maxSelected = 6

    /// What clients need of the position of the device.
    func demand(of clients: ClientDemand, at now: Instant) -> DataDemand {
        let demand = clients[nil].demand(at: now)
        guard clients.hasSelections, let device else { return demand }
        return max(demand, clients[device].demand(at: now))
    }

    /// What clients need of the positions of other receivers.
    func selectedDemand(of clients: ClientDemand, at now: Instant) -> [String: DataDemand] {
        guard !others.isEmpty else { return [:] }
        return others.reduce(into: [:]) { result, entry in
            let demand = clients[entry.key].demand(at: now)
            if demand != .nothing { result[entry.key] = demand }
        }
    }

    /// Begins and ends the states of receivers as clients select them.
    mutating func select(by clients: ClientDemand, at now: Instant) {
        guard clients.hasSelections || !others.isEmpty else { return }
        var paths: Set<String> = []
        for path in devices.lazy.map(\.path) where path != device && paths.count < DaemonState.maxSelected {
            if clients[path] != ClientDemand.Part() { paths.insert(path) }
        }
        for path in Array(others.keys) where !paths.contains(path) { others[path] = nil }
        for path in paths where others[path] == nil {
            others[path] = LocationState()
            others[path]?.lastReport = now
        }
    }

    /// Whether there is a position of each receiver that clients need.
    func hasPositions(for clients: ClientDemand) -> Bool {
        let isMainSelected = [nil, device].contains { clients[$0] != ClientDemand.Part() }
        let needsMain = !clients.hasSelections || isMainSelected
        return (!needsMain || main.location != nil) && others.values.allSatisfy { $0.location != nil }
    }
}
