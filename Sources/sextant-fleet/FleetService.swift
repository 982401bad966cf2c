import Chronology
import DaemonLink
import Delivery
import Fleet
import FleetStore
import Geodesy
import Store
import Systemd
import Varlink
import Wire

/// Reports positions of the daemon and events of monitors to one server.
final class FleetService {
    /// The monitor whose conditions servers set.
    static let remoteMonitor = "fleet"

    /// What is reported, and where the records are kept.
    struct Options {
        var state: String
        var destination: Destination
        var user: String
        var device: String
        var tolerance: Double
        var monitors: [String]
    }

    private let loop: EventLoop
    private let log: FleetLog
    private let outbox: FleetOutbox
    private let statusFile: StatusFile
    private let fences: RemoteFences
    private var uplink: (any Uplink)?
    private var order: SendOrder
    private var nextSend: Instant?
    private var updates: DaemonStream<SubscribeParameters, SubscribeReply>?
    private var monitors: [MonitorReader] = []
    /// The newest position, which a server may request again.
    private var last: FleetRecord?
    private var status = FleetStatus()

    init(_ options: Options, socket: String, loop: EventLoop, log: FleetLog) throws {
        self.loop = loop
        self.log = log
        do throws(StoreError) {
            outbox = try FleetOutbox(
                path: "\(options.state)/outbox.db", tolerance: options.tolerance, hostTime: HostClock.utc)
        } catch {
            throw FleetError.outbox(error)
        }
        statusFile = StatusFile(state: options.state)
        fences = RemoteFences(socket: socket, outbox: outbox)
        order = SendOrder()
        status.destination = "\(options.destination.transport.rawValue)://\(options.destination.host)"
        let uplink = makeUplink(options)
        self.uplink = uplink
        order = SendOrder(maxInFlight: uplink.maxInFlight)
        updates = DaemonStream(LocationMethods.subscribe, of: socket, in: loop) { [weak self] event in
            guard let self else { return }
            switch event {
            case .reply(let reply): receive(reply)
            case .lost(let error): report("\(error)")
            }
        }
        let tolerance = options.tolerance > 0 ? options.tolerance : nil
        updates?.request(SubscribeParameters(configuration: .otherNavigation, tolerance: tolerance))
        for name in Set(options.monitors + [FleetService.remoteMonitor]).sorted() {
            monitors.append(
                MonitorReader(name, socket: socket, loop: loop) { [weak self] event in
                    self?.receive(event, of: name) ?? false
                })
        }
        loop.onDeadline = { [unowned self] now in tick(at: now) }
        loop.afterEachIteration = { [unowned self] in finishIteration() }
        fences.restore(report: { [weak self] in self?.report($0) })
        try loop.setDeadline(deadline)
    }

    /// A device that has just started waits for a random time, so that a fleet does not connect all
    /// at once after a power failure.
    private func makeUplink(_ options: Options) -> any Uplink {
        let isBoot = EventLoop.currentTime < .zero + .seconds(120)
        let delay = Instant.Span.seconds(isBoot ? Double.random(in: 0...60) : 0)
        let handler: (UplinkEvent) -> Void = { [weak self] event in self?.process(event) }
        if options.destination.isMQTT {
            return MQTTUplink(
                options.destination, user: options.user, device: options.device, delay: delay, loop: loop,
                handler: handler)
        }
        return HTTPUplink(
            options.destination, user: options.user, device: options.device, delay: delay, loop: loop, handler: handler)
    }

    /// Writes what is in memory before the program ends.
    func stop() {
        try? outbox.close()
        writeStatus(at: loop.now, isForced: true)
    }

    private func receive(_ reply: SubscribeReply) {
        guard let point = FleetPoint(reply.location) else { return }
        attempt("adding a position") { () throws(StoreError) in
            if let sequence = try outbox.add(point, at: loop.now) { last = FleetRecord(sequence, .point(point)) }
        }
    }

    private func receive(_ event: EventMessage, of monitor: String) -> Bool {
        guard let event = FleetEvent(event, of: monitor, created: fences.created(event.identifier, of: monitor)) else {
            return true
        }
        return attempt("adding an event") { () throws(StoreError) in
            try outbox.add(event, key: event.key)
        }
    }

    private func process(_ event: UplinkEvent) {
        switch event {
        case .connected:
            status.isConnected = true
            status.lastError = nil
            order = SendOrder(maxInFlight: uplink?.maxInFlight ?? 1)
            log.write("connected to \(status.destination)")
        case .delivered(let sequence, let bytes):
            status.lastAcknowledged = HostClock.utc
            status.addBytes(bytes, month: HostClock.month)
            attempt("deleting a record") { () throws(StoreError) in try outbox.acknowledge(sequence, at: loop.now) }
        case .command(let command): carryOut(command)
        case .lost(let reason):
            status.isConnected = false
            outbox.connectionEnded()
            report(reason)
        }
    }

    private func carryOut(_ command: OwnTracksCommand) {
        switch command {
        case .reportLocation:
            if let last { uplink?.answer(with: last) }
        case .waypoints: uplink?.report(CommandResult(action: "waypoints"), fences: fences.current)
        case .setWaypoints(let change):
            let refusal = fences.apply(change)
            uplink?.report(CommandResult(action: "setWaypoints", refusal: refusal), fences: fences.current)
        case .refused(let action, let reason):
            uplink?.report(CommandResult(action: action, refusal: reason), fences: fences.current)
        }
    }

    private func sendDue() {
        nextSend = nil
        guard let uplink, uplink.isReady else { return }
        attempt("reading the outbox") { () throws(StoreError) in
            while uplink.isReady {
                let step = order.next(
                    try outbox.queue(), pointsInFlight: outbox.pointsInFlight,
                    eventsInFlight: outbox.eventsInFlightCount, at: loop.now)
                switch step {
                case .send(let sequence):
                    if let record = try outbox.take(sequence), !uplink.send(record) { return }
                case .wait(let until):
                    nextSend = until
                    return
                }
            }
        }
    }

    private func tick(at now: Instant) {
        updates?.tick(at: now)
        for monitor in monitors { monitor.tick(at: now) }
        uplink?.tick(at: now)
        attempt("writing the outbox") { () throws(StoreError) in try outbox.tick(at: now) }
    }

    private func finishIteration() {
        sendDue()
        writeStatus(at: loop.now, isForced: false)
        try? loop.setDeadline(deadline)
    }

    private var deadline: Instant? {
        var next = earliest(earliest(updates?.deadline, uplink?.deadline), earliest(outbox.deadline, nextSend))
        for monitor in monitors { next = earliest(next, monitor.deadline) }
        return next
    }

    private func writeStatus(at now: Instant, isForced: Bool) {
        status.points = outbox.pointCount
        status.events = outbox.eventCount
        statusFile.write(status, at: now, isForced: isForced) { try? outbox.oldestTime() }
    }

    private func report(_ reason: String) {
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
