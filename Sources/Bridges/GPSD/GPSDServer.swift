import Chronology
import Wire

/// The server side of gpsd's protocol as a value: requests and data of the daemon go in, bytes for
/// clients come out.
///
/// The owner takes ``takeEffects()`` after each event, gives the daemon's data that ``demand``
/// requires, and calls ``tick(at:)`` at ``deadline``. It is not copyable, because a copy would
/// retain all its parts, and it is asked several times per event.
package struct GPSDServer: ~Copyable {
    /// What the owner must do.
    package enum Effect: Equatable {
        /// Send these bytes to these clients as one piece, or drop them for a client that does not
        /// read.
        case send([ClientID], [UInt8])
        /// Close a connection.
        case close(ClientID)
        /// Store the connection of a client that watches, for a later process; nil to store it no
        /// longer.
        case store(ClientID, StoredClient?)
    }

    /// What the clients need from the daemon; each includes the previous ones.
    package enum Demand: Comparable {
        case nothing
        /// The list of receivers.
        case devices
        /// The location from time to time.
        case polls
        /// Every epoch.
        case stream
    }

    private let greeting: [UInt8]
    var clients: [ClientID: GPSDClient] = [:]
    private var clientDemand = ClientDemand()
    var state = DaemonState()
    private var effects: [Effect] = []
    /// The clients whose requests wait for data of the daemon, and since when.
    private var waiting: Set<ClientID> = []
    private var waitingSince: Instant?
    /// Until when the list of receivers stays up to date after a request.
    private var devicesUntil: Instant?
    private var attitudes = AttitudeDemand()
    /// Whether the daemon refuses the sentences of receivers.
    private var refusesSentences = false
    private var lastReport: Instant?
    private var idleCheck: Instant?
    /// The time of the host at an instant, from which that of a POLL follows.
    private var clock: (time: UTCTime, at: Instant)?
    /// The last answer to a POLL, for further ones in the same turn.
    private var lastPoll: (device: String?, at: Instant, line: [UInt8])?
    private var sentences = LocationSentences([.rmc, .gga, .gsa, .gsv, .vtg, .gst])

    /// The longest time without a TPV for a client that watches. gpxlogger ends a track after 5 s.
    private static let reportInterval = Instant.Span.milliseconds(3500)
    /// Many receivers send the satellites once in 5 s, so that clients know such intervals.
    private static let skyInterval = 4.0
    /// How long a request waits for the daemon.
    private static let requestTimeout = Instant.Span.seconds(1)
    /// How long a request keeps the list of receivers up to date.
    private static let deviceDemand = Instant.Span.seconds(1)
    /// How long a poll keeps its demand: longer than a minute, so that a client that polls once a
    /// minute always gets a recent location.
    private static let pollDemand = Instant.Span.seconds(90)
    /// After which time gpsd closes the connection of a client that does not watch
    /// (COMMAND_TIMEOUT).
    private static let idleLimit = Instant.Span.seconds(900)

    /// Creates a server without clients.
    ///
    /// - Parameters:
    ///   - release: The release of gpsd that clients are given; cgps waits if it is another one
    ///     than its own.
    ///   - revision: The name and version of this program.
    package init(release: String, revision: String) {
        greeting = Answers.version(release: release, revision: revision)
    }

    /// Returns the effects since the last call.
    package mutating func takeEffects() -> [Effect] {
        defer { effects.removeAll() }
        return effects
    }

    /// What the clients need now.
    package func demand(at now: Instant) -> Demand {
        if clientDemand.streaming > 0 { return .stream }
        if let end = pollEnd, now < end { return .polls }
        if !waiting.isEmpty { return .devices }
        if let devicesUntil, now < devicesUntil { return .devices }
        return .nothing
    }

    /// Whether the daemon has a position.
    package var hasPosition: Bool { state.location != nil }

    /// The interval in seconds at which the satellites are needed; nil for every epoch. They change
    /// slowly, and cost as much as the position. Without one, each epoch has a report of its own,
    /// and clients with `pps` compare the clock with it.
    package var skyInterval: Double? { hasPosition && clientDemand.timed == 0 ? GPSDServer.skyInterval : nil }

    private var pollEnd: Instant? { clientDemand.lastPoll.map { $0 + GPSDServer.pollDemand } }

    /// When to call ``tick(at:)``.
    package var deadline: Instant? {
        var next = earliest(waitingSince.map { $0 + GPSDServer.requestTimeout }, earliest(devicesUntil, idleCheck))
        if clientDemand.streaming > 0 {
            next = earliest(next, lastReport.map { $0 + GPSDServer.reportInterval })
        } else {
            next = earliest(next, pollEnd)
        }
        return next
    }

    // MARK: Clients

    /// Adds a client, which gets the VERSION line.
    package mutating func connect(_ id: ClientID, at now: Instant) {
        clients[id] = GPSDClient(at: now)
        effects.append(.send([id], greeting))
        if idleCheck == nil { idleCheck = now + GPSDServer.idleLimit }
    }

    /// Adds a client that was connected to an earlier process. It notices nothing.
    package mutating func restore(_ id: ClientID, _ stored: StoredClient, at now: Instant) {
        var client = GPSDClient(at: now)
        client.policy = stored.policy
        client.lastPoll = stored.policy.isPolling ? now : nil
        clients[id] = client
        clientDemand.add(client)
        lastReport = lastReport ?? now
        idleCheck = idleCheck ?? now + GPSDServer.idleLimit
        effects.append(.store(id, StoredClient(id, stored.policy)))
    }

    /// Removes a client that has closed its connection.
    package mutating func disconnect(_ id: ClientID) {
        if let client = clients.removeValue(forKey: id) { clientDemand.remove(client, others: clients.values) }
        waiting.remove(id)
        if waiting.isEmpty { waitingSince = nil }
        if clients.isEmpty { idleCheck = nil }
    }

    /// Processes what one read of a client's connection has returned.
    package mutating func receive(_ packet: some Sequence<UInt8>, from id: ClientID, at now: Instant) {
        guard clients[id] != nil else { return }
        clients[id]?.parser.append(packet)
        clients[id]?.lastActivity = now
        if !waiting.contains(id) { answerRequests(of: id, at: now) }
    }

    private mutating func answerRequests(of id: ClientID, at now: Instant) {
        while let request = clients[id]?.nextRequest() {
            if request == .poll, clients[id]?.policy.isPolling == true {
                clients[id]?.lastPoll = now
                clientDemand.recordPoll(at: now)
            }
            if !isReady(for: request, of: id, at: now) {
                clients[id]?.postponed = request
                waiting.insert(id)
                if waitingSince == nil { waitingSince = now }
                return
            }
            answer(request, of: id, at: now)
        }
    }

    /// Whether the daemon has reported what the answer contains, or does not report it in time.
    private mutating func isReady(for request: Request, of id: ClientID, at now: Instant) -> Bool {
        switch request {
        case .version, .unrecognized, .tooLong: return true
        case .devices, .watch, .device, .invalid:
            devicesUntil = now + GPSDServer.deviceDemand
            return state.hasReceivers
        case .poll:
            return clients[id]?.policy.enable != true || state.hasReceivers && state.hasUpdate
        }
    }

    private mutating func answer(_ request: Request, of id: ClientID, at now: Instant) {
        guard var client = clients[id] else { return }
        switch request {
        case .version: effects.append(.send([id], greeting))
        case .devices: effects.append(.send([id], Answers.devices(state.devices)))
        case .poll: effects.append(.send([id], poll(by: client, at: now)))
        case .unrecognized(let text): effects.append(.send([id], Answers.error("Unrecognized request '\(text)'")))
        case .tooLong: effects.append(.send([id], Answers.error("Request of more than 4096 bytes")))
        case .device(let path):
            let device = state.devices.first { path == nil || $0.path == path }
            effects.append(
                .send([id], device.map(Answers.device) ?? Answers.error("Can't perform DEVICE: no such device")))
        case .invalid(let name, let reason):
            let error = Answers.error("Invalid \(name): \(reason)")
            effects.append(.send([id], name == "WATCH" ? error + state(of: client) : error))
        case .watch(let change):
            let wasStreaming = client.policy.isStreaming
            if let change {
                client.policy.apply(change)
                effects.append(.store(id, client.policy.enable ? StoredClient(id, client.policy) : nil))
            }
            client.lastPoll = client.policy.isPolling ? client.lastPoll ?? now : nil
            if let earlier = clients.updateValue(client, forKey: id) {
                clientDemand.add(client)
                clientDemand.remove(earlier, others: clients.values)
            }
            var bytes: [UInt8] = []
            if let path = client.policy.device, !state.devices.contains(where: { $0.path == path }) {
                bytes = Answers.error("No such device as \(path)")
            }
            effects.append(.send([id], bytes + state(of: client)))
            if client.policy.isStreaming, !wasStreaming { beginStream(to: id, at: now) }
        }
    }

    private func state(of client: GPSDClient) -> [UInt8] {
        Answers.devices(state.devices) + Answers.watch(client.policy)
    }

    /// Returns the answer to a POLL. It is encoded once per turn, so that a client which sends many
    /// delays no other one.
    private mutating func poll(by client: GPSDClient, at now: Instant) -> [UInt8] {
        let policy = client.policy
        let time = clock.map { $0.time.advanced(by: now - $0.at) }
        guard policy.enable else { return PollReport(state, isWatching: false, device: nil, at: time).line }
        if let lastPoll, lastPoll.at == now, lastPoll.device == policy.device { return lastPoll.line }
        let line = PollReport(state, isWatching: true, device: policy.device, at: time).line
        lastPoll = (policy.device, now, line)
        return line
    }

    /// A client that begins to watch gets the present state without waiting for an epoch.
    private mutating func beginStream(to id: ClientID, at now: Instant) {
        if clientDemand.streaming == 1 { lastReport = now }
        guard state.hasUpdate else {
            // The first report of the stream has the satellites, also those that are known already.
            state.isSkyNew = true
            return
        }
        send(to: [id], includesSky: true)
    }

    // MARK: Data of the daemon

    /// Processes an update of the daemon's stream of locations.
    package mutating func receive(_ update: SubscribeReply, at now: Instant) {
        state.receive(update)
        lastPoll = nil
        answerWaiting(at: now)
        report(at: now)
        reportTime(of: update, at: now)
    }

    /// Reports the host's clock to the clients that ask for it, after the position.
    private mutating func reportTime(of update: SubscribeReply, at now: Instant) {
        guard clientDemand.timed > 0 else { return }
        let ids = clients.filter { $0.value.policy.pps && $0.value.policy.isStreaming }.map(\.key)
        guard !ids.isEmpty, let clock,
            let report = TimeOffsetReport(
                update, clock: clock.time.advanced(by: now - clock.at), device: state.device)
        else { return }
        effects.append(.send(ids, Answers.line { report.write(to: &$0) }))
    }

    /// Processes the receivers' states.
    package mutating func receive(_ reply: ReceiversReply, time: UTCTime, at now: Instant) {
        let changed = state.receive(reply, at: time.description)
        clock = (time, now)
        lastPoll = nil
        let watching = clients.filter { $0.value.policy.enable && $0.value.policy.json }.map(\.key)
        if !watching.isEmpty {
            for device in changed { effects.append(.send(watching, Answers.device(device))) }
        }
        answerWaiting(at: now)
        // An epoch without a position causes no update.
        if state.hasUpdate, state.location == nil { report(at: now) }
    }

    /// Processes a direction of the device. It is reported with the next position, so that TPV
    /// stays the first object.
    package mutating func receive(_ reply: WatchHeadingReply, at now: Instant) {
        if let heading = reply.heading { attitudes.receive(heading, at: now) }
        state.receive(reply)
    }

    /// Whether to ask the daemon for the direction of the device, as far as a client watches.
    package func wantsAttitude(at now: Instant) -> Bool { attitudes.isWanted(at: now) }

    /// Whether a client needs the sentences of the receivers.
    package var wantsSentences: Bool { clientDemand.raw > 0 }

    /// Passes sentences of a receiver to the clients that watch them.
    package mutating func receive(_ reply: SentencesReply) {
        refusesSentences = false
        let port = state.port(ofReceiver: reply.receiver)
        let ids = clients.filter { _, client in
            client.policy.isStreaming && client.policy.raw > 0 && (client.policy.device.map { $0 == port } ?? true)
        }
        var bytes: [UInt8] = []
        for sentence in reply.sentences {
            for character in sentence.unicodeScalars { bytes.append(UInt8(truncatingIfNeeded: character.value)) }
            bytes += [13, 10]
        }
        if !ids.isEmpty { effects.append(.send(Array(ids.keys), bytes)) }
    }

    /// Records that the daemon refuses the sentences of receivers. Clients then get those that are
    /// written from the location.
    package mutating func refuseSentences() { refusesSentences = true }

    /// Records that the owner has ended the stream of locations, because ``demand(at:)`` requires
    /// none.
    package mutating func endUpdates() { state.endUpdates() }

    /// Records that the owner has ended the stream of receivers.
    package mutating func endReceivers() { state.endReceivers() }

    /// Records that the connection to the daemon failed or is lost.
    package mutating func loseDaemon(at now: Instant) {
        state.lose(at: now)
        lastPoll = nil
        answerWaiting(at: now)
    }

    /// Does what is due.
    package mutating func tick(at now: Instant) {
        if let since = waitingSince, now >= since + GPSDServer.requestTimeout { answerWaiting(at: now, late: true) }
        if let end = devicesUntil, now >= end { devicesUntil = nil }
        if let check = idleCheck, now >= check { closeIdle(at: now) }
        if let last = lastReport, now >= last + GPSDServer.reportInterval {
            state.expire(at: now)
            lastPoll = nil
            report(at: now)
        }
    }

    private mutating func answerWaiting(at now: Instant, late: Bool = false) {
        let ids = waiting.sorted()
        guard !ids.isEmpty else { return }
        (waiting, waitingSince) = ([], nil)
        for id in ids {
            if let request = clients[id]?.takePostponed() {
                guard late || isReady(for: request, of: id, at: now) else {
                    clients[id]?.postponed = request
                    waiting.insert(id)
                    waitingSince = waitingSince ?? now
                    continue
                }
                answer(request, of: id, at: now)
            }
            answerRequests(of: id, at: now)
        }
    }

    private mutating func closeIdle(at now: Instant) {
        idleCheck = clients.isEmpty ? nil : now + GPSDServer.idleLimit
        for (id, client) in clients where !client.policy.enable && now - client.lastActivity >= GPSDServer.idleLimit {
            effects.append(.close(id))
        }
    }

    /// Reports the present state to all clients that watch.
    private mutating func report(at now: Instant) {
        let ids = clients.filter(\.value.policy.isStreaming).map(\.key)
        guard !ids.isEmpty else {
            lastReport = nil
            return
        }
        lastReport = now
        send(to: ids, includesSky: state.isSkyNew)
        state.isSkyNew = false
        state.attitudeWasReported()
    }

    /// Sends the present state, encoded once for all clients with the same policy.
    private mutating func send(to ids: [ClientID], includesSky: Bool) {
        var reports = StreamReports(includesSky: includesSky)
        for form in StreamReports.Form.all {
            let matching = ids.filter { id in
                guard let policy = clients[id]?.policy else { return false }
                return StreamReports.Form(policy, writesRaw: refusesSentences) == form
                    && (policy.device.map { $0 == state.device } ?? true)
            }
            if !matching.isEmpty {
                effects.append(.send(matching, reports.bytes(form, of: state, sentences: &sentences)))
            }
        }
    }
}
