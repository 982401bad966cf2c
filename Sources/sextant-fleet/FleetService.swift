import Chronology
import Fleet
import FleetStore
import Geofencing
import Systemd
import Varlink
import Wire

/// Reports positions of the daemon and events of monitors to servers. Each has a ``Reporter``.
final class FleetService {
    /// The monitor whose conditions servers set.
    static let remoteMonitor = "fleet"

    private let loop: EventLoop
    private let reporters: [Reporter]
    private let statusFile: StatusFile
    private let fences: RemoteFences
    private let monitorFences: MonitorFences
    private var monitors: [MonitorReader] = []
    private let memory = MemoryTrimmer(minInterval: .seconds(60))
    private var wasIdle = false

    /// Creates a service that keeps its records in the directory `state`.
    ///
    /// - Parameter destinations: At least one, each at most once.
    init(
        _ destinations: [Reporter.Options], state: String, monitors names: [String], socket: String, loop: EventLoop,
        log: FleetLog
    ) throws {
        self.loop = loop
        reporters = try destinations.map { options in
            try Reporter(
                options, outbox: OutboxFile(of: options.destination, state: state).path, socket: socket, loop: loop,
                log: log)
        }
        guard let first = reporters.first else { throw FleetError.settings("there is no destination") }
        statusFile = StatusFile(state: state)
        // All servers set the fences of one monitor.
        fences = RemoteFences(socket: socket, outbox: first.outbox)
        monitorFences = MonitorFences(of: Set(names).subtracting([FleetService.remoteMonitor]).sorted(), socket: socket)
        for reporter in reporters {
            reporter.connected = { [weak self] reporter in self?.sendFences(to: reporter) }
            reporter.carryOut = { [weak self] command, reporter in self?.carryOut(command, of: reporter) }
        }
        for name in Set(names + [FleetService.remoteMonitor]).sorted() {
            monitors.append(
                MonitorReader(name, socket: socket, loop: loop) { [weak self] event in
                    self?.receive(event, of: name) ?? false
                })
        }
        loop.onDeadline = { [unowned self] now in tick(at: now) }
        loop.afterEachIteration = { [unowned self] in finishIteration() }
        fences.restore(report: { first.report($0) })
        try loop.setDeadline(deadline)
    }

    /// Writes what is in memory before the program ends.
    func stop() {
        for reporter in reporters { reporter.stop() }
        writeStatus(at: loop.now, isForced: true)
    }

    /// Adds an event to all outboxes. Returns whether it is on disk.
    private func receive(_ message: EventMessage, of monitor: String) -> Bool {
        let created = created(message, of: monitor)
        guard let event = FleetEvent(message, of: monitor, created: created) else { return true }
        // One that is already in an outbox is not added again.
        return reporters.map { $0.add(event, isFirst: message.kind == .determined) }.allSatisfy(\.self)
    }

    /// The time at which the fence of an event was created; nil if it is not known. A fence that is
    /// new or replaced has its first event soon.
    private func created(_ event: EventMessage, of monitor: String) -> Int64? {
        guard monitor != FleetService.remoteMonitor else { return fences.created(event.identifier, of: monitor) }
        let known = monitorFences.created(event.identifier, of: monitor)
        guard known == nil || event.kind == .determined else { return known }
        let changed = monitorFences.refresh()
        for reporter in reporters { reporter.send(monitorFences.all, changed: changed) }
        return monitorFences.created(event.identifier, of: monitor)
    }

    /// Sends the fences of the monitors to a server that does not have them.
    private func sendFences(to reporter: Reporter) {
        _ = monitorFences.refresh()
        reporter.send(monitorFences.all, changed: nil)
    }

    private func carryOut(_ command: OwnTracksCommand, of reporter: Reporter) {
        func answer(_ action: String, refusal: String? = nil) {
            let isReduced = reporter.isReduced
            reporter.answer(
                CommandResult(action: action, refusal: refusal), fences: isReduced ? [] : fences.current,
                others: isReduced ? [] : monitorFences.all)
        }
        switch command {
        case .reportLocation: reporter.answer()
        case .waypoints where reporter.isReduced, .setWaypoints where reporter.isReduced:
            // Fences are exact places, and crossing them reveals the position.
            answer(command.action, refusal: "the server gets reduced locations, and no fences")
        case .waypoints:
            _ = monitorFences.refresh()
            answer(command.action)
        case .setWaypoints(let change): answer(command.action, refusal: fences.apply(change))
        case .refused(let action, let reason): answer(action, refusal: reason)
        }
    }

    private func tick(at now: Instant) {
        for monitor in monitors { monitor.tick(at: now) }
        for reporter in reporters { reporter.tick(at: now) }
    }

    private func finishIteration() {
        for reporter in reporters { reporter.sendDue() }
        // The memory of a TLS handshake, or of many records, is not needed for the next one.
        let isIdle = reporters.allSatisfy { $0.isIdle(at: loop.now) }
        if isIdle, !wasIdle { memory.requestTrim() }
        wasIdle = isIdle
        memory.trimIfRequested(at: loop.now)
        writeStatus(at: loop.now, isForced: false)
        try? loop.setDeadline(deadline)
    }

    private var deadline: Instant? {
        var next: Instant?
        for monitor in monitors { next = earliest(next, monitor.deadline) }
        for reporter in reporters { next = earliest(next, reporter.deadline) }
        return next
    }

    private func writeStatus(at now: Instant, isForced: Bool) {
        statusFile.write(reporters.map(\.presentStatus), at: now, isForced: isForced) { index in
            try? reporters[index].outbox.oldestTime()
        }
    }
}
