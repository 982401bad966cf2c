import Chronology
import Geofencing
import Locator
import ServiceRuntime
import SextantAPI
import Varlink

/// The role `scan`: listens when the daemon needs beacons, and reports them.
final class BeaconScanner {
    /// While the daemon allows pauses, reception lasts a second in ten.
    private static let window = (length: Instant.Span.seconds(1), interval: Instant.Span.seconds(10))
    /// The time between two reports of sightings.
    private static let reportInterval = Instant.Span.seconds(1)
    /// The time of reception after which it is reported without a sighting.
    private static let maxUnreported = Instant.Span.seconds(60)
    /// How long the daemon may be away before the program ends. The service manager starts it
    /// again.
    private static let patience = Instant.Span.seconds(10)

    private let loop: EventLoop
    private let log: ProgramLog
    private let calls: DaemonCalls
    private let adapter: BlueZAdapter
    private var stream: DaemonStream<NoParameters, ScanReply>?
    /// What is to be received; nil until the daemon has said it.
    private var plan: ScanReply?
    private var wanted: Set<BeaconIdentity> = []
    /// When the program ends, because the daemon is away.
    private var endsAt: Instant?
    private var windowBegan = Instant.zero
    /// Since when the adapter listens; nil if it does not.
    private var listensSince: Instant?
    /// The time of reception that is not reported yet, before ``listensSince``.
    private var unreported = Instant.Span.zero
    private var received = ReceivedBeacons()
    private var lastReport = Instant.zero
    /// What the daemon knows of the adapter: nothing yet, that it works (nil), or why not.
    private var reported: String??

    /// - Parameter socket: The path of the daemon's socket.
    init(socket: String, loop: EventLoop, log: ProgramLog) throws {
        self.loop = loop
        self.log = log
        calls = DaemonCalls(of: socket, in: loop)
        adapter = try BlueZAdapter(bus: try SystemBus(in: loop), loop: loop)
        adapter.onSighting = { [unowned self] beacon, strength in record(beacon, strength: strength) }
        endsAt = loop.now + BeaconScanner.patience
        stream = DaemonStream(BeaconMethods.scan, of: socket, in: loop) { [weak self] event in self?.handle(event) }
        stream?.request(NoParameters())
        loop.onDeadline = { [unowned self] now in
            stream?.tick(at: now)
            calls.tick(at: now)
        }
        loop.afterEachIteration = { [unowned self] in finishTurn(at: loop.now) }
        loop.setDeadline(deadline)
    }

    private func handle(_ event: DaemonStream<NoParameters, ScanReply>.Event) {
        switch event {
        case .reply(let new):
            if new.pace != plan?.pace || plan == nil { windowBegan = loop.now }
            plan = new
            wanted = Set(new.beacons.compactMap { BeaconIdentity($0) })
            endsAt = nil
            // The daemon does not need beacons any more.
            guard new.all || !new.beacons.isEmpty else { return loop.exit(0) }
        case .lost(let error):
            if plan != nil || reported == nil { log.write("\(error); trying again", priority: .warning) }
            (plan, reported) = (nil, .none)
            endsAt = endsAt ?? loop.now + BeaconScanner.patience
        }
    }

    private func record(_ beacon: BeaconAdvertisement, strength: Double?) {
        guard let plan else { return }
        let isWanted = beacon.identity.wider.contains(where: wanted.contains)
        guard isWanted || plan.all else { return }
        received.record(beacon, strength: strength, where: wanted.contains)
    }

    private func finishTurn(at now: Instant) {
        if let endsAt, endsAt <= now { return loop.exit(0) }
        updateReception(at: now)
        report(at: now)
        loop.setDeadline(deadline)
    }

    /// Begins or ends to listen, as the plan and the time require.
    private func updateReception(at now: Instant) {
        guard let plan, adapter.isOn else { return pause(at: now) }
        while now >= windowBegan + BeaconScanner.window.interval {
            windowBegan = max(windowBegan + BeaconScanner.window.interval, now - BeaconScanner.window.interval)
        }
        guard plan.pace != .saving || now < windowBegan + BeaconScanner.window.length else { return pause(at: now) }
        adapter.listen(
            for: plan.all ? nil : Array(wanted), ranging: plan.pace == .ranging)
        listensSince = adapter.problem == nil ? listensSince ?? now : nil
    }

    private func pause(at now: Instant) {
        adapter.pause()
        unreported = listened(at: now)
        listensSince = nil
    }

    /// The time of reception that is not reported yet. More than the maximum, after which it is
    /// reported, is a sleep of the host.
    private func listened(at now: Instant) -> Instant.Span {
        min(unreported + (listensSince.map { now - $0 } ?? .zero), BeaconScanner.maxUnreported)
    }

    private func report(at now: Instant) {
        guard let due = reportDue(at: now), due <= now else { return }
        let problem = adapter.problem
        let messages = received.take().map { one in
            BeaconSightingMessage(
                beacon: BeaconMessage(one.beacon.identity), power: one.beacon.power, rssi: one.strength,
                count: one.count)
        }
        let parameters = ReportParameters(
            sightings: messages, problem: problem, listened: listened(at: now).seconds)
        unreported = .zero
        (lastReport, reported) = (now, .some(problem))
        if listensSince != nil { listensSince = now }
        calls.call(BeaconMethods.report, with: parameters) { [weak self] result in
            guard let self, case .failure(let error) = result else { return }
            log.write("\(error)", priority: .warning)
            // The daemon does not know it. What was received is lost: repeated, it would count as
            // received now, and what was refused would be refused again.
            reported = .none
            unreported = min(unreported + .seconds(parameters.listened), BeaconScanner.maxUnreported)
        }
    }

    /// When a report is due; nil if there is nothing to report.
    private func reportDue(at now: Instant) -> Instant? {
        guard plan != nil, adapter.isKnown else { return nil }
        if reported != .some(adapter.problem) || !received.isEmpty {
            return lastReport + BeaconScanner.reportInterval
        }
        return listensSince.map { _ in now + (BeaconScanner.maxUnreported - listened(at: now)) }
    }

    private var deadline: Instant? {
        var deadline = earliest(earliest(stream?.deadline, calls.deadline), endsAt)
        deadline = earliest(deadline, reportDue(at: loop.now))
        guard let plan, adapter.isOn else { return deadline }
        if listensSince != nil || plan.pace != .saving { deadline = earliest(deadline, adapter.deadline) }
        if plan.pace == .saving {
            let end = windowBegan + (listensSince == nil ? BeaconScanner.window.interval : BeaconScanner.window.length)
            deadline = earliest(deadline, end)
        }
        return deadline
    }
}
