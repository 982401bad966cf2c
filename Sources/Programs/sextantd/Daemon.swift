import Chronology
import Locator
import Logging
import Permission
import Positioning
import ServiceRuntime
import SystemCalls
import Varlink
import Wire

/// The daemon: it creates the services, connects them, and runs the turn on the event loop.
///
/// Data flows in one direction. Ports and clients change the core, and the turn performs the core's
/// effects at its end. Only updates for streams are sent as soon as the core has processed the
/// bytes.
final class Daemon {
    private let loop: EventLoop
    private var log: Logger
    private var configuration: ConfigurationReloader
    private var shutdown = Shutdown()
    private let memory = MemoryTrimmer()
    private let core: Core
    private let server: ClientServer
    private let location: LocationService
    private let visits: VisitService
    private let headings: HeadingService
    private let receivers: ReceiverService
    private let feeds: FeedService
    private let corrections: CorrectionService
    private let sentences: SentenceService
    private let monitors: MonitorService
    private let manager: ManagerService
    private let permissions: Permissions
    private let sessions: SessionService
    private let grants: PermissionService
    private let agents: AgentService
    private let uses: UseRecorder
    /// The effects being performed; empty between turns.
    private var effects: [Effect] = []
    private var permissionEffects: [PermissionEffect] = []

    init(_ sources: SettingsSources, settings: Settings, log: Logger) throws {
        self.log = log
        configuration = ConfigurationReloader(sources, settings: settings)
        loop = try EventLoop()
        core = Core(plansPower: settings.power == .auto)
        server = try ClientServer(loop: loop, log: log, settings: settings)
        let database = StateDatabase(directory: settings.state, log: log)
        permissions = Permissions(database: database, policy: settings.permissions, log: log)
        sessions = SessionService(server: server, permissions: permissions, loop: loop)
        agents = AgentService(server: server, permissions: permissions)
        location = LocationService(
            core: core, server: server, permissions: permissions, loop: loop, memory: memory, settings: settings)
        uses = UseRecorder(
            database, server: server, permissions: permissions, memory: memory, settings: settings, log: log)
        let kept = VisitStore(database, settings: settings, log: log)
        grants = PermissionService(
            permissions: permissions, uses: uses, visits: kept, core: core, location: location, loop: loop, log: log)
        visits = VisitService(
            core: core, server: server, permissions: permissions, loop: loop, memory: memory, store: kept)
        headings = HeadingService(core: core, server: server, permissions: permissions, loop: loop)
        receivers = ReceiverService(
            core: core, server: server, permissions: permissions, location: location, loop: loop, memory: memory,
            settings: settings, log: log)
        sentences = SentenceService(core: core, server: server, permissions: permissions, loop: loop)
        receivers.sentences = sentences
        feeds = FeedService(
            core: core, permissions: permissions, location: location, sentences: sentences, loop: loop,
            settings: settings, log: log)
        corrections = CorrectionService(core: core, feeds: feeds, receivers: receivers, loop: loop)
        monitors = MonitorService(
            core: core, server: server, permissions: permissions, loop: loop, memory: memory, database: database,
            settings: settings, log: log)
        let energy = EnergyAccounting(store: EnergyStore(database), memory: memory, log: log, at: loop.now)
        manager = ManagerService(
            core: core, server: server, permissions: permissions, location: location, receivers: receivers,
            monitors: monitors, loop: loop, energy: energy, database: database, settings: settings)
    }

    /// Runs the service until shutdown and returns the exit code of the process.
    func run() throws -> Int32 {
        EventLoop.ignoreBrokenPipes()
        DescriptorLimit.raise()
        try loop.handle(.terminate) { [unowned self] in beginShutdown() }
        try loop.handle(.interrupt) { [unowned self] in beginShutdown() }
        try loop.handle(.hangup) { [unowned self] in reload() }
        _ = try loop.enableWatchdog()
        try server.open(at: configuration.settings.socket)
        loop.onDeadline = { [unowned self] now in tick(now) }
        loop.afterEachIteration = { [unowned self] in finishTurn() }
        core.updateReferenceTime(at: loop.now)
        permissions.start(on: loop)
        receivers.addDetails = { [unowned self] in
            feeds.mark(&$0, of: $1)
            corrections.mark(&$0, of: $1)
        }
        receivers.apply(configuration.settings, at: loop.now)
        monitors.start(at: loop.now)
        try server.start(
            ClientServer.Handlers(
                call: { [unowned self] session, call in serve(call, from: session) },
                postponement: { [unowned self] call in monitors.postponement(of: call, at: EventLoop.currentTime) },
                callsServed: { [unowned self] in
                    // A decision applies before its reply.
                    performPermissionEffects(at: loop.now)
                    return monitors.finishCalls(at: loop.now)
                },
                receiveUpgraded: { [unowned self] session, bytes in
                    feeds.receive(bytes, from: session, at: loop.now)
                },
                outputDrained: { [unowned self] session in monitors.outputDrained(of: session) },
                closed: { [unowned self] session in
                    uses.sessionClosed(session, at: loop.now)
                    location.sessionClosed(session)
                    visits.sessionClosed(session)
                    headings.sessionClosed(session)
                    feeds.sessionClosed(session)
                    sentences.sessionClosed(session)
                    monitors.sessionClosed(session)
                    sessions.sessionClosed(session)
                    agents.sessionClosed(session)
                    if session.hasUsedMuchMemory { memory.requestTrim() }
                }))
        log.info("sextantd \(SextantVersion.current) listens on \(server.socketName)")
        finishTurn()
        ServiceManager.ready(status: receivers.summary)
        // Reading the command line and the configuration uses code that serving does not need: 3 of
        // 14 MB resident.
        MemoryTrimmer.trim()
        return try loop.run()
    }

    /// Reloads the configuration without dropping clients.
    private func reload() {
        guard !shutdown.hasBegun else { return }
        ServiceManager.reloading()
        if configuration.reload(log) {
            let settings = configuration.settings
            log.logLevel = settings.logLevel
            server.apply(settings)
            location.apply(settings)
            core.updateReferenceTime(at: loop.now)
            permissions.apply(settings)
            uses.apply(settings)
            grants.apply(settings)
            visits.apply(settings)
            receivers.apply(settings, at: loop.now)
            feeds.apply(settings)
            monitors.apply(settings)
            manager.apply(settings)
            log.info("configuration reloaded")
        }
        ServiceManager.ready(status: receivers.summary)
    }

    private func beginShutdown() {
        log.info("stopping")
        ServiceManager.stopping(status: "stopping")
        server.closeAll()
        guard shutdown.begin(at: loop.now) else { return finish(at: loop.now) }
        receivers.finish(at: loop.now)
    }

    /// Saves pending data and exits the event loop.
    private func finish(at now: Instant) {
        monitors.finish(at: now)
        manager.saveAccounts(at: now)
        visits.finish(at: now)
        uses.finish(at: now)
        loop.exit(0)
    }
}

// MARK: The turn
extension Daemon {
    /// Answers a call or begins its stream.
    private func serve(_ call: Call, from session: ClientSession) {
        // A call finds the conditions as the calls before it left them.
        applyConditionChanges(at: loop.now)
        do throws(VarlinkError) {
            try session.checkActing(call)
            switch Interface(rawValue: call.interface) {
            case .location where VisitService.serves(call.method):
                try visits.handle(call, from: session)
            case .location where call.method == LocationMethods.watchHeading.name:
                try headings.handle(call, from: session)
            case .location: try location.handle(call, from: session)
            case .receiver where call.method == ReceiverMethods.feed.name: try feeds.handle(call, from: session)
            case .receiver where call.method == ReceiverMethods.sentences.name:
                try sentences.handle(call, from: session)
            case .receiver where call.method == ReceiverMethods.writeCorrections.name:
                try corrections.handle(call, from: session)
            case .receiver: try receivers.handle(call, from: session)
            case .manager: try manager.handle(call, from: session)
            case .monitor: try monitors.handle(call, from: session)
            case .session: try sessions.handle(call, from: session)
            case .permission: try grants.handle(call, from: session)
            case .agent: try agents.handle(call, from: session)
            case nil: throw call.methodNotImplemented
            }
            uses.served(call, from: session, at: loop.now)
        } catch {
            session.connection.fail(error)
        }
    }

    /// Performs due work.
    private func tick(_ now: Instant) {
        receivers.tick(at: now)
        monitors.tick(at: now)
        server.tick(at: now)
        permissions.tick(at: now)
        performPermissionEffects(at: now)
        location.tick(at: now)
        visits.tick(at: now)
        for id in core.locator.tick(at: now) { receivers.burstEnded(id, at: now) }
    }

    /// Ends a turn: performs the effects of the core, informs clients and sets the next deadline.
    private func finishTurn() {
        let now = loop.now
        repeat {
            performPermissionEffects(at: now)
            applyConditionChanges(at: now)
            core.locator.drainEffects(into: &effects)
            for effect in effects { perform(effect, at: now) }
            // Recorded events may change the monitored conditions: an expired one makes room for
            // another.
        } while !effects.isEmpty || permissions.hasEffects
        monitors.sendPendingNotifications()
        monitors.waking.update(at: now)
        uses.count(monitors.sentEvents, at: now)
        manager.updateAccounts(at: now)
        uses.turnEnded(at: now)
        // Last: any of the above may have found the database damaged.
        permissions.turnEnded(at: now)
        if shutdown.isComplete(at: now, settingsAreRestored: receivers.settingsAreRestored) {
            return finish(at: now)
        }
        receivers.showChanges(at: now)
        location.prepareUpdate(at: now)
        memory.trimIfRequested(at: now)
        setDeadline()
        server.turnEnded()
    }

    private func applyConditionChanges(at now: Instant) {
        guard let changes = monitors.takeConditionChanges(at: now) else { return }
        core.apply(changes, at: now)
        uses.setMonitoring(monitors.monitoringOwners, at: now)
    }

    private func perform(_ effect: Effect, at now: Instant) {
        switch effect {
        case .publish(let update, let streams): location.publish(update, to: streams)
        case .visit(let visit, let watchers):
            visits.publish(visit, to: watchers)
            uses.visitSent(to: watchers.map(\.rawValue))
        case .heading(let update, let watchers): headings.publish(update, to: watchers)
        case .answer(let id, let position, let age, let burstAge):
            location.answer(id, with: position, age: age, burstAge: burstAge)
            uses.requestEnded(id.rawValue, wasAnswered: true, at: now)
        case .reject(let id, let reason):
            location.reject(id, reason: reason)
            uses.requestEnded(id.rawValue, wasAnswered: false, at: now)
        case .epoch(let id, let fix):
            manager.countEpoch(hasFix: fix.coordinate != nil)
            receivers.recordEpoch(of: id, fix, at: now)
        case .conditionsChanged(let events):
            monitors.record(events, at: now)
            // The last condition of a program may have expired.
            uses.setMonitoring(monitors.monitoringOwners, at: now)
        case .conditionsDetermined(let determinations): monitors.record(determinations, at: now)
        case .receiverChanged: receivers.receiverChanged()
        case .plan(let id, let plan): receivers.apply(plan, to: id, at: now)
        case .readPolicy(let id, let policy): receivers.apply(policy, to: id)
        }
    }

    private func performPermissionEffects(at now: Instant) {
        permissions.drainEffects(into: &permissionEffects)
        for effect in permissionEffects { perform(effect, at: now) }
        permissionEffects.removeAll(keepingCapacity: true)
        permissions.saveLeases()
    }

    private func perform(_ effect: PermissionEffect, at now: Instant) {
        switch effect {
        case .verdictChanged(let program, _):
            // A later effect of this turn may have changed it again.
            let verdict = permissions.verdict(of: program)
            uses.verdictChanged(of: program, at: now) {
                location.verdictChanged(of: program, to: verdict)
                visits.verdictChanged(of: program, to: verdict)
                headings.verdictChanged(of: program, to: verdict)
                sentences.verdictChanged(of: program, to: verdict)
            }
            monitors.verdictChanged(of: program, to: verdict, at: now)
            receivers.verdictChanged(of: program)
            sessions.verdictChanged(of: program, to: verdict)
        case .diagnosticsChanged(let client, let flags): sessions.diagnosticsChanged(of: client, to: flags)
        case .ask(let agent, let request): agents.ask(request, agent: agent)
        case .withdraw(let agent, let request): agents.withdraw(request, agent: agent)
        case .leaseChanged(let program):
            permissions.leasesChanged()
            sessions.leaseChanged(of: program)
        }
    }

    private func setDeadline() {
        var deadline = earliest(core.locator.deadline(isWatched: receivers.isWatched), receivers.deadline)
        deadline = earliest(earliest(deadline, shutdown.deadline), earliest(monitors.deadline, server.deadline))
        deadline = earliest(earliest(deadline, location.deadline), memory.deadline)
        deadline = earliest(earliest(deadline, visits.deadline), earliest(permissions.deadline, uses.deadline))
        do {
            try loop.setDeadline(deadline)
        } catch {
            log.critical("cannot set the timer: \(error)")
            loop.exit(1)
        }
    }
}
