import Chronology

/// Requests of clients and their answers.
extension GPSDServer {
    /// Processes what one read of a client's connection has returned.
    package mutating func receive(_ packet: some Sequence<UInt8>, from id: ClientID, at now: Instant) {
        guard clients[id] != nil else { return }
        clients[id]?.parser.append(packet)
        clients[id]?.lastActivity = now
        if !pending.isWaiting(id) { requestTurn(of: id, at: now) }
    }

    package mutating func answerRequest(of id: ClientID, at now: Instant) {
        guard !pending.isWaiting(id), let request = clients[id]?.nextRequest() else { return }
        process(request, of: id, at: now)
    }

    /// Asks the owner for a turn of a client that has a request. One without an end has none yet.
    private mutating func requestTurn(of id: ClientID, at now: Instant) {
        guard let parser = clients[id]?.parser else { return }
        let hasRequest = parser.hasRequest
        if hasRequest { effects.append(.answer(id)) }
        pending.setUnfinished(!hasRequest && parser.byteCount > 0, id, at: now)
    }

    /// Answers a request that has no end, and whose client sends no more: gpsd takes each packet as
    /// whole.
    mutating func finishRequest(of id: ClientID, at now: Instant) {
        if let request = clients[id]?.parser.finish() { process(request, of: id, at: now) }
    }

    private mutating func process(_ request: Request, of id: ClientID, at now: Instant) {
        if request == .poll, let client = clients[id], client.policy.isPolling {
            clients[id]?.lastPoll = now
            clientDemand.recordPoll(by: client, at: now)
            state.select(by: clientDemand, at: now)
        }
        guard isReady(for: request, of: id, at: now) else {
            clients[id]?.postponed = request
            pending.wait(id, at: now)
            return
        }
        answer(request, of: id, at: now)
        requestTurn(of: id, at: now)
    }

    /// Whether the daemon has reported what the answer contains, or does not report it in time.
    private mutating func isReady(for request: Request, of id: ClientID, at now: Instant) -> Bool {
        switch request {
        case .version, .unrecognized, .tooLong, .invalidDevice: return true
        case .devices, .watch, .device:
            pending.requestDevices(at: now)
            return state.hasReceivers
        case .poll:
            guard let policy = clients[id]?.policy, policy.enable else { return true }
            guard state.hasReceivers else { return false }
            guard let location = state.location(of: policy.device) else { return true }
            guard location.hasUpdate, policy.isPolling else { return location.hasUpdate }
            return isNewest(location, of: policy.device, at: now)
        }
    }

    /// Whether a location is the newest that the daemon has; otherwise it is requested. The stream
    /// of a client that polls is quiet at rest, while other clients may keep the receiver on.
    private mutating func isNewest(_ location: LocationState, of device: String?, at now: Instant) -> Bool {
        if location.needsRequest(at: now) {
            let path = state.isMain(device) ? nil : device
            state.update(path) { $0.request() }
            effects.append(.requestLocation(device: path))
            return false
        }
        return !location.isRequested
    }

    private mutating func answer(_ request: Request, of id: ClientID, at now: Instant) {
        guard let client = clients[id] else { return }
        switch request {
        case .version: effects.append(.send([id], greeting))
        case .devices: effects.append(.send([id], Answers.devices(state.devices)))
        case .poll:
            let time = clock.map { $0.time.advanced(by: now - $0.at) }
            effects.append(.send([id], polls.answer(to: client.policy, of: state, at: time)))
        case .unrecognized(let text): effects.append(.send([id], Answers.error("Unrecognized request '\(text)'")))
        case .tooLong: effects.append(.send([id], Answers.error("Request of more than 4096 bytes")))
        case .device(let path):
            let device = state.devices.first { path == nil || $0.path == path }
            effects.append(
                .send([id], device.map(Answers.device) ?? Answers.error("Can't perform DEVICE: no such device")))
        case .invalidDevice(let reason): effects.append(.send([id], Answers.error("Invalid DEVICE: \(reason)")))
        case .watch(nil): effects.append(.send([id], Answers.state(state.devices, client.policy)))
        case .watch(let change?): apply(change, of: client, id, at: now)
        }
    }

    private mutating func apply(_ change: WatchChange, of earlier: GPSDClient, _ id: ClientID, at now: Instant) {
        var client = earlier
        client.policy.apply(change)
        effects.append(.store(id, client.policy.enable ? StoredClient(id, client.policy) : nil))
        client.lastPoll = client.policy.isPolling ? client.lastPoll ?? now : nil
        clients[id] = client
        clientDemand.add(client)
        clientDemand.remove(earlier, others: clients.values)
        state.select(by: clientDemand, at: now)
        var bytes: [UInt8] = []
        if let failure = change.failure { bytes = Answers.error("Invalid WATCH: \(failure)") }
        if let path = client.policy.device, !state.isListed(path) {
            bytes += Answers.error("No such device as \(path)")
        }
        effects.append(.send([id], bytes + Answers.state(state.devices, client.policy)))
        let hasNewStream = !earlier.policy.isStreaming || earlier.policy.device != client.policy.device
        if client.policy.isStreaming, hasNewStream { beginStream(to: id, of: client.policy.device, at: now) }
    }

    /// Answers the requests that wait for the daemon.
    mutating func answerWaiting(at now: Instant, late: Bool = false) {
        for id in pending.takeWaiting() {
            guard let request = clients[id]?.takePostponed() else { continue }
            guard late || isReady(for: request, of: id, at: now) else {
                clients[id]?.postponed = request
                pending.wait(id, at: now)
                continue
            }
            answer(request, of: id, at: now)
            requestTurn(of: id, at: now)
        }
    }
}

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

    func isWaiting(_ id: ClientID) -> Bool { waiting.contains(id) }

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
