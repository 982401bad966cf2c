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
/// One direction: ports and clients change the core, the core's effects are carried out at the end of the turn, and nothing calls back. What
/// streams are told of bytes goes out as soon as the core has taken them.
final class Daemon {
    /// Watchers of receivers are shown changes at most this often.
    static let showing = Instant.Span.seconds(1)
    /// How long receivers may take to be woken and given back their settings when the daemon ends.
    static let partingTime = Instant.Span.seconds(2)

    /// Memory is given back at most this often.
    static let releasing = Instant.Span.seconds(5)

    let loop: EventLoop
    /// A logger is a value: who was handed one has to be handed the one with a new level too.
    var log: Logger { didSet { (ports.log, server.log, monitors.log, database.log) = (log, log, log, log) } }
    var locator = Locator()
    /// What the core wants done this turn.
    var effects: [Effect] = []
    /// Those that are being carried out.
    private var due: [Effect] = []
    private(set) lazy var ports = PortRegister(loop: loop, log: log, stateDirectory: settings.state, events: portEvents)
    private(set) lazy var server = ClientServer(loop: loop, log: log, settings: settings, directory: directory, events: clientEvents)
    private(set) lazy var database = StateDatabase(directory: settings.state, log: log)
    private(set) lazy var monitors = MonitorRegister(database: database, limits: MonitorLimits(settings), log: log)
    private(set) var settings: Settings
    private let directory: ServiceDirectory
    private let sources: SettingsSources
    let started: Instant
    private(set) var socketPath = ""
    private var receiversChanged = false
    private var lastShown = Instant.zero
    private var toldStatus = ""
    /// What the log says of each port's speed.
    private var toldSpeeds: [ReceiverID: Int] = [:]
    /// A port stands differently than the service manager was told; unlike a receiver that talks, it may cause no further turn.
    private var portChanged = false
    private let prepared = PreparedUpdate()
    /// The receiver whose bytes this turn has brought.
    private var speaker: ReceiverID?
    /// Receivers are given back their own settings until then at most; nil while nobody has asked the daemon to end.
    private var ending: Instant?
    /// Something is over that took code and memory which the time after it does not: a receiver has been told how to work, or nothing comes
    /// from it any more.
    var hasSettled = false
    private var released = Instant.zero
    /// What is spent, and for whom.
    var accounting: Accounting
    private(set) lazy var usageBook = UsageBook(database)
    private(set) var fixes = 0
    private(set) var closedUpdates = (published: 0, dropped: 0)

    init(_ sources: SettingsSources, _ settings: Settings, _ log: Logger) throws {
        self.sources = sources
        self.settings = settings
        self.log = log
        loop = try EventLoop()
        started = loop.now
        accounting = Accounting(at: started)
        directory = try ServiceDirectory(
            vendor: "Sextant", product: "sextantd", version: SextantVersion.current, url: "https://sextant.io",
            naming: Interfaces.names, text: Interfaces.text(of:))
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
        (locator.plansPower, locator.pacesReads, locator.tellsSettled) = (settings.power == .auto, true, true)
        tellDate()
        ports.apply(settings, at: loop.now)
        monitors.start(at: loop.now)
        carryOutWatchChanges()
        try server.listen(on: listener)
        log.info("sextantd \(SextantVersion.current) listens on \(socketPath)")
        finishTurn()
        ServiceManager.ready(status: summary)
        // Reading the command line and the configuration takes more code than serving: 3 of 14 MB resident.
        linux_release_memory()
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
        guard ending == nil else { return leave(loop.now) }
        ending = loop.now + Daemon.partingTime
        ports.finish(at: loop.now)
    }

    /// Nothing is left to do but to write down what was spent.
    private func leave(_ now: Instant) {
        monitors.finish(at: now)
        reckon(now, all: true)
        saveAccounts(now)
        loop.exit(0)
    }

    /// Takes the configuration over again without losing a client. What cannot be changed while running is said.
    private func reload() {
        guard ending == nil else { return }
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
            for port in ports.ports { locator.setKeepWarm(port.named?.keepWarm ?? new.keepWarm, of: port.id) }
            monitors.apply(MonitorLimits(new))
            carryOutWatchChanges()
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
                let reception = locator.receive(bytes, from: port.id, at: now, into: &effects)
                publishAtOnce()
                return reception
            },
            status: { [unowned self] port, status, now in changed(port, status, now) },
            proven: { [unowned self] port, now in attach(port, now) },
            locked: { [unowned self] port, speed in
                // A receiver that rests by its port being closed is found again at each look.
                guard toldSpeeds.updateValue(speed, forKey: port.id) != speed else { return }
                log.info("\(port.name) talks at \(speed) baud")
            },
            // The register keeps it.
            remember: { _, _ in },
            evidence: { [unowned self] port in evidence(of: port) },
            driven: { [unowned self] port in
                effects.append(.receiverChanged(port.id))
                accounting.isChanged = true
                if let chip = port.driving.told?.chip { locator.setCosts(ReceiverCosts(chip), of: port.id) }
                if port.driving.told?.activity != .talking { hasSettled = true }
            },
            dropped: { [unowned self] port, now in
                accounting.isChanged = true
                toldSpeeds[port.id] = nil
                locator.detach(port.id, at: now, into: &effects)
            })
    }

    private var clientEvents: ClientServer.Events {
        ClientServer.Events(
            call: { [unowned self] session, call in serve(call, for: session) },
            hasRoom: { [unowned self] session in tellEvents(to: session) },
            closed: { [unowned self] session in closed(session) })
    }

    private func attach(_ port: Port, _ now: Instant) {
        tellDate()
        locator.attach(port.id, name: port.name, port: port.device.path, status: port.status, at: now, into: &effects)
        locator.setKeepWarm(port.named?.keepWarm ?? settings.keepWarm, of: port.id)
    }

    /// What the core has gathered of a receiver, in the words of those who drive it.
    func evidence(of port: Port) -> ReceiverEvidence {
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
        accounting.isChanged = true
        tellDate()
        locator.set(status, of: port.id, at: now, into: &effects)
    }

    private func closed(_ session: ClientSession) {
        if case .monitor(let key) = session.held { return monitors.close(key, session: session.number) }
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
        monitors.tick(at: now)
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
        if !monitors.news.isEmpty { tellNews() }
        keepAccounts(now)
        if let ending, ports.areFinished || ending <= now { return leave(now) }
        showReceivers(now)
        var deadline = earliest(locator.deadline(isWatched: ServiceManager.isListening || !watchers.isEmpty), ports.deadline)
        if receiversChanged, portChanged || !watchers.isEmpty { deadline = earliest(deadline, lastShown + Daemon.showing) }
        deadline = earliest(earliest(deadline, ending), monitors.deadline)
        do {
            try loop.setDeadline(deadline)
        } catch {
            log.critical("the timer cannot be set: \(error)")
            loop.exit(1)
        }
        prepare(now)
        // Clients can cause it, and it costs a fraction of a millisecond.
        guard hasSettled, now - released >= Daemon.releasing else { return }
        (hasSettled, released) = (false, now)
        linux_release_memory()
    }

    /// Tells streams what has come for them before the port, its driver and the accounts take note of the same bytes.
    private func publishAtOnce() {
        var at = 0
        // A client that is served may say something that is for others.
        while at < effects.count {
            if case .publish(let update, let streams) = effects[at] {
                effects.remove(at: at)
                publish(update, to: streams)
            } else {
                at += 1
            }
        }
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
        case .visit(let visit, let watchers): tell(visit, to: watchers)
        case .answer(let id, let location, let age): answer(id, location, age)
        case .refuse(let id, let reason): refuse(id, reason)
        case .epoch(let id, let fix):
            if fix.coordinate != nil { fixes += 1 }
            accounting.epoch(of: id, hasFix: fix.coordinate != nil)
        case .crossed(let events):
            monitors.record(events, at: loop.now)
            carryOutWatchChanges()
        case .receiverChanged: receiversChanged = true
        case .plan(let id, let plan): ports[id]?.follow(plan, at: loop.now)
        case .pace(let id, let pace): ports[id]?.setPace(pace)
        }
    }

    /// Encodes once what all these streams are told.
    private func publish(_ update: Update, to streams: [StreamID]) {
        if update.unavailability?.cause == .receiverSilent { hasSettled = true }
        let shared = prepared.text(of: update)
        for id in streams {
            guard let session = server[id.rawValue] else { continue }
            if session.isBatched {
                session.connection.publishInOrder(shared)
                // The rest of a batch goes out as there is room.
                if session.waitsForRoom { continue }
            } else {
                session.connection.publish(shared, stamp: .counted)
            }
            server.advance(session)
        }
    }

    /// Tells those who watch visits; none is left out.
    private func tell(_ visit: Visit?, to watchers: [StreamID]) {
        for id in watchers {
            guard let session = server[id.rawValue] else { continue }
            reply(WatchVisitsReply(visit), to: session, continues: true)
            server.advance(session)
        }
    }

    private func answer(_ id: StreamID, _ location: Location, _ age: Instant.Span) {
        guard let session = server[id.rawValue], let message = LocationMessage(location) else { return }
        session.held = .nothing
        reply(GetLocationReply(location: message, age: age.seconds, restingSince: locator.restingSince(at: loop.now)), to: session)
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
