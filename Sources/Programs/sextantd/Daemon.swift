import Chronology
import Logging
import ServiceRuntime
import SystemCalls
import Varlink

/// The daemon: it runs the turn of its services on the event loop.
///
/// Data flows in one direction. Ports and clients change the core, and the turn performs the core's
/// effects at its end. Only updates for streams are sent as soon as the core has processed the
/// bytes.
final class Daemon {
    private var log: Logger
    private var configuration: ConfigurationReloader
    private var shutdown = Shutdown()
    private let context: ServiceContext
    private let services: DaemonServices
    private var loop: EventLoop { context.loop }

    init(_ sources: SettingsSources, settings: Settings, log: Logger) throws {
        self.log = log
        configuration = ConfigurationReloader(sources, settings: settings)
        context = try ServiceContext(settings, log: log)
        services = DaemonServices(context)
    }

    /// Runs the service until shutdown and returns the exit code of the process.
    func run() throws -> Int32 {
        EventLoop.ignoreBrokenPipes()
        DescriptorLimit.raise()
        try loop.handle(.terminate) { [unowned self] in beginShutdown() }
        try loop.handle(.interrupt) { [unowned self] in beginShutdown() }
        try loop.handle(.hangup) { [unowned self] in reload() }
        _ = try loop.enableWatchdog()
        let listener = try StreamListener.claimed(as: "varlink", orAt: context.settings.socket)
        loop.onDeadline = { [unowned self] now in
            context.server.tick(at: now)
            services.tick(at: now)
        }
        loop.afterEachIteration = { [unowned self] in endTurn() }
        context.updateReferenceTime(at: loop.now)
        context.permissions.start(on: loop)
        services.receivers.apply(context.settings, at: loop.now)
        services.monitors.start(at: loop.now)
        services.station.apply(context.settings, at: loop.now)
        services.track.apply(context.settings, at: loop.now)
        try context.server.start(listener, self)
        log.info("sextantd \(SextantVersion.current) listens on \(context.server.socketName)")
        endTurn()
        ServiceManager.ready(status: services.receivers.summary)
        // Reading the configuration uses code that serving does not need: 3 of 14 MB resident.
        MemoryTrimmer.trim()
        return try loop.run()
    }

    /// Reloads the configuration without dropping clients.
    private func reload() {
        guard !shutdown.hasBegun else { return }
        ServiceManager.reloading()
        if configuration.reload(log) {
            log.logLevel = configuration.settings.logLevel
            services.apply(configuration.settings, at: loop.now)
            log.info("configuration reloaded")
        }
        ServiceManager.ready(status: services.receivers.summary)
    }

    private func beginShutdown() {
        log.info("stopping")
        ServiceManager.stopping(status: "stopping")
        context.server.closeAll()
        guard shutdown.begin(at: loop.now) else { return stop(at: loop.now) }
        services.receivers.finish(at: loop.now)
    }

    /// Saves pending data and exits the event loop.
    private func stop(at now: Instant) {
        services.stop(at: now)
        loop.exit(0)
    }
}

// MARK: Calls
extension Daemon: VarlinkServerDelegate {
    func serve(_ call: Call, from session: ClientSession) {
        // A call finds the conditions as the calls before it left them.
        services.monitors.applyConditionChanges(at: loop.now)
        do throws(VarlinkError) {
            try session.checkActing(call)
            try services.handle(call, from: session)
            context.uses.served(call, from: session, at: loop.now)
        } catch {
            session.connection.fail(error)
        }
    }

    func postponement(of call: Call) -> Instant? {
        services.monitors.postponement(of: call, at: HostClock.now)
    }

    func callsServed() -> Bool {
        // A decision applies before its reply.
        services.performPermissionEffects(at: loop.now)
        return services.monitors.saveCalls(at: loop.now)
    }

    func receiveUpgraded(_ bytes: UnsafeRawBufferPointer, from session: ClientSession) -> Bool {
        services.feeds.receive(bytes, from: session, at: loop.now)
    }

    func outputDrained(of session: ClientSession) { services.monitors.outputDrained(of: session) }

    func sessionClosed(_ session: ClientSession, because reason: ServerConnection.CloseReason?) {
        if let reason, reason != .finished {
            log.debug("closed a connection of pid \(session.peer.process): \(reason)")
        }
        services.sessionClosed(session, at: loop.now)
        if session.hasUsedMuchMemory { context.memory.requestTrim() }
    }

    func reply(to refusal: ConnectionRefusal) -> VarlinkError { refusal.reply }

    func report(_ problem: ServerProblem) {
        log.warning("\(problem)\(problem.remedy)", metadata: problem.user.map { ["uid": "\($0)"] } ?? [:])
    }
}

// MARK: The turn
extension Daemon {
    /// Ends a turn: performs the effects of the core, informs clients and sets the next deadline.
    private func endTurn() {
        let now = loop.now
        services.endTurn(at: now)
        if shutdown.isComplete(at: now, settingsAreRestored: services.receivers.settingsAreRestored) {
            return stop(at: now)
        }
        context.memory.trimIfRequested(at: now)
        let shared = earliest(earliest(context.server.deadline, context.memory.deadline), shutdown.deadline)
        loop.setDeadline(earliest(services.deadline, shared))
        context.server.endTurn()
    }
}
