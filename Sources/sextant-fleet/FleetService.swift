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
        for reporter in reporters {
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
        let created = fences.created(message.identifier, of: monitor)
        guard let event = FleetEvent(message, of: monitor, created: created) else { return true }
        // One that is already in an outbox is not added again.
        return reporters.map { $0.add(event, isFirst: message.kind == .determined) }.allSatisfy(\.self)
    }

    private func carryOut(_ command: OwnTracksCommand, of reporter: Reporter) {
        switch command {
        case .reportLocation: reporter.answer()
        case .waypoints where reporter.isReduced, .setWaypoints where reporter.isReduced:
            // Fences are exact places, and crossing them reveals the position.
            reporter.answer(
                CommandResult(action: "waypoints", refusal: "the server gets reduced locations, and no fences"),
                fences: [])
        case .waypoints: reporter.answer(CommandResult(action: "waypoints"), fences: fences.current)
        case .setWaypoints(let change):
            let refusal = fences.apply(change)
            reporter.answer(CommandResult(action: "setWaypoints", refusal: refusal), fences: fences.current)
        case .refused(let action, let reason):
            reporter.answer(
                CommandResult(action: action, refusal: reason), fences: reporter.isReduced ? [] : fences.current)
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
