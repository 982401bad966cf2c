import Chronology
import DaemonLink
import Delivery
import Fleet
import FleetStore
import Store
import Systemd
import Varlink
import Wire

/// Reports positions of the daemon, and the events that it is given, to one server, from an outbox
/// of its own.
final class Reporter {
    /// What is reported to a server.
    struct Options {
        var destination: Destination
        var user: String
        var device: String
        var tolerance: Double
        var filter = ReportFilter()
        /// The time for which positions wait for a batch; nil: none waits.
        var batchInterval: Instant.Span?
        /// The time after which a message is sent without need; nil: the default.
        var keepalive: Instant.Span?
        /// The keys of the service; nil: none.
        var credentials: Credentials?
        /// Whether Home Assistant gets messages of its own.
        var hasHomeAssistant = true
        /// Whether Traccar gets its JSON form instead of that of OsmAnd.
        var sendsTraccarJSON = false
        /// The time over which the first attempts after an outage are spread.
        var firstRetry = RetryDelay.first
        /// The time until the first attempt; nil: random after the start of the device, else none.
        var connectDelay: Instant.Span?
        /// Returns UTC; nil if it is not known.
        var time: () -> UTCTime? = { HostClock.isSet ? HostClock.utc : nil }

        /// The keepalive to use: with batches, a connection is silent for their interval anyway.
        var effectiveKeepalive: Instant.Span {
            keepalive ?? max(Reporter.defaultKeepalive, batchInterval ?? .zero)
        }
    }

    /// Networks forget a connection without messages for longer.
    static let defaultKeepalive = Instant.Span.seconds(300)

    /// The records that the server has not acknowledged.
    let outbox: FleetOutbox
    /// Called when the server is connected.
    var connected: (Reporter) -> Void = { _ in }
    /// Carries out a command of the server.
    var carryOut: (OwnTracksCommand, Reporter) -> Void = { _, _ in }

    private var filter: ReportFilter
    private var stationary: StationaryFilter
    private let entries: ReportedEntries
    private let battery = BatteryReader()
    private let network = NetworkReader()
    private let time: () -> UTCTime?
    private var commands = CommandLimit()
    private let batchInterval: Instant.Span?
    private let loop: EventLoop
    private let log: FleetLog
    private var uplink: (any Uplink)?
    private var order: SendOrder
    private var nextSend: Instant?
    /// Whether anything may have changed that ``sendDue()`` depends on.
    private var isChanged = true
    private var updates: DaemonStream<SubscribeParameters, SubscribeReply>?
    /// The newest position, which a server may request again.
    private var last: FleetRecord?
    private var status = FleetStatus()
    /// The hash of the fences that were sent in this connection; nil: none.
    private var fencesInFlight: Int64?

    /// Creates a reporter with an outbox at `path`.
    ///
    /// - Parameter socket: The socket of the daemon; nil: positions come from ``add(_:)`` alone.
    init(_ options: Options, outbox path: String, socket: String?, loop: EventLoop, log: FleetLog) throws {
        filter = options.filter
        stationary = StationaryFilter(tolerance: options.tolerance)
        batchInterval = options.batchInterval
        time = options.time
        self.loop = loop
        self.log = log
        do throws(StoreError) {
            outbox = try FleetOutbox(path: path, tolerance: options.tolerance, hostTime: HostClock.utc)
        } catch {
            throw FleetError.outbox(error)
        }
        do throws(StoreError) {
            try outbox.apply(filter, minute: HostClock.minuteOfDay)
            entries = try ReportedEntries(outbox)
            // Crossings of fences are exact places.
            if filter.isReduced { try entries.removeAll() }
        } catch {
            throw FleetError.outbox(error)
        }
        order = SendOrder()
        status.destination = options.destination.name
        let uplink = try makeUplink(options)
        self.uplink = uplink
        order = SendOrder(maxInFlight: uplink.maxInFlight, batchInterval: batchInterval)
        if let socket { subscribe(to: socket, tolerance: options.tolerance) }
    }

    private func subscribe(to socket: String, tolerance: Double) {
        updates = DaemonStream(LocationMethods.subscribe, of: socket, in: loop) { [weak self] event in
            guard let self else { return }
            switch event {
            case .reply(let reply): receive(reply)
            case .lost(let error): daemonEnded("\(error)")
            }
        }
        updates?.request(
            SubscribeParameters(configuration: .otherNavigation, tolerance: tolerance > 0 ? tolerance : nil))
    }

    /// A device that has just started waits for a random time, so that a fleet does not connect all
    /// at once after a power failure.
    private func makeUplink(_ options: Options) throws(FleetError) -> any Uplink {
        let isBoot = EventLoop.currentTime < .zero + .seconds(120)
        let delay = options.connectDelay ?? .seconds(isBoot ? Double.random(in: 0...60) : 0)
        let handler: (UplinkEvent) -> Void = { [weak self] event in self?.process(event) }
        let encryption = try OwnTracksEncryption(key: options.credentials?.encryptionKey)
        if options.destination.isMQTT {
            return MQTTUplink(options, encryption: encryption, delay: delay, loop: loop, handler: handler)
        }
        guard !options.destination.isTraccar || !encryption.isOn else { throw .traccarWithKey(options.destination) }
        return HTTPUplink(options, encryption: encryption, delay: delay, loop: loop, handler: handler)
    }

    /// Writes what is in memory before the program ends.
    func stop() { try? outbox.close() }

    /// The state of the outbox and of the connection.
    var presentStatus: FleetStatus {
        var present = status
        (present.points, present.events) = (outbox.pointCount, outbox.eventCount)
        return present
    }

    /// Whether the server is connected.
    var isConnected: Bool { status.isConnected }

    /// Whether everything that is due has been sent and acknowledged.
    func isIdle(at now: Instant) -> Bool {
        isConnected && !isChanged && outbox.pointsInFlight + outbox.eventsInFlightCount == 0
            && nextSend.map { $0 - now > SendOrder.backlogInterval * 2 } ?? true
    }

    /// Adds an event. Returns whether it is on disk, or not for this server.
    ///
    /// - Parameter isFirst: Whether it states where the device is at first. Outside a fence that it
    ///   has not entered, a device has not left it.
    func add(_ event: FleetEvent, isFirst: Bool = false) -> Bool {
        if isFirst, event.kind == .leave, !entries.contains(event) { return true }
        return attempt("adding an event") { () throws(StoreError) in
            guard filter.isReported(event, minute: HostClock.minuteOfDay(event.time)) else {
                return try entries.withhold(event)
            }
            try report(event)
        }
    }

    /// The daemon repeats an event that was interrupted by a kill, so each step can be repeated.
    private func report(_ event: FleetEvent) throws(StoreError) {
        isChanged = true
        if event.kind == .enter { try entries.add(event) }
        try outbox.add(event, key: event.key)
        if event.kind == .leave { try entries.remove(event) }
    }

    /// An error of the daemon is kept apart from those of the server.
    private func daemonEnded(_ reason: String) {
        if reason != status.daemonError { log.write("\(reason); trying again", priority: .warning) }
        status.daemonError = reason
    }

    private func receive(_ reply: SubscribeReply) {
        status.daemonError = nil
        if let point = FleetPoint(reply.location) { add(point) }
    }

    /// Adds a position, as far as the server gets it.
    func add(_ point: FleetPoint) {
        guard let point = filter.reported(point, minute: HostClock.minuteOfDay(point.time), at: loop.now) else {
            return
        }
        attempt("adding an event") { () throws(StoreError) in
            for exit in try entries.withheldExits(at: point) { try report(exit) }
        }
        for point in stationary.add(point) { store(point) }
    }

    private func store(_ point: FleetPoint) {
        isChanged = true
        attempt("adding a position") { () throws(StoreError) in
            if let sequence = try outbox.add(point, at: loop.now) { last = FleetRecord(sequence, .point(point)) }
        }
    }

    private func process(_ event: UplinkEvent) {
        isChanged = true
        switch event {
        case .connected:
            status.isConnected = true
            status.lastError = nil
            order = SendOrder(maxInFlight: uplink?.maxInFlight ?? 1, batchInterval: batchInterval)
            log.write("connected to \(status.destination)")
            connected(self)
        case .fencesDelivered(let hash):
            attempt("storing a hash") { () throws(StoreError) in try outbox.set("fences", hash) }
        case .delivered(let sequences, let bytes):
            status.lastAcknowledged = HostClock.utc
            status.addBytes(bytes, month: HostClock.month)
            attempt("deleting a record") { () throws(StoreError) in
                for sequence in sequences { try outbox.acknowledge(sequence, at: loop.now) }
            }
        case .command(let command):
            if commands.allows(at: loop.now) {
                carryOut(command, self)
            } else {
                report("the server sends too many commands")
            }
        case .lost(let reason):
            status.isConnected = false
            fencesInFlight = nil
            outbox.connectionEnded()
            report(reason)
        }
    }

    /// Whether the server gets reduced locations.
    var isReduced: Bool { filter.isReduced }

    /// Sends the newest position again, except in quiet hours.
    func answer() {
        guard !filter.isQuiet(in: HostClock.minuteOfDay(HostClock.utc)) else { return }
        if let held = stationary.takeHeld() { store(held) }
        if let last { uplink?.answer(with: last, of: deviceState) }
    }

    private var deviceState: DeviceState {
        DeviceState(
            time: time(), battery: battery.battery(at: loop.now), network: network.kind(at: loop.now),
            fences: entries.names, mode: filter.isReduced ? .significant : .move)
    }

    /// Sends the result of a command, with the fences that servers have set, and those of monitors.
    func answer(_ result: CommandResult, fences: [RemoteFence], others: [ReportedFence]) {
        let set = fences.map { Waypoint($0, of: FleetService.remoteMonitor) }
        let waypoints = others.map(\.waypoint).filter { filter.isReported($0) }
        uplink?.report(result, fences: fences, all: set + waypoints)
    }

    /// Sends the fences of monitors if the server does not have them: those that have changed, or
    /// all.
    func send(_ all: [ReportedFence], changed: [ReportedFence]?) {
        guard isConnected else { return }
        let reported = all.filter { filter.isReported($0.waypoint) }
        let hash = ReportedFence.hash(of: reported)
        let sent = (try? outbox.value("fences")) ?? nil
        // A server that has never had a fence needs no empty list.
        guard hash != sent, hash != fencesInFlight, sent != nil || !reported.isEmpty else { return }
        fencesInFlight = hash
        let part = changed?.filter { filter.isReported($0.waypoint) } ?? []
        // A list tells of fences that are gone.
        uplink?.send(part.isEmpty ? reported : part, areAll: part.isEmpty, hash: hash)
    }

    /// Sends the records that are due. Without a change since the last call, this costs nothing.
    func sendDue() {
        guard isChanged || nextSend.map({ loop.now >= $0 }) ?? false else { return }
        isChanged = false
        nextSend = nil
        guard let uplink, uplink.isReady else { return }
        attempt("reading the outbox") { () throws(StoreError) in
            while uplink.isReady {
                let step = order.next(
                    try outbox.queue(), pointsInFlight: outbox.pointsInFlight,
                    eventsInFlight: outbox.eventsInFlightCount, at: loop.now)
                switch step {
                case .send(let sequence):
                    if let record = try outbox.take(sequence), !uplink.send(record, of: deviceState) { return }
                case .sendTrack:
                    let track = try outbox.takeTrack(limit: OwnTracks.maxTrackCount)
                    guard !track.isEmpty, uplink.send(track: track) else { return }
                case .wait(let until):
                    nextSend = until
                    return
                }
            }
        }
    }

    /// Acts if it is time.
    func tick(at now: Instant) {
        updates?.tick(at: now)
        uplink?.tick(at: now)
        // An uplink over HTTP becomes ready without a message.
        isChanged = true
        attempt("writing the outbox") { () throws(StoreError) in try outbox.tick(at: now) }
    }

    /// When ``tick(at:)`` must be called.
    var deadline: Instant? {
        earliest(earliest(updates?.deadline, uplink?.deadline), earliest(outbox.deadline, nextSend))
    }

    /// Reports a problem once.
    func report(_ reason: String) {
        if reason != status.lastError { log.write("\(reason); trying again", priority: .warning) }
        status.lastError = reason
    }

    @discardableResult
    private func attempt(_ action: String, _ body: () throws(StoreError) -> Void) -> Bool {
        do throws(StoreError) {
            try body()
            return true
        } catch {
            report("\(action): \(error)")
            return false
        }
    }
}
