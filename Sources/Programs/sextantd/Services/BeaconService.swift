import Chronology
import Geofencing
import Glibc
import Locator
import Logging
import Permission
import Positioning
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// Serves `io.sextant.Beacon`: programs that range beacons, and `sextant-beacons`, which receives
/// them.
///
/// While a condition or a program needs beacons, the file `beacons` is beside the socket. A path
/// unit of systemd starts `sextant-beacons` then, which ends when nothing needs it any more.
final class BeaconService: Service {
    /// The user of `sextant-beacons`.
    static let scannerUser = "sextant-beacons"
    /// The time that `sextant-beacons` has to connect.
    private static let startTime = Instant.Span.seconds(10)
    /// How long reception continues, with pauses, when nothing needs it any more: calls one after
    /// another do not start the program again and again.
    private static let lingering = Instant.Span.seconds(10)
    /// The time between two replies to a program that ranges beacons.
    private static let rangeInterval = Instant.Span.seconds(1)
    /// The time after which a continuous reception is found to be needed no longer.
    private static let paceInterval = Instant.Span.seconds(5)
    /// The speed in m/s from which reception does not pause, and the age of a position that has
    /// one.
    private static let movement = (speed: 0.5, age: Instant.Span.seconds(10))
    /// The power of a receiver that listens, in watts: 18 to 39 mW (`docs/beacons.md`).
    private static let listeningPower = 0.028

    let context: ServiceContext
    let methods = [BeaconMethods.range.name, BeaconMethods.scan.name, BeaconMethods.report.name]
    private let requests: PermittedRequests
    private let monitors: MonitorService
    /// What the sessions range that may: all beacons or those that are meant.
    private var ranged: [Int: BeaconIdentity?] = [:]
    /// When their next replies are due; nil without a change.
    private var nextReplies: Instant?
    private var lastReplies: Instant?
    /// Whether the last replies had beacons: those that leave must be told, too.
    private var repliedBeacons = false
    /// The session of `sextant-beacons`, and what it was told last.
    private var scanner: (session: Int, told: ScanReply)?
    /// When `sextant-beacons` must be ready.
    private var readyBy: Instant?
    /// When it was last decided what is needed.
    private var lastPlan: Instant?
    private var lastNeed: (plan: ScanReply, at: Instant)?
    /// When reception ends that nothing needs any more.
    private var lingersUntil: Instant?
    /// The identities of the last plan, and what it was made of.
    private var planned: (conditions: [BeaconIdentity], ranged: Set<BeaconIdentity>, beacons: [BeaconMessage])?
    private var file: DemandFile
    /// Seconds of reception since the start.
    private var listened = 0.0

    init(_ context: ServiceContext, monitors: MonitorService) {
        self.context = context
        self.monitors = monitors
        requests = PermittedRequests(context, where: \.rangesBeacons)
        file = DemandFile(besideSocket: context.settings.socket)
        if file.exists { readyBy = context.loop.now + BeaconService.startTime }
        apply(context.settings, at: context.loop.now)
    }

    func apply(_ settings: Settings, at now: Instant) {
        context.locator.updateBeacons { monitor, _ in monitor.setAbsence(settings.beaconAbsence) }
    }

    /// What the reception of beacons has used since the start; nil if there was none.
    var reception: BeaconReception? {
        listened == 0 ? nil : BeaconReception(seconds: listened, joules: listened * BeaconService.listeningPower)
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case BeaconMethods.range.name: try range(call, from: session)
        case BeaconMethods.scan.name:
            try requireScanner(session)
            guard call.mode == .more else { throw ServiceError.expectedMore.reply }
            if let old = scanner.flatMap({ server[$0.session] }) { server.close(old) }
            session.begin(.beaconScan)
            scanner = (session.number, lingeringPlan(at: loop.now))
            tellScanner(at: loop.now)
        case BeaconMethods.report.name:
            try requireScanner(session)
            try session.serve(BeaconMethods.report, call: call) { report throws(VarlinkError) in
                try record(report, at: loop.now)
                return NoParameters()
            }
        default: throw call.methodNotImplemented
        }
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        if session.activity.rangesBeacons {
            requests.end(session)
            ranged[session.number] = nil
        }
        guard scanner?.session == session.number else { return }
        scanner = nil
        if file.exists { readyBy = now + BeaconService.startTime }
        context.locator.updateBeacons { monitor, _ in monitor.setScan(false, at: now) }
    }
}

// MARK: Ranging
extension BeaconService {
    private func range(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let parameters = try call.decode(BeaconMethods.range)
        var meant: BeaconIdentity?
        if let beacon = parameters.beacon {
            meant = BeaconIdentity(beacon)
            guard meant != nil else { throw ServiceError.invalid("beacon") }
        }
        guard call.mode == .more else {
            let verdict = permissions.verdict(of: session.owner)
            var reply = reply(of: meant, verdict, to: session, at: loop.now)
            if reply.permissionDenied == nil, reply.problem == nil, !context.locator.conditions.beacons.isScanned {
                reply.problem = "no beacons are received now; call Range with \"more\""
            }
            return session.reply(to: BeaconMethods.range, reply)
        }
        session.begin(.beacons(meant))
        begin(for: session, by: requests.begin(session))
    }

    private func begin(for session: ClientSession, by verdict: PermissionVerdict) {
        guard case .beacons(let meant) = session.activity else { return }
        requests[session.number] = verdict.allowsFullLocation ? .full : .denied(verdict)
        ranged[session.number] = verdict.allowsFullLocation ? .some(meant) : nil
        session.publish(reply(of: meant, verdict, to: session, at: loop.now), to: BeaconMethods.range)
    }

    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {
        requests.verdictChanged(of: program, to: verdict) { session in begin(for: session, by: verdict) }
    }

    private func reply(
        of meant: BeaconIdentity?, _ verdict: PermissionVerdict, to session: ClientSession, at now: Instant
    ) -> BeaconsInRange {
        guard verdict.allowsFullLocation else {
            return BeaconsInRange(
                beacons: [], permissionDenied: verdict.detail(for: session.owner) ?? verdict.decidedBy)
        }
        var readings: [BeaconReading] = []
        context.locator.updateBeacons { monitor, _ in readings = monitor.readings(of: meant, at: now) }
        let date = HostClock.utc
        return BeaconsInRange(
            beacons: readings.map { BeaconReadingMessage($0, at: date.advanced(by: $0.last - now)) },
            problem: context.beaconProblem)
    }

    private func sendReplies(at now: Instant) {
        (nextReplies, lastReplies) = (nil, now)
        repliedBeacons = false
        for (number, meant) in ranged.sorted(by: { $0.key < $1.key }) {
            guard let session = server[number] else { continue }
            let verdict = permissions.verdict(of: session.owner)
            let reply = reply(of: meant, verdict, to: session, at: now)
            if !reply.beacons.isEmpty { repliedBeacons = true }
            session.publish(reply, to: BeaconMethods.range)
            server.flush(session)
        }
        if repliedBeacons { scheduleReplies(at: now) }
    }
}

// MARK: Reception
extension BeaconService {
    private func requireScanner(_ session: ClientSession) throws(VarlinkError) {
        let user = session.peer.user
        guard user == geteuid() || user == LocalUser.id(named: BeaconService.scannerUser) else {
            let detail = "only the user \(BeaconService.scannerUser) may report beacons"
            throw BeaconError.notAllowed(detail: detail).reply
        }
    }

    private func record(_ report: ReportParameters, at now: Instant) throws(VarlinkError) {
        guard (0...3600).contains(report.listened) else { throw ServiceError.invalid("listened") }
        guard report.sightings.count <= BeaconTable.capacity else { throw ServiceError.invalid("sightings") }
        var sightings: [BeaconSighting] = []
        for message in report.sightings {
            guard let identity = BeaconIdentity(message.beacon), (-200...100).contains(message.rssi ?? 0) else {
                throw ServiceError.invalid("sightings")
            }
            let beacon = BeaconAdvertisement(identity, power: message.power)
            sightings.append(BeaconSighting(beacon, strength: message.rssi, count: message.count))
        }
        // Only what is wanted is known to the daemon.
        guard scanner != nil else { return }
        listened += report.listened
        readyBy = nil
        setProblem(report.problem.map { String($0.prefix(300)) }, at: now)
        context.locator.updateBeacons { monitor, events in
            monitor.setClock(HostClock.utcIfSet, at: now)
            if (report.problem == nil) != monitor.isScanned { monitor.setScan(report.problem == nil, at: now) }
            monitor.record(sightings, at: now, into: &events)
        }
        if !sightings.isEmpty, !ranged.isEmpty { scheduleReplies(at: now) }
    }

    private func scheduleReplies(at now: Instant) {
        nextReplies = nextReplies ?? max(now, lastReplies.map { $0 + BeaconService.rangeInterval } ?? now)
    }

    private func plan(at now: Instant) -> ScanReply {
        let beacons = context.locator.conditions.beacons
        let meant = Set(ranged.values.compactMap { $0 })
        if planned?.conditions != beacons.wanted || planned?.ranged != meant {
            let wanted = meant.union(beacons.wanted).sorted()
            planned = (beacons.wanted, meant, wanted.map { BeaconMessage($0) })
        }
        // Beyond the limit of a message, all are received, and the daemon selects.
        let isAny = (planned?.beacons.count ?? 0) > BeaconTable.capacity
        let all = isAny || ranged.values.contains { $0 == nil }
        let pace: BeaconPace =
            !ranged.isEmpty
            ? .ranging : beacons.needsContinuousScan(at: now) || isMoving(at: now) ? .continuous : .saving
        return ScanReply(beacons: isAny ? [] : planned?.beacons ?? [], all: all, pace: pace)
    }

    /// Whether a receiver or a motion sensor says that the device moves.
    func isMoving(at now: Instant) -> Bool {
        let reports = context.locator.motion.sources.lazy.filter { !$0.isIgnored(at: now) }.compactMap(\.lastReport)
        if reports.contains(where: { now - $0 <= BeaconService.movement.age }) { return true }
        guard let last = context.locator.position(at: now), now - last.at <= BeaconService.movement.age else {
            return false
        }
        return (last.location.fix.speed ?? 0) >= BeaconService.movement.speed
    }

    private func tellScanner(at now: Instant) {
        guard let scanner, let session = server[scanner.session] else { return }
        session.reply(to: BeaconMethods.scan, scanner.told, continues: scanner.told.isDemand)
        server.flush(session)
        guard !scanner.told.isDemand else { return }
        self.scanner = nil
        session.end()
        context.locator.updateBeacons { monitor, _ in monitor.setScan(false, at: now) }
    }

    /// Sets why no beacons are received. The clients of conditions on beacons learn of it.
    private func setProblem(_ problem: String?, at now: Instant) {
        guard problem != context.beaconProblem else { return }
        context.beaconProblem = problem
        if let problem { log.warning("no beacons are received: \(problem)") }
        monitors.beaconProblemChanged()
        scheduleReplies(at: now)
    }

    var deadline: Instant? {
        let isPaced = scanner.map { $0.told.pace == .continuous } ?? false
        let replan = isPaced ? (lastPlan ?? loop.now) + BeaconService.paceInterval : nil
        return earliest(earliest(nextReplies, readyBy), earliest(earliest(replan, file.retry), lingersUntil))
    }

    /// Updates the host's clock before conditions are evaluated.
    func tick(at now: Instant) {
        guard !context.locator.conditions.beacons.isEmpty else { return }
        context.locator.updateBeacons { monitor, _ in monitor.setClock(HostClock.utcIfSet, at: now) }
    }

    /// What is needed now or was a moment ago.
    private func lingeringPlan(at now: Instant) -> ScanReply {
        var plan = plan(at: now)
        lingersUntil = nil
        if plan.isDemand {
            lastNeed = (plan, now)
        } else if let last = lastNeed, now < last.at + BeaconService.lingering {
            lingersUntil = last.at + BeaconService.lingering
            plan = last.plan
            plan.pace = .saving
        }
        return plan
    }

    /// Tells `sextant-beacons` what is needed now, and sends what was received.
    func endTurn(at now: Instant) {
        guard file.exists || scanner != nil || !ranged.isEmpty || !context.locator.conditions.beacons.isEmpty else {
            // Nobody is left to be told. What is due and never done would keep the daemon awake.
            nextReplies = nil
            return (file.retry, lingersUntil) = (nil, nil)
        }
        lastPlan = now
        tick(at: now)
        let plan = lingeringPlan(at: now)
        if plan.isDemand == file.exists {
            file.retry = nil
        } else if file.retry.map({ $0 <= now }) ?? true {
            do throws(SystemError) {
                try file.set(plan.isDemand, at: now)
                readyBy = plan.isDemand && scanner == nil ? now + BeaconService.startTime : nil
                if scanner == nil || !plan.isDemand { setProblem(nil, at: now) }
            } catch { setProblem("\(error)", at: now) }
        }
        if let told = scanner?.told, told != plan {
            scanner?.told = plan
            tellScanner(at: now)
        }
        if let readyBy, readyBy <= now {
            self.readyBy = nil
            // One that runs says itself what it lacks.
            let reason = "\(BeaconService.scannerUser) does not run; check: systemctl status sextant-beacons.path"
            if scanner == nil { setProblem(reason, at: now) }
        }
        if let nextReplies, nextReplies <= now { sendReplies(at: now) }
    }

    /// Ends the demand: nothing needs beacons while the daemon does not run.
    func stop(at now: Instant) { try? file.set(false, at: now) }
}

extension ScanReply {
    /// Whether anything is to be received.
    fileprivate var isDemand: Bool { all || !beacons.isEmpty }
}

extension BeaconReadingMessage {
    /// - Parameter date: When the last advertisement arrived, by the host's clock.
    init(_ reading: BeaconReading, at date: UTCTime) {
        self.init(
            beacon: BeaconMessage(reading.identity), zone: reading.zone, rssi: reading.strength,
            accuracy: reading.accuracy, timestamp: date)
    }
}

/// The file that a path unit of systemd watches: it exists while beacons are needed.
private struct DemandFile {
    private let path: String
    private(set) var exists: Bool
    /// When a failed change is tried again; nil without a failure.
    var retry: Instant?

    /// - Parameter socket: The path of the daemon's socket.
    init(besideSocket socket: String) {
        let directory = socket.lastIndex(of: "/").map { socket[...$0] } ?? ""
        path = "\(directory)beacons"
        exists = access(path, F_OK) == 0
    }

    mutating func set(_ exists: Bool, at now: Instant) throws(SystemError) {
        guard exists != self.exists else { return }
        retry = now + .seconds(10)
        if exists {
            let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC
            _ = FileDescriptor(owning: try systemCall("creating \(path)") { open(path, flags, 0o644) })
        } else if access(path, F_OK) == 0 {
            try systemCall("removing \(path)") { unlink(path) }
        }
        (self.exists, retry) = (exists, nil)
    }
}
