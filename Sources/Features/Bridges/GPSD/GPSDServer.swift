import Chronology
import SextantAPI

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

/// What the owner of ``GPSDServer`` must do.
package enum ServerEffect: Equatable {
    /// Send these bytes to these clients as one piece, or drop them for a client that does not
    /// read.
    case send([ClientID], [UInt8])
    /// The client has a request: call ``GPSDServer/answerRequest(of:at:)`` when it is its turn.
    case answer(ClientID)
    /// Request the newest location of the receiver at this port, or of the device, and give it to
    /// ``GPSDServer/receive(newest:ofDevice:at:)``.
    case requestLocation(device: String?)
    /// Close a connection.
    case close(ClientID)
    /// Store the connection of a client that watches, for a later process; nil to store it no
    /// longer.
    case store(ClientID, StoredClient?)
}

/// Whether to ask the daemon for the direction of the device.
///
/// Few receivers have a compass or two antennas. With any other, the daemon reports the course,
/// which is no attitude (``AttitudeReport``), at the cost of a reply for every epoch.
struct AttitudeDemand {
    /// The number of courses in succession after which the device seems to have nothing better.
    private static let maxCourses = 5
    /// How long the daemon is not asked then: a second antenna may start late. Each time costs a
    /// connection with a session.
    private static let (firstPause, maxPause) = (Instant.Span.seconds(60), Instant.Span.seconds(960))

    private var courses = 0
    private var backoff = ExponentialBackoff()
    private var retryTime: Instant?

    /// Whether to ask at this time. A wakeup of its own is not worth it.
    func isWanted(at now: Instant) -> Bool { retryTime.map { now >= $0 } ?? true }

    /// Records a direction of the daemon.
    mutating func receive(_ heading: Heading, at now: Instant) {
        guard heading.source == .course else {
            (courses, retryTime) = (0, nil)
            return backoff.reset()
        }
        courses += 1
        guard courses >= AttitudeDemand.maxCourses else { return }
        let pause = backoff.next(from: AttitudeDemand.firstPause, max: AttitudeDemand.maxPause)
        (courses, retryTime) = (0, now + pause)
    }
}

/// A client that watches, as the name of its connection in the store of the service manager
/// (sd_notify(3), FDNAME). After a crash of the bridge it continues where it was.
///
/// The name has the number of the connection and the policy: `gpsd.17.jr2`. A selected device is
/// not part of it: the path may be longer than a name.
package struct StoredClient: Equatable, Sendable {
    /// The policy, which has no device.
    package let policy: WatchPolicy
    /// The name, unique among the clients of one process.
    package let name: String

    private static let prefix = "gpsd."

    init(_ id: ClientID, _ policy: WatchPolicy) {
        self.policy = policy
        let flags = (policy.json ? "j" : "") + (policy.nmea ? "n" : "") + (policy.pps ? "p" : "") + "r\(policy.raw)"
        name = "\(StoredClient.prefix)\(id).\(flags)"
    }

    /// Reads a name; nil for the name of another descriptor.
    package init?(name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, name.hasPrefix(StoredClient.prefix), let raw = parts[2].last?.wholeNumberValue,
            (0...2).contains(raw)
        else {
            return nil
        }
        var policy = WatchPolicy()
        policy.enable = true
        policy.json = parts[2].contains("j")
        policy.nmea = parts[2].contains("n")
        policy.pps = parts[2].contains("p")
        policy.raw = raw
        self.policy = policy
        self.name = name
    }
}
