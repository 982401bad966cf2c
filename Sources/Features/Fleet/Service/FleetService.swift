import Chronology
import Glibc
import ServiceRuntime
import SextantAPI

/// Reports positions of the daemon and events of monitors to servers. Each has a ``Reporter``.
package final class FleetService {
    /// The time in seconds for a position that a server requests, less than that of a call.
    private static let positionTimeout = 8.0
    private static let withheldPosition = "the device reports no position now"

    /// An event that is not on disk yet.
    private struct WaitingEvent {
        var message: Event
        var stream: MonitorEventStream
        /// Whether the fences have been read since the event arrived.
        var isRefreshed = false
    }

    private let loop: EventLoop
    private let reporters: [Reporter]
    private let statusFile: StatusFile
    private let calls: DaemonCalls
    /// The calls for positions: the daemon answers the calls of one connection in turn, and a
    /// position can take seconds.
    private let positions: DaemonCalls
    private let fences: RemoteFences
    private let monitorFences: MonitorFences
    private let monitors: [MonitorEventStream]
    /// The events in the order of their arrival, while the fences are read.
    private var waiting: [WaitingEvent] = []
    private var isRefreshing = false
    private let memory = MemoryTrimmer(minInterval: .seconds(60))
    private var wasIdle = false

    /// Creates a service that keeps its records in the directory `state`.
    ///
    /// - Parameter destinations: At least one, each at most once; a Home Assistant is the only one.
    package init(
        _ destinations: [Reporter.Options], state: String, monitors names: [String], socket: String, loop: EventLoop,
        log: ProgramLog
    ) throws {
        guard !destinations.isEmpty else { throw FleetError.settings("there is no destination") }
        if destinations.count > 1, let home = destinations.first(where: { $0.destination.isHomeAssistant })?.destination
        {
            throw FleetError.settings(
                "\(home.name) cannot be combined with other destinations, which would get its token: report to it with "
                    + "a unit of its own")
        }
        self.loop = loop
        let files = destinations.map { OutboxFile(of: $0.destination, state: state).path }
        let store = try FenceFile(state: state).store(importingFrom: files, log: log)
        reporters = try zip(destinations, files).map { options, path in
            try Reporter(options, outbox: path, socket: socket, loop: loop, log: log)
        }
        statusFile = StatusFile(state: state, log: log)
        calls = DaemonCalls(of: socket, in: loop)
        positions = DaemonCalls(of: socket, in: loop)
        fences = try RemoteFences(store, calls: calls) { log.write($0, priority: .warning) }
        let others = Set(names).subtracting([RemoteFences.monitor]).sorted()
        monitorFences = MonitorFences(of: others, calls: calls)
        monitors = (others + [RemoteFences.monitor]).map { [calls] name in
            MonitorEventStream(name, socket: socket, calls: calls, loop: loop)
        }
        try start()
    }

    private func start() throws {
        for reporter in reporters {
            reporter.connected = { [weak self] reporter in self?.sendFences(to: reporter) }
            reporter.carryOut = { [weak self] command, reporter in self?.carryOut(command, of: reporter) }
        }
        for monitor in monitors {
            monitor.received = { [weak self] event, stream in self?.receive(event, of: stream) }
            // The daemon may have been away, or may have lost the fences.
            if monitor.name == RemoteFences.monitor {
                monitor.opened = { [weak self] in self?.fences.restore() }
            }
            monitor.open()
        }
        loop.onDeadline = { [unowned self] now in tick(at: now) }
        loop.afterEachIteration = { [unowned self] in finishIteration() }
        loop.setDeadline(deadline)
    }

    /// Writes what is in memory before the program ends.
    package func stop() {
        for reporter in reporters { reporter.stop() }
        writeStatus(at: loop.now, isForced: true)
    }

    private func tick(at now: Instant) {
        calls.tick(at: now)
        positions.tick(at: now)
        fences.tick(at: now)
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
        loop.setDeadline(deadline)
    }

    private var deadline: Instant? {
        var next = earliest(earliest(calls.deadline, fences.deadline), statusFile.deadline)
        next = earliest(next, positions.deadline)
        for monitor in monitors { next = earliest(next, monitor.deadline) }
        for reporter in reporters { next = earliest(next, reporter.deadline) }
        return next
    }

    private func writeStatus(at now: Instant, isForced: Bool) {
        statusFile.write(reporters.map(\.presentStatus), at: now, isForced: isForced) { index in
            reporters[index].oldestTime
        }
    }
}

// Events.
extension FleetService {
    private func receive(_ message: Event, of stream: MonitorEventStream) {
        waiting.append(WaitingEvent(message: message, stream: stream))
        processWaiting()
    }

    /// Adds the events that arrived to all outboxes, in their order.
    private func processWaiting() {
        while !isRefreshing, let next = waiting.first {
            guard next.isRefreshed || !needsRefresh(next) else { return refreshFences() }
            waiting.removeFirst()
            if process(next) {
                next.stream.acknowledge(next.message)
            } else {
                // The daemon sends those that followed again too.
                waiting.removeAll { $0.stream === next.stream }
                next.stream.postpone()
            }
        }
    }

    /// A fence that is new or replaced has its first event soon.
    private func needsRefresh(_ event: WaitingEvent) -> Bool {
        guard event.stream.name != RemoteFences.monitor else { return false }
        return event.message.kind == .determined
            || monitorFences.created(event.message.identifier, of: event.stream.name) == nil
    }

    /// Reads the fences of all events that wait, while these wait. Without an answer of the daemon,
    /// the fences that are known must do.
    private func refreshFences() {
        isRefreshing = true
        monitorFences.refresh { [weak self] changed in
            guard let self else { return }
            isRefreshing = false
            for index in waiting.indices { waiting[index].isRefreshed = true }
            for reporter in reporters { reporter.send(monitorFences.all, changed: changed) }
            processWaiting()
        }
    }

    /// Adds an event to all outboxes. Returns whether it is on disk.
    private func process(_ event: WaitingEvent) -> Bool {
        let message = event.message
        let isRemote = event.stream.name == RemoteFences.monitor
        if isRemote, fences.isUndone(message.identifier) { return true }
        let created =
            isRemote
            ? fences.created(message.identifier) : monitorFences.created(message.identifier, of: event.stream.name)
        guard let event = FleetEvent(message, of: event.stream.name, created: created) else { return true }
        // One that is already in an outbox is not added again.
        return reporters.map { $0.add(event, isFirst: message.kind == .determined) }.allSatisfy(\.self)
    }
}

// Commands of servers.
extension FleetService {
    /// Sends the fences of the monitors to a server that does not have them.
    private func sendFences(to reporter: Reporter) {
        monitorFences.refresh { [weak self, weak reporter] _ in
            guard let self else { return }
            reporter?.send(monitorFences.all, changed: nil)
        }
    }

    private func carryOut(_ command: OwnTracksCommand, of reporter: Reporter) {
        let answer: (_ refusal: String?) -> Void = { [weak self, weak reporter] refusal in
            guard let self, let reporter else { return }
            let isReduced = reporter.isReduced
            reporter.sendResult(
                CommandResult(action: command.action, refusal: refusal), fences: isReduced ? [] : fences.current,
                others: isReduced ? [] : monitorFences.all)
        }
        switch command {
        case .reportLocation: reportLocation(to: reporter)
        case .waypoints where reporter.isReduced, .setWaypoints where reporter.isReduced:
            // Fences are exact places, and crossing them reveals the position.
            answer("the server gets reduced locations, and no fences")
        case .waypoints: monitorFences.refresh { _ in answer(nil) }
        case .setWaypoints(let change): fences.apply(change, completion: answer)
        case .refused(_, let reason): answer(reason)
        }
    }

    /// Reports the present position, and answers. The daemon may need some seconds for it.
    private func reportLocation(to reporter: Reporter) {
        let answer: (_ refusal: String?) -> Void = { [weak self, weak reporter] refusal in
            guard let self, let reporter else { return }
            reporter.sendResult(
                CommandResult(
                    action: OwnTracksCommand.reportLocation.action, refusal: refusal, listsFences: false),
                fences: reporter.isReduced ? [] : fences.current, others: [])
        }
        guard !reporter.isQuiet else { return answer(FleetService.withheldPosition) }
        // A new reduced location would reveal more than the last one.
        guard !reporter.isReduced else {
            return answer(reporter.sendNewestPosition() ? nil : FleetService.withheldPosition)
        }
        let parameters = GetLocationParameters(timeout: FleetService.positionTimeout)
        positions.call(LocationMethods.getLocation, with: parameters) { [weak reporter] result in
            switch result {
            case .failure(let error): answer("\(error)")
            case .success(let reply):
                guard let point = FleetPoint(reply.location) else {
                    return answer("the receiver does not know the date yet")
                }
                answer(reporter?.addRequested(point) == true ? nil : FleetService.withheldPosition)
            }
        }
    }
}

/// The file of the outbox of a destination, in the state directory.
struct OutboxFile {
    let path: String

    /// Earlier versions named the file by the path of the destination: such a file is renamed, so
    /// that its records are not left behind.
    init(of destination: Destination, state: String) {
        path = "\(state)/outbox-\(destination.fileName).db"
        let former = "\(state)/outbox-\(destination.formerFileName).db"
        guard former != path, access(path, F_OK) != 0, access(former, F_OK) == 0 else { return }
        // The log of changes first: in the other order a crash would lose it.
        for suffix in ["-wal", "-shm", ""] { _ = rename(former + suffix, path + suffix) }
    }
}
