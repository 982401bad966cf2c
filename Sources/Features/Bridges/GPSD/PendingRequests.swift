import Chronology

/// The clients whose requests cannot be answered yet.
struct PendingRequests {
    /// How long a request waits for the daemon, and for its own end.
    private static let timeout = Instant.Span.seconds(1)

    /// The clients whose requests wait for data of the daemon, and since when.
    private var waiting: Set<ClientID> = []
    private var waitingSince: Instant?
    /// The clients whose last request has no end yet, each with the time of its last byte.
    private var unfinished: [ClientID: Instant] = [:]
    private var unfinishedCheck: Instant?
    /// Until when the list of receivers stays up to date after a request.
    private var devicesUntil: Instant?

    /// Whether the request of a client waits for the daemon.
    func isWaiting(_ id: ClientID) -> Bool { waiting.contains(id) }

    /// Whether requests need the list of receivers.
    func needDevices(at now: Instant) -> Bool { !waiting.isEmpty || devicesUntil.map { now < $0 } ?? false }

    /// Whether requests have waited for the daemon too long.
    func isLate(at now: Instant) -> Bool { waitingSince.map { now >= $0 + PendingRequests.timeout } ?? false }

    /// When something is due.
    var deadline: Instant? {
        earliest(waitingSince.map { $0 + PendingRequests.timeout }, earliest(devicesUntil, unfinishedCheck))
    }

    mutating func wait(_ id: ClientID, at now: Instant) {
        waiting.insert(id)
        if waitingSince == nil { waitingSince = now }
    }

    /// Returns the clients that wait for the daemon, in order; none waits then.
    mutating func takeWaiting() -> [ClientID] {
        defer {
            waiting = []
            waitingSince = nil
        }
        return waiting.sorted()
    }

    /// Keeps the list of receivers up to date for the next request.
    mutating func requestDevices(at now: Instant) { devicesUntil = now + PendingRequests.timeout }

    /// Records whether the last request of a client has no end yet.
    mutating func setUnfinished(_ isUnfinished: Bool, _ id: ClientID, at now: Instant) {
        unfinished[id] = isUnfinished ? now : nil
        if isUnfinished, unfinishedCheck == nil { unfinishedCheck = now + PendingRequests.timeout }
    }

    /// Returns the clients that have not ended their requests in time, and ends what is over.
    mutating func takeUnfinished(at now: Instant) -> [ClientID] {
        if let end = devicesUntil, now >= end { devicesUntil = nil }
        guard let check = unfinishedCheck, now >= check else { return [] }
        let late = unfinished.filter { now >= $0.value + PendingRequests.timeout }.keys.sorted()
        for id in late { unfinished[id] = nil }
        unfinishedCheck = unfinished.values.min().map { $0 + PendingRequests.timeout }
        return late
    }

    mutating func remove(_ id: ClientID) {
        unfinished[id] = nil
        waiting.remove(id)
        if waiting.isEmpty { waitingSince = nil }
    }
}
