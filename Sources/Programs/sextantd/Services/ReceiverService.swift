import Chronology
import Locator
import Logging
import Permission
import Positioning
import Receivers
import ServiceRuntime
import SextantAPI
import Varlink

/// Serves `io.sextant.Receiver`: it connects the receivers' ports to the core and shows the
/// receivers to clients and to the service manager.
final class ReceiverService: Service {
    /// The interval between updates to clients that watch receivers.
    private static let watchInterval = Instant.Span.seconds(1)
    /// The minimum interval in a turn that happens anyway: the epochs of a receiver with one per
    /// second vary, and need no wakeup of their own for this.
    private static let minWatchInterval = Instant.Span.milliseconds(900)

    let context: ServiceContext
    let methods = [ReceiverMethods.list.name, ReceiverMethods.watch.name]
    private let location: LocationService
    private let sentences: SentenceService
    /// The services that know more of receivers than the core and the ports.
    var contributors: [any ReceiverContributor] = []
    /// What knows the time and the place for starts of receivers.
    weak var assistance: AssistanceService?
    private lazy var manager = PortManager(
        loop: loop, log: log, stateDirectory: context.settings.state, receivers: self)
    /// The number of epochs with a position since the start.
    private(set) var fixCount = 0
    /// Counts changes of the receivers' power states. Energy accounting uses it to detect changes.
    private(set) var powerRevision: UInt64 = 0
    /// Whether a receiver changed since the receivers were last shown.
    private var isChanged = false
    /// Whether that was other than an epoch.
    private var isStateChanged = false
    /// The clients that want the receivers rarely.
    private var intervals = WatchIntervals()
    /// Whether a port status changed since the service manager was last informed. Unlike received
    /// data, such a change may cause no further turn.
    private var portChanged = false
    private var lastShown = Instant.zero
    private var publishedSummary = ""
    /// The baud rate last logged for each port.
    private var loggedBaudRates: [ReceiverID: Int] = [:]
    /// The datum of each receiver that last reported another one than WGS-84.
    private var loggedDatums: [ReceiverID: String] = [:]

    init(_ context: ServiceContext, location: LocationService, sentences: SentenceService) {
        self.context = context
        self.location = location
        self.sentences = sentences
    }

    var ports: [Port] { manager.ports }

    /// Applies settings: adds and removes ports, and sets the intervals of ephemeris refreshes.
    func apply(_ settings: Settings, at now: Instant) {
        manager.apply(settings, at: now)
        for port in ports { setEphemerisRefreshInterval(of: port) }
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case ReceiverMethods.list.name: session.reply(to: ReceiverMethods.list, message(of: nil, for: session))
        case ReceiverMethods.watch.name: try watch(call, from: session)
        default: throw call.methodNotImplemented
        }
    }

    private func watch(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let parameters = try call.decode(ReceiverMethods.watch)
        let receiver = parameters.receiver
        let interval = parameters.minimumInterval ?? 0
        guard WatchParameters.minimumIntervalRange.contains(interval) else {
            throw ServiceError.invalid("minimumInterval")
        }
        if let receiver, !context.locator.receivers.hasReceiver(named: receiver) {
            let known = context.locator.reports(at: loop.now).map(\.name)
            throw NoSuchReceiverError(receiver: receiver, known: known).reply(in: .receiver)
        }
        guard call.mode == .more else {
            return session.reply(to: ReceiverMethods.watch, message(of: receiver, for: session))
        }
        session.begin(.receivers(ActiveRequest(.receivers, program: session.program, receiver: receiver, at: loop.now)))
        if interval > 0 { intervals.begin(session.number, interval: .seconds(interval), at: loop.now) }
        session.publish(message(of: receiver, for: session).encoded)
    }

    /// Returns the receivers for a client, all or the one with this name or port. A program that
    /// may not know the full location gets no satellites: their directions reveal the location.
    private func message(of wanted: String?, for session: ClientSession) -> Receivers {
        let reports = context.locator.reports(at: loop.now).filter {
            wanted == nil || wanted == $0.name || wanted == $0.port
        }
        let unconfirmed = context.locator.receivers.unconfirmed.filter {
            wanted == nil || wanted == $0.name || wanted == $0.port
        }
        let isFull = permissions.verdict(of: session.owner).allowsFullLocation
        let receivers = reports.map { report in
            var message = Receiver(report, port: manager[report.id])
            for contributor in contributors { contributor.addDetails(to: &message, of: report.id) }
            return message
        }
        return Receivers(
            receivers: isFull ? receivers : receivers.map(\.withoutPosition),
            unconfirmedPorts: unconfirmed.isEmpty ? nil : unconfirmed.map(UnconfirmedPort.init))
    }
}

// MARK: The turn
extension ReceiverService {
    /// The next instant for ``tickPorts(at:)``, or for the end of a turn in which the receivers are
    /// shown.
    var deadline: Instant? {
        guard isChanged, portChanged || hasWatchers else { return manager.deadline }
        return earliest(manager.deadline, lastShown + ReceiverService.watchInterval)
    }

    /// Whether a client or the service manager follows the receivers' health.
    var isWatched: Bool { ServiceManager.isAvailable || hasWatchers }

    private var hasWatchers: Bool { server.hasSession(where: \.activity.watchesReceivers) }

    /// Advances the ports, before any service is advanced: received data comes first.
    func tickPorts(at now: Instant) { manager.tick(at: now) }

    /// Performs the end of a receiver's epoch by an idle line.
    func burstEnded(_ id: ReceiverID, at now: Instant) { manager[id]?.burstEnded(at: now) }

    func perform(_ effect: Effect.Receiver, at now: Instant) {
        switch effect {
        case .epoch(let id, let fix): recordEpoch(of: id, fix, at: now)
        case .changed: receiverChanged()
        case .plan(let id, let plan): manager[id]?.apply(plan, at: now)
        case .readPolicy(let id, let policy): manager[id]?.setReadPolicy(policy, at: now)
        }
    }

    private func recordEpoch(of id: ReceiverID, _ fix: Fix, at now: Instant) {
        isChanged = true
        if fix.coordinate != nil {
            fixCount += 1
            // Only a port is certainly a receiver of this device, and reports the present.
            if manager[id] != nil { assistance?.record(fix, at: now) }
        }
        manager[id]?.recordEpoch(hasFix: fix.coordinate != nil, at: now)
        if fix.coordinate != nil, fix.datum != nil || !loggedDatums.isEmpty { logDatum(fix.datum, of: id) }
    }

    /// Warns once when the positions of a receiver are in another datum than WGS-84.
    private func logDatum(_ datum: String?, of id: ReceiverID) {
        guard loggedDatums[id] != datum else { return }
        loggedDatums[id] = datum
        guard let datum, let port = manager[id] else { return }
        log.warning(
            "\(port.name): \(ReceiverReport.warning(ofDatum: datum))", metadata: ["receiver": "\(port.name)"])
    }

    /// Shows the receivers again to the clients of a program with a new verdict.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {
        if !server.sessions(of: program, where: \.activity.watchesReceivers).isEmpty { receiverChanged() }
    }

    /// Records that the data shown of a receiver changed.
    func receiverChanged() { (isChanged, isStateChanged) = (true, true) }

    /// Shows changed receivers to watching clients and to the service manager, at a limited rate.
    func endTurn(at now: Instant) {
        guard isChanged, now - lastShown >= ReceiverService.minWatchInterval else { return }
        let isUrgent = isStateChanged
        (isChanged, isStateChanged) = (false, false)
        portChanged = false
        lastShown = now
        let sessions = server.sessions(where: \.activity.watchesReceivers)
        intervals.keep(sessions.lazy.map(\.number))
        publish(to: sessions.filter { intervals.isDue($0.number, isUrgent: isUrgent, at: now) })
        guard ServiceManager.isAvailable, summary != publishedSummary else { return }
        publishedSummary = summary
        ServiceManager.status(summary)
    }

    /// Sends the receivers to these clients, encoded once for all that get everything. The latest
    /// state replaces an unread one.
    private func publish(to sessions: [ClientSession]) {
        var shared: EncodedObject?
        for session in sessions {
            guard case .receivers(let request) = session.activity else { continue }
            let isShared = request.receiver == nil && permissions.verdict(of: session.owner).allowsFullLocation
            let text = isShared ? shared : nil
            let new = text ?? message(of: request.receiver, for: session).encoded
            if isShared { shared = new }
            session.publish(new)
            server.flush(session)
        }
    }

    /// A one-line status for `systemctl status` and `sextant status`.
    var summary: String {
        if context.locator.fixedPlace != nil { return "Fixed place" }
        let reports = context.locator.reports(at: loop.now)
        guard let first = reports.first(where: \.isPrimary) ?? reports.first else {
            return context.locator.receivers.unconfirmed.first?.unavailability.detail ?? "No receiver found"
        }
        let others = reports.count > 1 ? " and \(reports.count - 1) more" : ""
        if first.health == .hasFix { return "\(first.name)\(others): fix" }
        return "\(first.name)\(others): \(first.detail ?? first.health.rawValue)"
    }

    /// Restores the settings of every receiver. Continue to call ``tickPorts(at:)`` until
    /// ``settingsAreRestored``.
    func finish(at now: Instant) { manager.finish(at: now) }

    /// Whether the settings of every receiver are restored.
    var settingsAreRestored: Bool { manager.areFinished }
}

// MARK: Ports
extension ReceiverService {
    /// Processes bytes of a confirmed port.
    ///
    /// - Parameter onFrame: Receives the body of each sentence, unless it is nil.
    func receive(_ bytes: RawSpan, from port: Port, at now: Instant, onFrame: ((RawSpan) -> Void)?) -> ReadSummary {
        let result = context.locator.receive(
            bytes, from: port.id, at: now, burstStart: port.session.burstStart,
            onFrame: sentences.observer(besides: onFrame))
        // Streams get their updates before the port, its driver and the accounts process the same
        // bytes.
        location.publish(result.updates, readFrom: port.id)
        sentences.finishRead(receiver: port.name, port: port.device.path)
        return result.summary
    }

    func portRemoved(_ port: Port, at now: Instant) {
        powerRevision += 1
        loggedBaudRates[port.id] = nil
        loggedDatums[port.id] = nil
        context.locator.detach(port.id, at: now)
    }

    /// Handles a change that the session of a port reports.
    func handle(_ event: SessionEvent, of port: Port, at now: Instant) {
        switch event {
        case .confirmed(let status): attach(port, status: status, at: now)
        case .statusChanged(let status): statusChanged(port, to: status, at: now)
        case .baudRateDetected(let rate): logBaudRate(rate, of: port)
        case .driverReportChanged: driverReportChanged(port)
        case .powerStateChanged: powerRevision += 1
        case .unconfirmedStatusChanged(let status):
            portChanged = ServiceManager.isAvailable
            let unconfirmed = UnconfirmedPortReport(port.id, name: port.name, port: port.device.path, status: status)
            context.locator.setUnconfirmed(unconfirmed, at: now)
        case .started: receiverChanged()
        case .savedStateChanged, .rescued, .databaseDumped: break
        }
    }

    /// Logs the baud rate if it is new. If a receiver sleeps by closing its port, its baud rate is
    /// detected again at each check fix.
    private func logBaudRate(_ rate: Int, of port: Port) {
        guard loggedBaudRates.updateValue(rate, forKey: port.id) != rate else { return }
        log.info("\(port.name): detected \(rate) baud")
    }

    private func attach(_ port: Port, status: PortStatus, at now: Instant) {
        context.updateReferenceTime(at: now)
        context.locator.attach(
            port.id, name: port.name, port: port.device.path, isAccessory: port.device.isAccessory, status: status,
            at: now)
        setEphemerisRefreshInterval(of: port)
    }

    private func setEphemerisRefreshInterval(of port: Port) {
        context.locator.setEphemerisRefreshInterval(port.named?.keepWarm ?? context.settings.keepWarm, of: port.id)
    }

    private func driverReportChanged(_ port: Port) {
        receiverChanged()
        powerRevision += 1
        let report = port.session.driverReport
        if let chip = report?.chip { context.locator.setCosts(ReceiverCosts(chip), of: port.id) }
        if report?.activity != .configuring { memory.requestTrim() }
    }

    private func statusChanged(_ port: Port, to status: PortStatus, at now: Instant) {
        switch status {
        case .open: if port.session.baudRate == nil { log.info("\(port.name) is open") }
        case .detectingBaudRate: break
        case .absent(let message, lost: _), .denied(let message), .busy(let message), .notGNSS(let message, _),
            .unreadable(let message, _):
            log.notice("\(message)", metadata: ["receiver": "\(port.name)"])
        }
        portChanged = ServiceManager.isAvailable
        context.updateReferenceTime(at: now)
        context.locator.set(status, of: port.id, at: now)
    }

    /// Returns what the core knows of a receiver, in the form that drivers use.
    func identity(of port: Port) -> ReceiverIdentity {
        guard let report = context.locator.reports(at: loop.now).first(where: { $0.id == port.id }) else {
            return ReceiverIdentity()
        }
        var identity = report.identity
        identity.texts = report.texts
        return identity
    }

    /// Returns the chip of a receiver. A driver identifies it; without a driver, the receiver's own
    /// messages do.
    func chip(of port: Port) -> ReceiverChip {
        let chip = port.session.driverReport.map(\.chip) ?? identity(of: port).chip
        return chip ?? .generic
    }
}

extension Receiver {
    /// Creates a message from a report of the core and the port, if the port still exists.
    fileprivate init(_ report: ReceiverReport, port: Port?) {
        self.init(report)
        guard let port else { return }
        product = port.device.model
        usb = port.device.usb?.numbers
        serialNumber = port.device.usb?.serial
        baud = port.session.baudRate
        driver = port.session.driverReport.map(DriverState.init)
    }
}

extension DriverState {
    fileprivate init(_ report: DriverReport) {
        self.init(
            activity: report.activity, chip: report.chip?.rawValue, sleepMethod: report.sleepMethod,
            period: report.period?.seconds, isUnresponsive: report.isUnresponsive)
    }
}

/// When clients that watch receivers get them again, if they want them less often than every epoch.
/// A change of a receiver's state does not wait.
struct WatchIntervals {
    private struct Entry {
        var interval: Instant.Span
        var lastShown: Instant
    }

    /// How much earlier than its interval a reply may follow: epochs vary, and each is a turn that
    /// happens anyway.
    private static let tolerance = Instant.Span.milliseconds(200)

    private var entries: [Int: Entry] = [:]

    /// Records the interval of a session, which has got the receivers now.
    mutating func begin(_ session: Int, interval: Instant.Span, at now: Instant) {
        entries[session] = Entry(interval: interval, lastShown: now)
    }

    mutating func isDue(_ session: Int, isUrgent: Bool, at now: Instant) -> Bool {
        guard let entry = entries[session] else { return true }
        guard isUrgent || now - entry.lastShown >= entry.interval - WatchIntervals.tolerance else { return false }
        entries[session]?.lastShown = now
        return true
    }

    mutating func keep(_ sessions: some Sequence<Int>) {
        guard !entries.isEmpty else { return }
        let open = Set(sessions)
        entries = entries.filter { open.contains($0.key) }
    }
}
