import Chronology
import Wire

/// The server side of gpsd's protocol as a value: requests and data of the daemon go in, bytes for
/// clients come out.
///
/// The owner takes ``takeEffects()`` after each event, gives the daemon's data that ``demand``
/// requires, and calls ``tick(at:)`` at ``deadline``. It is not copyable, because a copy would
/// retain all its parts, and it is asked several times per event.
///
/// Requests are answered one at a time, when the owner calls ``answerRequest(of:at:)``: it decides
/// whose turn it is.
package struct GPSDServer: ~Copyable {
    package typealias Effect = ServerEffect
    package typealias Demand = DataDemand

    let greeting: [UInt8]
    var clients: [ClientID: GPSDClient] = [:]
    var clientDemand = ClientDemand()
    var state = DaemonState()
    var effects: [Effect] = []
    var pending = PendingRequests()
    var attitudes = AttitudeDemand()
    /// Whether the daemon refuses the sentences of receivers.
    var refusesSentences = false
    private var idleCheck: Instant?
    /// The time of the host at an instant, from which that of a POLL follows.
    var clock: (time: UTCTime, at: Instant)?
    var polls = PollAnswers()
    var sentences = LocationSentences([.rmc, .gga, .gsa, .gsv, .vtg, .gst])

    /// The longest time without a TPV for a client that watches. gpxlogger ends a track after 5 s.
    static let reportInterval = Instant.Span.milliseconds(3500)
    /// Many receivers send the satellites once in 5 s, so that clients know such intervals.
    private static let skyInterval = 4.0
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

    /// Sets the time of the host, for the answers that have it.
    package mutating func setClock(_ time: UTCTime, at now: Instant) { clock = (time, now) }

    // MARK: Demand

    /// What the clients need now of the device's position and of the list of receivers.
    package func demand(at now: Instant) -> Demand {
        let own = state.demand(of: clientDemand, at: now)
        guard own < .polls else { return own }
        return clientDemand.streaming > 0 || clientDemand.hasPolls || pending.needDevices(at: now) ? .devices : own
    }

    /// What the clients need now of the positions of other receivers, by the path of the port.
    ///
    /// Clients that have selected the receiver of the device's position get that one.
    package func selectedDemand(at now: Instant) -> [String: Demand] { state.selectedDemand(of: clientDemand, at: now) }

    /// Whether the daemon has a position of each receiver that clients need. Without one, the
    /// states of the receivers are the reports.
    package var hasPosition: Bool { state.hasPositions(for: clientDemand) }

    /// The interval in seconds at which the satellites are needed; nil for every epoch. They change
    /// slowly, and cost as much as the position. Without one, each epoch has a report of its own,
    /// and clients with `pps` compare the clock with it.
    package var skyInterval: Double? { hasPosition && clientDemand.timed == 0 ? GPSDServer.skyInterval : nil }

    /// When to call ``tick(at:)``.
    package var deadline: Instant? {
        let next = earliest(earliest(pending.deadline, idleCheck), clientDemand.nextPollEnd)
        guard clientDemand.streaming > 0 else { return next }
        return earliest(next, state.lastReports.min().map { $0 + GPSDServer.reportInterval })
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
        state.main.lastReport = state.main.lastReport ?? now
        idleCheck = idleCheck ?? now + GPSDServer.idleLimit
        effects.append(.store(id, StoredClient(id, stored.policy)))
    }

    /// Removes a client that has closed its connection.
    package mutating func disconnect(_ id: ClientID, at now: Instant) {
        if let client = clients.removeValue(forKey: id) {
            clientDemand.remove(client, others: clients.values)
            state.select(by: clientDemand, at: now)
        }
        pending.remove(id)
        if clients.isEmpty { idleCheck = nil }
    }

    /// Does what is due.
    package mutating func tick(at now: Instant) {
        if pending.isLate(at: now) { answerWaiting(at: now, late: true) }
        for id in pending.takeUnfinished(at: now) { finishRequest(of: id, at: now) }
        if let check = idleCheck, now >= check { closeIdle(at: now) }
        if let end = clientDemand.nextPollEnd, now >= end {
            clientDemand.expire(at: now)
            state.select(by: clientDemand, at: now)
        }
        for path in state.paths(reportedBy: now - GPSDServer.reportInterval) {
            state.update(path) { $0.expire(at: now) }
            polls.reset()
            report(path, at: now)
        }
    }

    private mutating func closeIdle(at now: Instant) {
        idleCheck = clients.isEmpty ? nil : now + GPSDServer.idleLimit
        effects += clients.idle(for: GPSDServer.idleLimit, at: now).map(Effect.close)
    }
}
