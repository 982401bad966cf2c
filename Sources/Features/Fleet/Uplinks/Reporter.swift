import Chronology
import SQLite
import ServiceRuntime
import SextantAPI
import SextantServiceAPI
import SystemCalls
import Varlink

/// Reports positions of the daemon, and the events that it is given, to one server, from a queue of
/// its own.
package final class Reporter {
    /// Called when the server is connected.
    var connected: (Reporter) -> Void = { _ in }
    /// Carries out a command of the server.
    var carryOut: (OwnTracksCommand, Reporter) -> Void = { _, _ in }

    private let queue: ReportQueue
    private let device: DeviceStateReader
    private let batchInterval: Instant.Span?
    private let isMQTT: Bool
    private let isHomeAssistant: Bool
    private let loop: EventLoop
    private let log: ProgramLog
    private var updates: DaemonStream<SubscribeParameters, SubscribeReply>?
    private var uplink: (any Uplink)?
    private var order: SendOrder
    private var refused = RefusedRecords()
    private var starts: UnfinishedStarts
    private var commands = CommandLimit()
    private var nextSend: Instant?
    /// The positions that the server requested, until they are acknowledged.
    private var requested: Set<Int64> = []
    /// Whether anything may have changed that ``sendDue()`` depends on.
    private var isChanged = true
    private var status: FleetStatus
    /// The hash of the fences that were sent in this connection; nil: none.
    private var fencesInFlight: Int64?
    /// Whether the server has got the list of fences, if it needs one, in this connection.
    private var hasListedFences = false

    /// Creates a reporter with an outbox at `path`.
    ///
    /// - Parameter socket: The socket of the daemon; nil: positions come from
    ///   ``add(_:isReduced:)`` alone.
    package init(_ options: Options, outbox path: String, socket: String?, loop: EventLoop, log: ProgramLog) throws {
        batchInterval = options.batchInterval
        isMQTT = options.destination.isMQTT
        isHomeAssistant = options.destination.isHomeAssistant
        self.loop = loop
        self.log = log
        device = DeviceStateReader(mode: options.filter.isReduced ? .significant : .move, time: options.time)
        status = FleetStatus(destination: options.destination.name)
        do throws(StoreError) {
            let outbox = try FleetOutbox(path: path, tolerance: options.tolerance, hostTime: HostClock.utc)
            if let damaged = outbox.damaged { log.write("\(damaged)", priority: .error) }
            queue = try ReportQueue(
                outbox, filter: options.filter, tolerance: options.tolerance, minute: HostClock.minuteOfDay)
            starts = try UnfinishedStarts(outbox.settings)
            status.refusedRecords = try outbox.settings.value(.refusedRecords).map { Int(clamping: $0) }
        } catch {
            throw FleetError.outbox(error)
        }
        order = SendOrder()
        var options = options
        options.receivesCommands = starts.allowsCommands
        if !starts.allowsCommands {
            log.write(
                "a message of \(options.destination.name) has probably ended this program twice: it receives no "
                    + "commands until it is restarted; delete a large retained message on the topic cmd",
                priority: .error)
        }
        let uplink = try makeUplink(options)
        self.uplink = uplink
        order = SendOrder(maxInFlight: uplink.maxInFlight, batchInterval: batchInterval)
        if let socket { subscribe(to: socket, tolerance: options.tolerance) }
    }

    private func subscribe(to socket: String, tolerance: Double) {
        updates = DaemonStream(LocationMethods.subscribe, of: socket, in: loop, isInSession: true) {
            [weak self] event in
            guard let self else { return }
            switch event {
            case .reply(let reply): receive(reply)
            case .lost(let error): daemonEnded("\(error)")
            }
        }
        updates?.request(
            SubscribeParameters(
                configuration: isHomeAssistant ? .default : .otherNavigation, tolerance: tolerance > 0 ? tolerance : nil
            ))
    }

    /// A device that has just started waits for a random time, so that a fleet does not connect all
    /// at once after a power failure.
    private func makeUplink(_ options: Options) throws(FleetError) -> any Uplink {
        let isBoot = HostClock.now < .zero + .seconds(120)
        let delay = options.connectDelay ?? .seconds(isBoot ? Double.random(in: 0...60) : 0)
        let handler: (UplinkEvent) -> Void = { [weak self] event in self?.process(event) }
        let encryption = try OwnTracksEncryption(key: options.credentials?.encryptionKey)
        if options.destination.isMQTT {
            return MQTTUplink(options, encryption: encryption, delay: delay, loop: loop, handler: handler)
        }
        let isOwnTracks = !options.destination.isTraccar && !options.destination.isHomeAssistant
        guard isOwnTracks || !encryption.isOn else { throw .traccarWithKey(options.destination) }
        guard !isHomeAssistant || options.credentials?.password != nil || options.destination.hasAuthorization else {
            throw .settings(
                "\(options.destination.name) needs a token: write a long-lived access token of an administrator into "
                    + "the file password of the unit, /etc/sextant/fleet/NAME/password")
        }
        return HTTPUplink(options, encryption: encryption, delay: delay, loop: loop, handler: handler)
    }

    /// Writes what is in memory before the program ends.
    package func stop() {
        attempt("writing the outbox") { () throws(StoreError) in try queue.outbox.close() }
        attempt("counting a start") { () throws(StoreError) in try starts.end() }
    }

    /// The state of the outbox and of the connection, without the oldest time.
    package var presentStatus: FleetStatus {
        var present = status
        (present.points, present.events) = (queue.outbox.pointCount, queue.outbox.eventCount)
        present.bytes = queue.outbox.deliveries.bytes.count
        present.lastAcknowledged = queue.outbox.deliveries.last?.description
        return present
    }

    /// The time of the oldest position that the server has not acknowledged.
    var oldestTime: UTCTime? { (try? queue.outbox.oldestTime()) ?? nil }

    package var isConnected: Bool { status.isConnected }

    /// Whether the server gets reduced locations.
    var isReduced: Bool { queue.isReduced }

    /// Whether everything that is due has been sent and acknowledged.
    package func isIdle(at now: Instant) -> Bool {
        isConnected && !isChanged && queue.outbox.pointsInFlight + queue.outbox.eventsInFlightCount == 0
            && nextSend.map { $0 - now > SendOrder.backlogInterval * 2 } ?? true
    }

    /// Adds an event. Returns whether it is on disk, or not for this server.
    ///
    /// - Parameter isFirst: Whether it states where the device is at first.
    package func add(_ event: FleetEvent, isFirst: Bool = false) -> Bool {
        // A Home Assistant gets positions alone, and no event waits behind one that is held.
        if isHomeAssistant { return true }
        isChanged = true
        return attempt("adding an event") { () throws(StoreError) in try queue.add(event, isFirst: isFirst) }
    }

    /// An error of the daemon is kept apart from those of the server.
    private func daemonEnded(_ reason: String) {
        if reason != status.daemonError { log.write("\(reason); trying again", priority: .warning) }
        status.daemonError = reason
    }

    private func receive(_ reply: SubscribeReply) {
        status.daemonError = nil
        if let point = FleetPoint(reply.location) { add(point, isReduced: reply.permission.contains(.accuracyLimited)) }
    }

    /// Adds a position, as far as the server gets it.
    ///
    /// - Parameter isReduced: Whether the daemon has reduced it.
    package func add(_ point: FleetPoint, isReduced: Bool = false) {
        guard let point = queue.reported(point, isReduced: isReduced, at: loop.now) else { return }
        isChanged = true
        attempt("adding an event") { () throws(StoreError) in try queue.addWithheldExits(at: point) }
        attempt("adding a position") { () throws(StoreError) in try queue.add(point, at: loop.now) }
    }

    /// Sends the records that are due. Without a change since the last call, this costs nothing.
    package func sendDue() {
        guard isChanged || nextSend.map({ loop.now >= $0 }) ?? false else { return }
        isChanged = false
        nextSend = nil
        guard let uplink, uplink.isReady else { return }
        attempt("reading the outbox") { () throws(StoreError) in try send(on: uplink) }
    }

    private func send(on uplink: any Uplink) throws(StoreError) {
        let outbox = queue.outbox
        while uplink.isReady {
            let step = order.next(
                try outbox.queue(), pointsInFlight: outbox.pointsInFlight, eventsInFlight: outbox.eventsInFlightCount,
                at: loop.now)
            switch step {
            case .send(let sequence):
                guard try send(sequence, on: uplink) else { return }
            case .sendTrack:
                let track = try outbox.takeTrack(limit: OwnTracks.maxTrackCount)
                guard !track.isEmpty, uplink.send(track: track) else { return }
            case .wait(let until):
                nextSend = until
                return
            }
        }
    }

    /// Sends a record. Returns false if the server gets none now.
    private func send(_ sequence: Int64, on uplink: any Uplink) throws(StoreError) -> Bool {
        guard let record = try queue.outbox.take(sequence) else { return true }
        return uplink.send(record, of: deviceState, trigger: requested.contains(sequence) ? .requested : nil)
    }

    private var deviceState: DeviceState { device.state(in: queue.enteredFences, at: loop.now) }

    /// Acts if it is time.
    package func tick(at now: Instant) {
        updates?.tick(at: now)
        uplink?.tick(at: now)
        switch refused.release(at: now) {
        case nil: break
        case .inTurn?: queue.outbox.setAside(nil)
        case .last(let sequence)?: queue.outbox.setAside(sequence, isLast: true)
        }
        // An uplink over HTTP becomes ready without a message.
        isChanged = true
        attempt("writing the outbox") { () throws(StoreError) in try queue.outbox.tick(at: now) }
    }

    /// When ``tick(at:)`` must be called.
    package var deadline: Instant? {
        let connections = earliest(updates?.deadline, uplink?.deadline)
        return earliest(connections, earliest(earliest(queue.outbox.deadline, refused.deadline), nextSend))
    }

    /// Logs a problem once, and keeps it for the status.
    private func logProblem(_ reason: String) {
        let text = "\(status.destination): \(reason); trying again"
        if reason != status.lastError { log.write(text, priority: .warning) }
        status.lastError = reason
    }

    @discardableResult
    private func attempt(_ action: String, _ body: () throws(StoreError) -> Void) -> Bool {
        do throws(StoreError) {
            try body()
            return true
        } catch {
            logProblem("\(action): \(error)")
            return false
        }
    }
}

// What the server answers and requests.
extension Reporter {
    private func process(_ event: UplinkEvent) {
        isChanged = true
        switch event {
        case .connected:
            status.isConnected = true
            status.lastError = nil
            order = SendOrder(maxInFlight: uplink?.maxInFlight ?? 1, batchInterval: batchInterval)
            log.write("connected to \(status.destination)")
            if isMQTT { attempt("counting a start") { () throws(StoreError) in try starts.begin() } }
            connected(self)
        case .caughtUp: attempt("counting a start") { () throws(StoreError) in try starts.finish() }
        case .fencesDelivered(let hash):
            attempt("storing a hash") { () throws(StoreError) in try queue.outbox.settings.set(.fencesHash, hash) }
        case .delivered(let sequences, let count):
            queue.outbox.count(count, month: HostClock.month, time: HostClock.utc, at: loop.now)
            attempt("deleting a record") { () throws(StoreError) in
                for sequence in sequences {
                    requested.remove(sequence)
                    // Traccar gets no event without a position, so it has not accepted that one.
                    if count > 0 { refused.accept(sequence) }
                    try queue.outbox.acknowledge(sequence, at: loop.now)
                }
            }
        case .refused(let sequence, let reason):
            status.isConnected = false
            logProblem(reason)
            attempt("setting a record aside") { () throws(StoreError) in try refuse(sequence) }
        case .command(let command):
            if commands.allows(at: loop.now) {
                carryOut(command, self)
            } else {
                logProblem("the server sends too many commands")
            }
        case .lost(let reason):
            status.isConnected = false
            // This process has survived.
            attempt("counting a start") { () throws(StoreError) in try starts.finish() }
            fencesInFlight = nil
            hasListedFences = false
            queue.outbox.connectionEnded()
            logProblem(reason)
        }
    }

    private func refuse(_ sequence: Int64) throws(StoreError) {
        guard refused.refuse(sequence, at: loop.now) else { return queue.outbox.setAside(sequence) }
        let count = (status.refusedRecords ?? 0) + 1
        log.write(
            "giving up the record \(sequence) for \(status.destination), which has refused it "
                + "\(RefusedRecords.limit) times and accepts others", priority: .error)
        status.refusedRecords = count
        try queue.outbox.acknowledge(sequence, at: loop.now)
        try queue.outbox.settings.set(.refusedRecords, Int64(count))
    }

    /// Whether nothing is reported now.
    var isQuiet: Bool { queue.isQuiet(at: HostClock.utc) }

    /// Sends the newest reduced location again. Returns whether there is one.
    func sendNewestPosition() -> Bool {
        var record: FleetRecord?
        attempt("adding a position") { () throws(StoreError) in record = try queue.newestPosition(at: loop.now) }
        if let record { uplink?.sendRequested(record, of: deviceState) }
        return record != nil
    }

    /// Reports the present position, which the server requested, before all other records. Returns
    /// whether the server gets it.
    func addRequested(_ point: FleetPoint) -> Bool {
        isChanged = true
        var isReported = false
        attempt("adding a position") { () throws(StoreError) in
            let record = try queue.addRequested(point, at: loop.now)
            guard let record else { return }
            isReported = true
            // The last position of the same second may wait, be on its path, or be acknowledged.
            guard try queue.outbox.isWaiting(record.sequence) else {
                uplink?.sendRequested(record, of: deviceState)
                return
            }
            requested.insert(record.sequence)
            if let uplink, uplink.isReady { _ = try send(record.sequence, on: uplink) }
        }
        return isReported
    }

    /// Sends the result of a command, with the fences that servers have set, and those of monitors.
    func sendResult(_ result: CommandResult, fences: [RemoteFence], others: [ReportedFence]) {
        let set = fences.map { Waypoint($0, of: RemoteFences.monitor) }
        let waypoints = others.map(\.waypoint).filter { queue.isReported($0) }
        uplink?.sendResult(result, fences: fences, all: set + waypoints)
    }

    /// Sends the fences of monitors if the server does not have them: those that have changed, or
    /// all.
    func send(_ all: [ReportedFence], changed: [ReportedFence]?) {
        guard isConnected else { return }
        defer { hasListedFences = true }
        let reported = all.filter { queue.isReported($0.waypoint) }
        let hash = ReportedFence.hash(of: reported)
        let sent = (try? queue.outbox.settings.value(.fencesHash)) ?? nil
        // A server that has never had a fence needs no empty list.
        guard hash != sent, hash != fencesInFlight, sent != nil || !reported.isEmpty else { return }
        fencesInFlight = hash
        // A list tells of fences that are gone since the last connection.
        let part = hasListedFences ? changed?.filter { queue.isReported($0.waypoint) } ?? [] : []
        uplink?.send(part.isEmpty ? reported : part, areAll: part.isEmpty, hash: hash)
    }
}

extension Reporter {
    /// What is reported to a server.
    package struct Options {
        package var destination: Destination
        /// The name of the user, and of the account at the server.
        package var user: String
        package var device: String
        /// The maximum error of the track in metres.
        package var tolerance: Double
        /// What the server does not get.
        package var filter = ReportFilter()
        /// The time for which positions wait for a batch; nil: none waits.
        package var batchInterval: Instant.Span?
        /// The time after which a message is sent without need; nil: the default.
        package var keepalive: Instant.Span?
        /// The keys of the service; nil: none.
        package var credentials: Credentials?
        package var receivesCommands = true
        /// Whether Home Assistant gets messages of its own.
        package var hasHomeAssistant = true
        /// Whether Traccar gets its JSON form instead of that of OsmAnd.
        package var sendsTraccarJSON = false
        /// The time over which the first attempts after an outage are spread.
        package var firstRetry = RetryDelay.first
        /// The time until the first attempt; nil: random after the start of the device, else none.
        package var connectDelay: Instant.Span?
        /// Returns UTC; nil if it is not known.
        package var time: () -> UTCTime? = { HostClock.isSet ? HostClock.utc : nil }

        /// Creates options with the defaults of the program.
        package init(
            destination: Destination, user: String, device: String, tolerance: Double,
            filter: ReportFilter = ReportFilter()
        ) {
            self.destination = destination
            self.user = user
            self.device = device
            self.tolerance = tolerance
            self.filter = filter
        }

        /// The keepalive to use: with batches, a connection is silent for their interval anyway.
        package var effectiveKeepalive: Instant.Span {
            keepalive ?? max(Reporter.defaultKeepalive, batchInterval ?? .zero)
        }
    }

    /// Networks forget a connection without messages for longer.
    package static let defaultKeepalive = Instant.Span.seconds(300)
}
