import Chronology

/// The world around the daemon during one run: everything that happens follows from the plan.
final class World {
    /// The daemon's socket on the machine.
    static let socket = "/run/sextant/io.sextant"

    let plan: RunPlan
    let machine: Machine
    let journey: Journey
    var trace: Trace
    /// What clients see wrongly, to try the invariants.
    var breakage: Breakage?
    private(set) var violations: [Violation] = []
    private(set) var actors: [any Actor] = []
    /// The other programs of Sextant on the machine.
    private(set) var companions: [Companion] = []
    let manager: ServiceManager
    /// When the faults end.
    let faultsEnd: Instant
    /// When the run ends.
    let endTime: Instant
    private(set) var faultsHaveEnded = false
    private var isExamined = false
    /// Whether the disk has had no trouble for some minutes.
    var diskWorks = true { didSet { if diskWorks != oldValue { diskChanged = now } } }
    /// When ``diskWorks`` changed last.
    private(set) var diskChanged = Instant.zero
    /// What noise has changed in sentences that the daemon takes for right.
    var damage = Damage()
    /// The devices of receivers that see too few satellites, by their last sentence.
    var withoutView: Set<String> = []
    /// When each device has sent its last position.
    var lastPositions: [String: Instant] = [:]
    /// When each device has sent a position after it had missed two.
    var lossEnds: [String: Instant] = [:]
    /// When a receiver got a command last.
    var lastCommand: Instant?
    /// How many epochs the daemon could read, and those with a fix.
    var (epochs, fixes) = (0, 0)
    /// Whether the location is off for all programs.
    var locationSwitch = LocationSwitch.State.on(since: .zero)
    /// When the daemon got no positions of a receiver, or programs got none of the daemon.
    var gaps: [LineReader.Gap] = []
    /// The open connections of simulated programs to the daemon, by their channels.
    var connections: [Int32: Connection] = [:]
    /// The rare states that the run has reached.
    private(set) var markers: Set<Marker> = []
    /// The faults that actors want, by their names.
    private var faults: [String: [Machine.Fault]] = [:]

    init(_ plan: RunPlan, paths: Machine.Paths, trace: Trace.Output) throws(RunFailure) {
        self.plan = plan
        self.trace = Trace(trace)
        breakage = plan.breakage.map(Breakage.init)
        machine = try Machine(paths, name: plan.name, seed: plan.seed)
        machine.setTracing(self.trace.isRead && plan.tracesCalls)
        // A machine that has run for 100 s. Its clock is right.
        machine.advance(to: Instant(nanoseconds: 100_000_000_000))
        let start = machine.now
        machine.clockOffset = Journey.start.milliseconds * 1_000_000 - start.nanoseconds
        faultsEnd = start + plan.length - plan.recovery
        endTime = start + plan.length
        var random = RandomStream(seed: plan.seed, purpose: "journey")
        journey = Journey(random: &random, origin: start, length: plan.length)
        manager = try ServiceManager(plan, machine)
        actors = [manager]
        try populate()
    }

    private func populate() throws(RunFailure) {
        let receiver = try ReceiverActor("receiver", plan, machine, journey)
        actors.append(receiver)
        for index in 0..<plan.streams { actors.append(StreamProgram("stream\(index)", index, plan)) }
        for index in 0..<(plan.has(.station) ? 0 : plan.fencePrograms) {
            actors.append(FenceProgram("fences\(index)", index, plan))
        }
        if plan.has(.disk) { actors.append(Disk(plan)) }
        if plan.has(.administrator) { actors += [GuestProgram(plan)] }
        if plan.has(.leases) { actors.append(LeaseProgram(plan)) }
        if plan.has(.visits) { actors.append(VisitProgram(plan)) }
        actors.append(Auditor())
        actors.append(WakeJudge(plan))
        if plan.has(.station) { actors.append(StationProgram(plan)) }
        if plan.has(.crowd) { actors.append(Crowd(plan)) }
        if plan.has(.callers) { actors.append(Caller("caller", plan)) }
        if plan.has(.probers) { actors.append(Prober(plan)) }
        if plan.has(.watchers) { actors.append(Watcher(plan)) }
        if plan.has(.agents) { actors.append(PermissionAgent(plan)) }
        if plan.has(.settings) { actors.append(Settings(plan)) }
        actors += try surroundings()
        actors += try programs()
        companions = actors.compactMap { $0 as? Companion }
        actors.removeAll { plan.without.contains($0.name) }
    }

    /// How many receivers the machine has in the quiet end.
    var receiverCount: Int { 1 + (plan.has(.plugging) ? plan.pluggedReceivers : 0) }

    /// Whether no receiver sees enough satellites.
    var isWithoutView: Bool { withoutView.count >= receiverCount }

    /// The time of the machine.
    var now: Instant { machine.now }

    /// Notes that an invariant does not hold. The run ends then.
    func report(_ invariant: Int, _ detail: String) {
        trace.add(now, "invariant \(invariant)", detail)
        violations.append(Violation(invariant: invariant, detail: detail))
    }

    /// Whether the daemon serves, and nothing fails that it needs for that.
    var daemonWorks: Bool { manager.readySince != nil && diskWorks && !plan.has(.failingSockets) }

    /// Whether each sync of the disk does what it says.
    var diskIsExact: Bool { diskWorks && !plan.has(.failingSyncs) && !plan.has(.failingNames) }

    /// Requires that an invariant holds.
    func require(_ holds: Bool, _ invariant: Int, _ detail: @autoclosure () -> String) {
        if !holds { report(invariant, detail()) }
    }

    /// Whether the deliberate break of this run is that of an invariant.
    func breaks(_ invariant: Int) -> Bool { plan.breakage == invariant }

    /// Returns a time of a receiver with the right date. Where the machine's clock is set, or goes
    /// on while receivers stand still, a receiver that reports no date has that of the machine.
    func corrected(_ time: UTCTime) -> UTCTime {
        guard plan.has(.clockSteps) || plan.suspends else { return time }
        let expected = Journey.start.advanced(by: now - journey.origin).milliseconds
        let day = UTCTime.millisecondsPerDay
        let days = Double(expected - time.milliseconds) / Double(day)
        return UTCTime(milliseconds: time.milliseconds + Int64(days.rounded()) * day)
    }

    /// Whether faults are injected now, or the disk has trouble.
    var hasFaults: Bool { !activeFaults.isEmpty || !diskWorks }

    /// The faults of all actors, as the machine has them.
    var activeFaults: [Machine.Fault] { faults.sorted { $0.key < $1.key }.flatMap(\.value) }

    /// Notes that the run has reached a rare state.
    func reached(_ marker: Marker) { markers.insert(marker) }

    /// Replaces the faults that an actor wants.
    func injected(_ faults: [Machine.Fault], by actor: String) {
        guard self.faults[actor] ?? [] != faults else { return }
        markFaults()
        self.faults[actor] = faults
        machine.setFaults(activeFaults)
    }

    /// Runs to the end, or to the first violation.
    func run() throws(RunFailure) {
        while now < endTime, violations.isEmpty {
            if !faultsHaveEnded, now >= faultsEnd { endFaults() }
            if !isExamined, now >= examinationTime { examine() }
            if machine.isReady { try turn() } else if !runCompanion() { pass() }
        }
        guard violations.isEmpty else { return }
        for actor in actors { actor.finish(in: self) }
    }

    /// Ends everything that runs on the machine. Calls that wait for an answer keep the world, so
    /// that it would stay with its programs and its disk.
    func end() {
        for connection in connections.values { connection.abandon() }
        connections = [:]
        actors = []
        companions = []
    }

    /// Lets the daemon run until it waits. It goes on alone until the time at which somebody acts,
    /// as long as it sends nothing and no other program has something to do.
    private func turn() throws(RunFailure) {
        machine.deadline = machine.yieldsEachWait ? .zero : nextAction
        let end = try machine.runDaemon()
        // Without --calls these are the calls that a fault has met.
        for line in machine.takeCalls() { trace.add(now, "daemon", line) }
        manager.read(machine.takeTexts(), in: self)
        if let end { ended(end) }
        for actor in actors { actor.receive(in: self) }
    }

    /// Lets a companion run that has something to do. Returns false if there is none.
    private func runCompanion() -> Bool {
        guard let companion = companions.first(where: { $0.isReady(in: self) }) else { return false }
        machine.deadline = nextAction
        companion.run(in: self)
        manager.read(machine.takeTexts(), in: self)
        for line in machine.takeCalls() { trace.add(now, companion.name, line) }
        for actor in actors { actor.receive(in: self) }
        return true
    }

    /// The daemon has ended: all others learn it.
    func ended(_ end: Machine.End) {
        if end == .powerFailed { for companion in companions { companion.powerFailed(in: self) } }
        manager.ended(end, in: self)
        for actor in actors {
            actor.receive(in: self)
            actor.daemonEnded(in: self)
        }
    }

    /// Lets time pass until somebody acts.
    private func pass() {
        let wakeTime = companions.reduce(machine.wakeTime) { earliest($0, $1.wakeTime(in: self)) }
        machine.advance(to: earliest(wakeTime, nextAction) ?? nextAction)
        for actor in actors where actor.deadline.map({ $0 <= now }) ?? false {
            actor.act(in: self)
            actor.receive(in: self)
        }
    }

    /// When somebody acts next.
    private var nextAction: Instant {
        var next = !faultsHaveEnded ? faultsEnd : isExamined ? endTime : examinationTime
        for actor in actors { next = earliest(next, actor.deadline) ?? next }
        return next
    }

    /// Before the last restart: what only a restart would cure must show.
    private func examine() {
        isExamined = true
        trace.add(now, "world", "judges before the last restart")
        for actor in actors { actor.examine(in: self) }
    }

    /// When the daemon is judged before its last restart.
    var examinationTime: Instant { endTime - .seconds(420) }

    private func endFaults() {
        faultsHaveEnded = true
        trace.add(now, "world", "no more faults")
        // Also those that have not met their call yet.
        faults = [:]
        machine.setFaults([])
        machine.setFreeSpace(nil)
        machine.setReadOnly(false)
        for actor in actors { actor.endFaults(in: self) }
    }

    /// A hash of everything that happened.
    var hash: UInt64 {
        var hash = trace
        hash.mix(machine.hash)
        return hash.hash
    }
}
