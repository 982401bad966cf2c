import CLinux
import Chronology
import Delivery
import Glibc
import Locator
import Logging
import Positioning
import Receivers
import SystemCalls
import Systemd
import Varlink
import Wire

/// The daemon: joins the core to ports, sockets and the service manager. All of it runs on one thread, the loop's.
///
/// One direction: ports and clients change the core, the core's effects are carried out at the end of the turn, and nothing calls back.
final class Daemon {
    /// Watchers of receivers are shown changes at most this often.
    static let showing = Instant.Span.seconds(1)
    /// How long receivers may take to be woken and given back their settings when the daemon ends.
    static let partingTime = Instant.Span.seconds(2)

    let loop: EventLoop
    /// A logger is a value: who was handed one has to be handed the one with a new level too.
    var log: Logger { didSet { (ports.log, server.log) = (log, log) } }
    var locator = Locator()
    /// What the core wants done this turn.
    var effects: [Effect] = []
    /// Those that are being carried out.
    private var due: [Effect] = []
    private(set) lazy var ports = PortRegister(loop: loop, log: log, stateDirectory: settings.state, events: portEvents)
    private(set) lazy var server = ClientServer(loop: loop, log: log, settings: settings, directory: directory, events: clientEvents)
    private(set) var settings: Settings
    private let directory: ServiceDirectory
    private let sources: SettingsSources
    let started: Instant
    private(set) var socketPath = ""
    private var receiversChanged = false
    private var lastShown = Instant.zero
    private var toldStatus = ""
    /// A port stands differently than the service manager was told; unlike a receiver that talks, it may cause no further turn.
    private var portChanged = false
    private var prepared = PreparedUpdate()
    /// The receiver whose bytes this turn has brought.
    private var speaker: ReceiverID?
    /// Receivers are given back their own settings until then at most; nil while nobody has asked the daemon to end.
    private var ending: Instant?
    private(set) var fixes = 0
    private(set) var closedUpdates = (published: 0, dropped: 0)

    init(_ sources: SettingsSources, _ settings: Settings, _ log: Logger) throws {
        self.sources = sources
        self.settings = settings
        self.log = log
        loop = try EventLoop()
        started = loop.now
        directory = try ServiceDirectory(
            vendor: "Sextant", product: "sextantd", version: SextantVersion.current, url: "https://sextant.io",
            interfaces: try Interfaces.all.map { try InterfaceDescription(parsing: $0) })
    }

    /// Serves until told to end; returns the process's exit code.
    func run() throws -> Int32 {
        EventLoop.ignoreBrokenPipes()
        raiseDescriptorLimit()
        try loop.handle(.terminate) { [unowned self] in end() }
        try loop.handle(.interrupt) { [unowned self] in end() }
        try loop.handle(.hangup) { [unowned self] in reload() }
        _ = try loop.feedWatchdog()
        let listener = try openSocket()
        loop.onDeadline = { [unowned self] now in tick(now) }
        loop.afterEachTurn = { [unowned self] in finishTurn() }
        (locator.plansPower, locator.pacesReads) = (settings.power == .auto, true)
        tellDate()
        ports.apply(settings, at: loop.now)
        try server.listen(on: listener)
        log.info("sextantd \(SextantVersion.current) listens on \(socketPath)")
        finishTurn()
        ServiceManager.ready(status: summary)
        // Reading the command line and the configuration takes more code than serving: 3 of 14 MB resident.
        linux_release_code()
        return try loop.run()
    }

    private func openSocket() throws -> UnixListener {
        if let handed = try ListenSockets.take(named: "varlink") {
            socketPath = "a socket of the service manager"
            return UnixListener(adopting: handed)
        }
        socketPath = settings.socket
        return try UnixListener(path: settings.socket)
    }

    private func end() {
        log.info("ending")
        ServiceManager.stopping(status: "ending")
        server.closeAll()
        guard ending == nil else { return loop.exit(0) }
        ending = loop.now + Daemon.partingTime
        ports.finish(at: loop.now)
    }

    /// Takes the configuration over again without losing a client. What cannot be changed while running is said.
    private func reload() {
        ServiceManager.reloading()
        do {
            let new = try sources.load()
            if new.socket != settings.socket || new.state != settings.state || new.power != settings.power {
                log.warning("service.socket, service.state and receivers.power change at the next start, not on reload")
            }
            settings = new
            log.logLevel = new.logLevel
            (server.maxPerUser, server.maxInAll) = (new.maxConnectionsPerUser, new.maxConnections)
            tellDate()
            ports.apply(new, at: loop.now)
            log.info("configuration read again")
        } catch {
            log.error("the configuration stays as it was: \(error)")
        }
        ServiceManager.ready(status: summary)
    }

    /// Every subscriber is a descriptor: the soft limit of 1,024 would refuse the one thousandth.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Tells the core the host's date, or on a host whose clock was never set, the day of the release.
    private func tellDate() {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let host = UTCTime(milliseconds: Int64(time.tv_sec) * 1000)
        guard let released = UTCTime(rfc3339: SextantVersion.released) else { return }
        locator.setReference(max(host, released), guessesDay: host >= released, isFloor: host < released, at: loop.now)
    }
}

// MARK: What ports and clients tell
extension Daemon {
    private var portEvents: Port.Events {
        Port.Events(
            bytes: { [unowned self] port, bytes, now in
                speaker = port.id
                return locator.receive(bytes, from: port.id, at: now, into: &effects)
            },
            status: { [unowned self] port, status, now in changed(port, status, now) },
            proven: { [unowned self] port, now in attach(port, now) },
            locked: { [unowned self] port, speed in log.info("\(port.name) talks at \(speed) baud") },
            // The register keeps it.
            remember: { _, _ in },
            evidence: { [unowned self] port in evidence(of: port) },
            driven: { [unowned self] port in
                effects.append(.receiverChanged(port.id))
                if let chip = port.driving.told?.chip { locator.setCosts(ReceiverCosts(chip), of: port.id) }
            },
            dropped: { [unowned self] port, now in locator.detach(port.id, at: now, into: &effects) })
    }

    private var clientEvents: ClientServer.Events {
        ClientServer.Events(
            call: { [unowned self] session, call in serve(call, for: session) },
            closed: { [unowned self] session in closed(session) })
    }

    private func attach(_ port: Port, _ now: Instant) {
        tellDate()
        locator.attach(port.id, name: port.name, port: port.device.path, status: port.status, at: now, into: &effects)
    }

    /// What the core has gathered of a receiver, in the words of those who drive it.
    private func evidence(of port: Port) -> ReceiverEvidence {
        guard let report = locator.reports(at: loop.now).first(where: { $0.id == port.id }) else { return ReceiverEvidence() }
        let identity = report.identity
        var evidence = ReceiverEvidence(
            vendor: identity.vendor, chipset: identity.chipset, firmware: identity.firmware, protocolVersion: identity.protocolVersion)
        evidence.texts = report.texts
        return evidence
    }

    private func changed(_ port: Port, _ status: PortStatus, _ now: Instant) {
        switch status {
        case .open: if port.speed == nil { log.info("\(port.name) is open") }
        case .hunting: break
        case .absent(let words, lost: true): log.notice("\(words)", metadata: ["receiver": "\(port.name)"])
        case .absent(let words, lost: false), .denied(let words), .busy(let words):
            log.notice("\(words)", metadata: ["receiver": "\(port.name)"])
        }
        portChanged = ServiceManager.isListening
        tellDate()
        locator.set(status, of: port.id, at: now, into: &effects)
    }

    private func closed(_ session: ClientSession) {
        locator.cancel(StreamID(session.number))
        guard session.held == .stream else { return }
        closedUpdates.published += session.connection.updates.published
        closedUpdates.dropped += session.connection.updates.dropped
    }
}

// MARK: The turn
extension Daemon {
    private func tick(_ now: Instant) {
        ports.tick(at: now)
        let before = effects.count
        locator.tick(at: now, into: &effects)
        for effect in effects.dropFirst(before) { if case .epoch(let id, _) = effect { ports[id]?.burstEnded(at: now) } }
    }

    /// Carries out what this turn has caused and says when to be woken next.
    private func finishTurn() {
        let now = loop.now
        while !effects.isEmpty {
            swap(&effects, &due)
            for effect in due { carryOut(effect) }
            due.removeAll(keepingCapacity: true)
        }
        if let ending, ports.areFinished || ending <= now { return loop.exit(0) }
        showReceivers(now)
        var deadline = earliest(locator.deadline(isWatched: ServiceManager.isListening || !watchers.isEmpty), ports.deadline)
        if receiversChanged, portChanged || !watchers.isEmpty { deadline = earliest(deadline, lastShown + Daemon.showing) }
        deadline = earliest(deadline, ending)
        do {
            try loop.setDeadline(deadline)
        } catch {
            log.critical("the timer cannot be set: \(error)")
            loop.exit(1)
        }
        prepare(now)
    }

    /// Uses the time until the next line for what its last sentence will ask for.
    private func prepare(_ now: Instant) {
        guard let id = speaker else { return }
        speaker = nil
        if let expected = locator.expected(from: id, at: now) { prepared.prepare(expected) }
    }

    private func carryOut(_ effect: Effect) {
        switch effect {
        case .publish(let update, let streams): publish(update, to: streams)
        case .answer(let id, let location, let age): answer(id, location, age)
        case .refuse(let id, let reason): refuse(id, reason)
        case .epoch(_, let fix): if fix.coordinate != nil { fixes += 1 }
        case .receiverChanged: receiversChanged = true
        case .plan(let id, let plan): ports[id]?.follow(plan, at: loop.now)
        case .pace(let id, let pace): ports[id]?.setPace(pace)
        case .crossed: break
        }
    }

    /// Encodes once what all these streams are told.
    private func publish(_ update: Update, to streams: [StreamID]) {
        let shared = prepared.text(of: update)
        for id in streams {
            guard let session = server[id.rawValue] else { continue }
            session.connection.publish(shared, stamp: .counted)
            server.advance(session)
        }
    }

    private func answer(_ id: StreamID, _ location: Location, _ age: Instant.Span) {
        guard let session = server[id.rawValue], let message = LocationMessage(location) else { return }
        session.held = .nothing
        reply(GetLocationReply(location: message, age: age.seconds), to: session)
        server.advance(session)
    }

    private func refuse(_ id: StreamID, _ reason: Unavailability) {
        guard let session = server[id.rawValue] else { return }
        session.held = .nothing
        let parameters: [String: JSONValue] = ["cause": .string(reason.cause.rawValue), "detail": .string(reason.detail)]
        session.connection.fail(VarlinkError(name: LocationUnavailableError.name, parameters: parameters))
        server.advance(session)
    }

    private var watchers: [ClientSession] { server.holding { if case .receivers = $0 { true } else { false } } }

    private func showReceivers(_ now: Instant) {
        guard receiversChanged, now - lastShown >= Daemon.showing else { return }
        (receiversChanged, portChanged) = (false, false)
        lastShown = now
        for session in watchers {
            guard case .receivers(let wanted) = session.held else { continue }
            show(wanted, to: session, continues: true)
            server.advance(session)
        }
        guard ServiceManager.isListening, summary != toldStatus else { return }
        toldStatus = summary
        ServiceManager.status(summary)
    }
}
