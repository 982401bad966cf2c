import Chronology
import Glibc
import Locator
import Logging
import Permission
import Receivers
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// Serves `io.sextant.Manager`: the status of the daemon, its active requests and the energy use of
/// receivers.
final class ManagerService: Service {
    /// The number of days reported by default.
    private static let defaultDays = 7

    /// What this daemon can do beside its interfaces.
    private static let features = ["permissions", "reduced", "heading", "station"]

    let context: ServiceContext
    let methods = [
        ManagerMethods.getStatus.name, ManagerMethods.getPower.name, ManagerMethods.getConsumers.name,
        ManagerMethods.watch.name,
    ]
    private let location: LocationService
    private let receivers: ReceiverService
    private let monitors: MonitorService
    private let track: TrackService
    private let beacons: BeaconService
    private let energy: EnergyAccounting
    private let started: Instant
    private var watches = StatusWatches()
    /// Programs with monitored conditions, and when their monitoring began in this run.
    private var monitoringSince: [ProgramID: (at: Instant, date: UTCTime)] = [:]

    init(
        _ context: ServiceContext, location: LocationService, receivers: ReceiverService, monitors: MonitorService,
        track: TrackService, beacons: BeaconService
    ) {
        self.context = context
        self.track = track
        self.beacons = beacons
        self.location = location
        self.receivers = receivers
        self.monitors = monitors
        started = context.loop.now
        energy = EnergyAccounting(
            store: EnergyStore(context.database), memory: context.memory, log: context.log, at: started)
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case ManagerMethods.getStatus.name:
            session.reply(to: ManagerMethods.getStatus, GetStatusReply(status: status(for: session)))
        case ManagerMethods.getPower.name:
            try requireInsight(session)
            try session.serve(ManagerMethods.getPower, call: call) { parameters throws(VarlinkError) in
                try power(parameters)
            }
        case ManagerMethods.getConsumers.name:
            try requireInsight(session)
            session.reply(to: ManagerMethods.getConsumers, consumers)
        case ManagerMethods.watch.name: try watch(call, from: session)
        default: throw call.methodNotImplemented
        }
    }

    private func status(for session: ClientSession) -> Status {
        let now = loop.now
        let reports = context.locator.reports(at: now)
        var status = Status(
            version: SextantVersion.current, pid: Int(getpid()), uptime: (now - started).seconds,
            socket: server.socketName, summary: receivers.summary)
        status.stateDirectory = context.settings.state
        status.configuration = context.settings.files
        status.connections = server.count
        status.enabled = permissions.failure == nil ? permissions.locationSwitch.isOn : nil
        status.discovers = context.settings.discover
        status.state =
            StateInspection(database: context.database, permissions: permissions.failure).message
        status.features = ManagerService.features
        if permissions.verdict(of: session.owner).allowsFullLocation {
            status.restingSince = context.locator.restingSince(at: now)
            status.station = context.locator.fixedPlace.map { StationReport($0, at: now) }
        }
        status.streams = context.locator.requests.streamCount - (track.recorder == nil ? 0 : 1)
        status.receivers = reports.count
        status.receiversWithFix = reports.count { $0.health == .hasFix }
        guard hasInsight(session) else { return status }
        let updates = location.updateCounts
        status.updatesDropped = updates.dropped
        status.updatesSent = updates.published - updates.dropped
        let wakeups = Int(clamping: loop.wakeupCount)
        status.wakeups = wakeups
        if receivers.fixCount > 0 { status.wakeupsPerFix = Double(wakeups) / Double(receivers.fixCount) }
        let minutes = (now - started).seconds / 60
        if minutes >= 1 { status.wakeupsPerMinute = Double(wakeups) / minutes }
        return status
    }
}

// MARK: Watching
extension ManagerService {
    private func watch(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let interval = try call.decode(ManagerMethods.watch).minimumInterval ?? 1
        guard WatchStatusParameters.minimumIntervalRange.contains(interval) else {
            throw ServiceError.invalid("minimumInterval")
        }
        guard call.mode == .more else {
            return session.reply(to: ManagerMethods.watch, watchedStatus(for: session))
        }
        session.begin(.watch)
        _ = permissions.follow(session.owner)
        let status = watchedStatus(for: session)
        watches.begin(session.number, interval: .seconds(interval), with: status, at: loop.now)
        session.publish(status, to: ManagerMethods.watch)
    }

    private func watchedStatus(for session: ClientSession) -> WatchedStatus {
        let status = status(for: session)
        guard hasInsight(session) else { return WatchedStatus(status: status) }
        let all = consumers
        return WatchedStatus(
            status: status, consumers: all.consumers, activities: all.activities, allowsSleep: all.allowsSleep,
            sessions: all.sessions, leases: all.leases)
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        if watches.end(session.number) { permissions.unfollow(session.owner) }
    }

    /// Clients that watch get what they may know now, instead of what they have not read.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {
        guard !watches.isEmpty else { return }
        for session in server.sessions(of: program, where: \.activity.isWatch) where watches.contains(session.number) {
            server.discardUpdates(of: session)
            watches.invalidate(session.number, at: now)
        }
    }

    private func sendToWatches(at now: Instant) {
        for (number, status) in watches.endTurn(at: now, status: { server[$0].map { watchedStatus(for: $0) } }) {
            guard let session = server[number] else { continue }
            session.publish(status, to: ManagerMethods.watch)
            server.flush(session)
        }
    }

    var deadline: Instant? { watches.deadline }
}

// MARK: The turn
extension ManagerService {
    /// Updates the energy accounts if their inputs changed in this turn. Saves them once per hour.
    func endTurn(at now: Instant) {
        if energy.isOutdated(revisions) { updateEnergy(at: now) }
        energy.discardOldCache(at: now)
        if energy.isSaveDue(at: now) { save(at: now) }
        if !watches.isEmpty { sendToWatches(at: now) }
    }

    func stop(at now: Instant) { save(at: now) }

    /// Updates and saves the energy accounts.
    private func save(at now: Instant) {
        updateEnergy(at: now, includingUnchanged: true)
        energy.save(at: now)
    }

    private var revisions: EnergyAccounting.Revisions {
        EnergyAccounting.Revisions(demands: context.locator.power.revision, receivers: receivers.powerRevision)
    }

    private func updateEnergy(at now: Instant, includingUnchanged: Bool = false) {
        energy.beginUpdate(revisions)
        energy.update(
            powerSamples(at: now), wakeups: loop.wakeupCount, at: now, includingUnchanged: includingUnchanged)
    }

    private func powerSamples(at now: Instant) -> [ReceiverPowerSample] {
        let demands = context.locator.requests.demands
        let monitoring = monitoringDemands(at: now)
        return receivers.ports.compactMap { port in
            guard let state = port.session.powerState else { return nil }
            var consumers = monitoring
            for entry in demands where entry.applies(toName: port.name, port: port.device.path) {
                guard let demand = entry.demand, let consumer = server[entry.id.rawValue]?.activity.request?.consumer
                else { continue }
                let consumerDemand = ConsumerDemand(consumer, demand: demand, needsOnlyDutyCycle: entry.isPaused)
                if !consumers.contains(consumerDemand) { consumers.append(consumerDemand) }
            }
            return ReceiverPowerSample(port.name, state: state, demands: consumers, chip: receivers.chip(of: port))
        }
    }

    /// Returns the demands of the programs with monitored conditions. All need the next position
    /// that the boundaries require.
    private func monitoringDemands(at now: Instant) -> [ConsumerDemand] {
        guard let next = context.locator.conditions.nextFixRequest else {
            monitoringSince = [:]
            return []
        }
        let owners = Set(monitors.registry.monitored.owners)
        monitoringSince = monitoringSince.filter { owners.contains($0.key) }
        for owner in owners where monitoringSince[owner] == nil { monitoringSince[owner] = (now, HostClock.utc) }
        let demand = Demand(
            interval: max(next.notBefore - now, .seconds(1)), stationaryCheckInterval: next.stationaryCheckInterval)
        let isStationary = context.locator.requests.boundaryRestingPlace != nil
        return owners.sorted().map {
            ConsumerDemand(.program(Program($0), .monitors), demand: demand, needsOnlyDutyCycle: isStationary)
        }
    }
}

// MARK: Reports
extension ManagerService {
    private func power(_ parameters: GetPowerParameters) throws(VarlinkError) -> Power {
        let days = parameters.days ?? ManagerService.defaultDays
        guard (1...EnergyHistory.capacity).contains(days) else { throw ServiceError.invalid("days") }
        let now = loop.now
        updateEnergy(at: now, includingUnchanged: true)
        let total = energy.total
        let today = HostClock.plausibleUTC.date.daysSince1970
        let range = today - days + 1...today
        let byDay = energy.history(at: now).days.filter { range.contains($0.key.daysSince1970) }.sorted {
            $0.key > $1.key
        }
        // Earlier days may belong to another run and include receivers that this run has not seen.
        let all = byDay.reduce(into: total) { $0.add($1.value) }
        let receiver = parameters.receiver
        let estimates = all.receivers.sorted { $0.key < $1.key }.filter { receiver == nil || receiver == $0.key }
        return Power(
            start: EnergyReport(total, of: receiver, day: nil),
            days: byDay.map { EnergyReport($0.value, of: receiver, day: $0.key) }.filter {
                $0.milliwatts != nil
            },
            estimates: estimates.map { PowerEstimate($0.key, usage: $0.value) }, beacons: beacons.reception)
    }

    /// The active requests and the activity of the receivers.
    private var consumers: Consumers {
        let now = loop.now
        updateEnergy(at: now)
        let samples = energy.samples
        let awake = receivers.ports.filter { port in
            samples.contains { $0.receiver == port.name && $0.state.isAwake }
        }
        var reply = Consumers(
            consumers: clients(awake: awake, at: now) + monitoringPrograms(areHolding: !awake.isEmpty, at: now)
                + [track.consumer(at: now)].compactMap { $0 },
            activities: samples.map { sample in
                let began = energy.stateBegan(of: sample.receiver) ?? now
                return ReceiverActivity(
                    receiver: sample.receiver, state: PowerState(sample.state), seconds: (now - began).seconds)
            },
            allowsSleep: context.settings.power == .auto)
        reply.sessions = permissions.openSessions.map {
            DeclaredSession(
                $0.program, requirement: $0.requirement, purpose: $0.purpose, isEffective: $0.isEffective)
        }
        reply.leases = permissions.leaseHolders.map {
            DeclaredLease($0.program, since: $0.since, isHeld: permissions.holdsLease($0.program))
        }
        return reply
    }

    /// Returns the requests of connected clients, in the order of connection.
    private func clients(awake: [Port], at now: Instant) -> [Consumer] {
        let demands = Dictionary(
            context.locator.requests.demands.map { ($0.id.rawValue, $0) }, uniquingKeysWith: { $1 })
        let sessions = server.sessions { $0.activity.request != nil }.sorted { $0.number < $1.number }
        return sessions.compactMap { session in
            guard let request = session.activity.request else { return nil }
            var message = Consumer(request, process: session.peer.process, at: now)
            message.owner = (request.namespace ?? session.owner).description
            guard let entry = demands[session.number] else { return message }
            message.interval = entry.demand?.interval.seconds
            message.silent = entry.isPaused
            guard let demand = entry.demand, !entry.isPaused || demand.stationaryCheckInterval == nil else {
                return message
            }
            message.holds = awake.contains { entry.applies(toName: $0.name, port: $0.device.path) }
            return message
        }
    }

    /// Returns the programs with monitored conditions, connected or not.
    private func monitoringPrograms(areHolding: Bool, at now: Instant) -> [Consumer] {
        let isStationary = context.locator.requests.boundaryRestingPlace != nil
        return monitoringSince.sorted { $0.key < $1.key }.map { owner, since in
            let request = ActiveRequest(
                .monitors, program: Program(owner), receiver: nil, at: since.at, date: since.date)
            var message = Consumer(request, process: nil, at: now)
            message.owner = owner.description
            message.silent = isStationary
            message.holds = !isStationary && areHolding
            return message
        }
    }
}

extension ReceiverPowerState {
    /// Whether the receiver runs and its port is open.
    fileprivate var isAwake: Bool {
        switch self {
        case .acquiring, .tracking, .powerSave: true
        case .off, .standby, .stopped, .closed: false
        }
    }
}
