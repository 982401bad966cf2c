import Chronology
import Glibc
import NMEA

/// The service manager: it starts the daemon, restarts it when it ends, and plays the kills and
/// power failures of the machine.
final class ServiceManager: Actor {
    let name = "manager"
    private let plan: RunPlan
    private let listener: Int32
    /// When the daemon has logged each message.
    private var messages: [String: [Instant]] = [:]
    private var random: RandomStream
    private var nextID: Int32 = 400
    /// When the daemon is started, while it does not run.
    private var startTime: Instant?
    /// When the daemon is ended next.
    private var endTime: Instant?
    private var reloadTime: Instant?
    /// When the service manager would end the daemon: it is not ready, not alive or not ended.
    private var limit: Instant?
    private var hasStoppedLast = false
    /// WATCHDOG_USEC, and as much for a disk that takes seconds.
    private static let timeLimit = Instant.Span.seconds(90)
    /// Whether the daemon was told to end.
    private(set) var isStopping = false
    /// Whether the last end of the daemon was that of SIGTERM.
    private(set) var endedInOrder = false
    private var hasPowerFailed = false
    /// How often the daemon was started.
    private(set) var starts = 0
    private(set) var powerCuts = 0
    /// Whether the daemon has said that it cannot read the permissions: it denies all programs.
    private(set) var deniesAll = false
    /// How often the daemon has read its configuration again, and why it has refused one.
    private(set) var reloads = 0
    private var refusal: String?
    /// When the configuration began to forbid assistance; nil while it allows it.
    private var forbiddenSince: Instant?

    /// Returns whether the configuration has forbidden assistance for some time.
    func forbidsAssistance(at now: Instant, for seconds: Double = 1) -> Bool {
        readySince != nil && forbiddenSince.map { now - $0 > .seconds(seconds) } ?? false
    }

    /// When the daemon was ready last; nil while it is not.
    private(set) var readySince: Instant?

    init(_ plan: RunPlan, _ machine: Machine) throws(RunFailure) {
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: "manager")
        listener = try machine.listen(at: World.socket, name: "varlink")
        startTime = machine.now
        let file = "\(machine.root)/etc/sextant/sextant.toml"
        guard FileTree.write(ServiceManager.configuration(1, plan), to: file) else {
            throw RunFailure("\(file) cannot be written")
        }
        scheduleEnd(at: machine.now)
        if plan.has(.reloads) { reloadTime = machine.now + random.span(30..<3000) }
    }

    private static func configuration(_ version: Int, _ plan: RunPlan) -> String {
        """
        [receivers]
        discover = \(plan.has(.plugging))
        feed_users = [\(plan.has(.corrections) ? "\(World.correctionsUser)" : "")]
        [[receiver]]
        device = "\(ReceiverActor.path)"
        passive = \(plan.has(.passiveReceiver) && plan.breakage != 32)
        [monitors]
        max_conditions_per_program = \(version % 2 == 1 ? 20 : 12)
        [assistance]
        time_and_place = \(version % 2 == 1)
        [motion]
        reporters = [\(MotionReporter.user)]
        \(plan.has(.station) ? StationProgram.configuration : "")
        \(plan.has(.agents) ? PermissionAgent.configuration : "")
        """
    }

    var deadline: Instant? { earliest(earliest(startTime, limit), earliest(endTime, reloadTime)) }

    private var endings: [RunPlan.Feature] { [.kills, .killsInCalls, .powerCuts, .restarts].filter(plan.has) }

    private func scheduleEnd(at now: Instant) {
        guard !endings.isEmpty else { return }
        endTime = now + .seconds(random.number(in: 0.05..<2) * plan.endInterval)
    }

    /// Ends the daemon at a time, if the plan has any end.
    func end(at time: Instant) {
        if endTime != nil { endTime = time }
    }

    func act(in world: World) {
        if let limit, limit <= world.now {
            self.limit = nil
            world.report(
                46, isStopping ? "SIGTERM does not end the daemon" : "the daemon is not ready, or sends no WATCHDOG=1")
        }
        if let startTime, startTime <= world.now { start(in: world) }
        if let reloadTime, reloadTime <= world.now { reload(in: world) }
        guard let endTime, endTime <= world.now else { return }
        self.endTime = nil
        if world.faultsHaveEnded {
            world.trace.add(world.now, name, "stops the daemon")
            isStopping = true
            limit = world.now + ServiceManager.timeLimit
            return world.machine.signal(SIGTERM)
        }
        guard world.machine.isRunning else { return scheduleEnd(at: world.now) }
        endDaemon(in: world)
    }

    private func start(in world: World) {
        startTime = nil
        forbiddenSince = nil
        starts += 1
        readySince = nil
        limit = world.now + ServiceManager.timeLimit
        nextID += 1
        isStopping = false
        // Each start may report the same state once.
        messages.removeAll()
        // The daemon does not start with a file that is not valid.
        _ = FileTree.write(
            ServiceManager.configuration(1, plan), to: "\(world.machine.root)/etc/sextant/sextant.toml")
        world.trace.add(world.now, name, "starts the daemon as process \(nextID)")
        do throws(RunFailure) {
            try world.machine.start(listener: listener, id: nextID, watchdog: true)
        } catch {
            world.report(0, error.description)
        }
        if plan.fault == nil, !world.faultsHaveEnded { scheduleEnd(at: world.now) }
        if let fault = plan.fault, starts == 1 { world.injected([fault], by: "sweep") }
        if world.breaks(13) || world.breaks(33) {
            world.injected([.init(action: .lose, calls: .sync, rate: 1, path: "/var/lib/sextant")], by: "break")
        }
    }

    private func reload(in world: World) {
        reloadTime = world.faultsHaveEnded ? nil : world.now + random.span(30..<3000)
        guard world.machine.isRunning, readySince != nil else { return }
        let version = random.integer(in: 1..<4)
        // The third version is not valid: the daemon keeps the values that it has.
        let text = version == 3 ? "[receivers]\ndiscover = 3\n" : ServiceManager.configuration(version, plan)
        _ = FileTree.write(text, to: "\(world.machine.root)/etc/sextant/sextant.toml")
        world.trace.add(world.now, name, "reloads configuration \(version)")
        if version == 3 {
            world.reached(.invalidConfiguration)
        } else {
            forbiddenSince = version == 2 ? world.now : nil
        }
        world.machine.signal(SIGHUP)
    }

    private func endDaemon(in world: World) {
        guard let ending = random.element(of: endings) else { return }
        switch ending {
        case .restarts:
            world.trace.add(world.now, name, "stops the daemon")
            isStopping = true
            limit = world.now + ServiceManager.timeLimit
            world.machine.signal(SIGTERM)
        case .killsInCalls:
            // Within one of the next calls of any class.
            let call = Machine.Fault.Calls.allCases[random.integer(in: 0..<Machine.Fault.Calls.allCases.count)]
            let action: Machine.Fault.Action = random.chance(0.3) ? .killAfter : plan.has(.powerCuts) ? .power : .kill
            let number = UInt64(random.logarithmic(in: 1..<200))
            world.trace.add(world.now, name, "lets the daemon end at call \(number) of \(call)")
            world.injected([.init(action: action, calls: call, call: number)], by: name)
        case .powerCuts:
            world.trace.add(world.now, name, "lets the power fail")
            world.machine.killDaemon()
            world.ended(.powerFailed)
        default:
            world.trace.add(world.now, name, "kills the daemon")
            world.machine.killDaemon()
            world.ended(.killed)
        }
    }

    /// The daemon has ended: it will be started again.
    func ended(_ end: Machine.End, in world: World) {
        world.trace.add(world.now, name, "the daemon has ended: \(end)")
        if readySince == nil { world.reached(end == .powerFailed ? .powerCutDuringStart : .endDuringStart) }
        readySince = nil
        endedInOrder = isStopping && end == .exited(status: 0)
        deniesAll = false
        limit = nil
        let hadFaults = world.hasFaults && world.now < world.faultsEnd + .seconds(10)
        world.injected([], by: name)
        world.injected([], by: "sweep")
        switch end {
        case .crashed(let reason): world.report(46, "the daemon has crashed: \(reason)")
        case .exited(let status):
            if !isStopping { world.reached(.startFailed) }
            if isStopping, world.faultsHaveEnded { hasStoppedLast = true }
            world.require(
                hadFaults || isStopping && status == 0, 46,
                "the daemon has ended \(isStopping ? "" : "by itself ")with status \(status)")
        case .powerFailed:
            powerCuts += 1
            world.machine.cutPower(losesAll: random.chance(0.3))
            if world.breaks(39) { _ = FileTree.write([UInt8](repeating: 7, count: 9000), to: world.machine.database) }
            if let problem = DatabaseCheck.problem(of: world.machine.database, in: world.machine.folder) {
                world.report(39, problem)
            }
        case .killed: break
        }
        startTime = world.now + random.span(end == .powerFailed ? 5..<60 : 0.1..<5)
    }

    func endFaults(in world: World) {
        reloadTime = nil
        forbiddenSince = nil
        // One more restart, which must change nothing.
        endTime = world.endTime - .seconds(400)
        let file = "\(world.machine.root)/etc/sextant/sextant.toml"
        _ = FileTree.write(ServiceManager.configuration(1, plan), to: file)
        if world.machine.isRunning { world.machine.signal(SIGHUP) }
    }

    func finish(in world: World) {
        world.require(hasStoppedLast, 46, "the last SIGTERM did not end the daemon")
        if world.breaks(38) { _ = FileTree.write([1], to: "\(world.machine.database).torn-20270101T000000") }
        for name in FileTree.names(in: "\(world.machine.root)/var/lib/sextant")
        where name.contains(part: ".torn-") && !name.hasSuffix("-wal") && !name.hasSuffix("-shm") {
            let size = FileTree.size(of: "\(world.machine.root)/var/lib/sextant/\(name)") ?? 0
            // A power cut can leave an empty file, which has never had contents.
            world.reached(.emptyDatabaseMovedAside)
            world.require(size == 0, 38, "\(name) with \(size) bytes was moved aside")
        }
    }

    /// Returns, once, why the daemon has refused to read its configuration again.
    func takeRefusal() -> String? {
        defer { refusal = nil }
        return refusal
    }

    /// A message does not flood the log.
    private func checkRepetition(_ text: Machine.Text, in world: World) {
        let message = text.text.prefix { $0 != "\n" }
        var times = messages[String(message), default: []].filter { text.time - $0 < .seconds(60) }
        times += Array(repeating: text.time, count: world.breaks(41) ? 21 : 1)
        messages[String(message)] = times
        // A line that fails is opened again, and may fail again.
        world.require(times.count <= 20 || plan.has(.failingLines), 41, "\(times.count) times in a minute: \(message)")
    }

    /// Reads what the daemon says.
    func read(_ texts: [Machine.Text], in world: World) {
        for text in texts {
            world.trace.add(text.time, "daemon", "\(text.kind): \(text.text)")
            guard text.process == Machine.daemon else { continue }
            if text.kind == .journal {
                checkRepetition(text, in: world)
                if text.text.contains(part: "cannot read permissions") { deniesAll = true }
                if text.text.contains(part: "configuration reloaded") { reloads += 1 }
                if text.text.contains(part: "reload failed") { refusal = text.text }
                if text.text.contains(part: "permissions can be read again") { deniesAll = false }
            }
            guard text.kind == .notification else { continue }
            if text.text.contains(part: "READY=1"), readySince == nil { readySince = text.time }
            if text.text.contains(part: "WATCHDOG=1"), !isStopping, world.machine.isRunning {
                limit = world.now + ServiceManager.timeLimit
            }
        }
    }
}
