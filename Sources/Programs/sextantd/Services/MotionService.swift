import Chronology
import Glibc
import Locator
import Logging
import Permission
import SerialPorts
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// Serves the methods on motion sources of `io.sextant.Manager`, and keeps what they have proven.
final class MotionService: Service {
    let context: ServiceContext
    let methods = [
        ManagerMethods.reportMotion.name, ManagerMethods.getMotionSources.name, ManagerMethods.forgetMotionSource.name,
    ]
    private let file: AtomicFile
    private var schedule: SaveSchedule
    /// The revision of the core's sources that is in the journal.
    private var loggedRevision: UInt64
    private var ports: [MotionPort] = []
    /// Wakes the loop when a device comes, while one that is configured is absent or denied.
    private var arrivals: (subsystems: Set<String>, source: IOSource)?
    /// What was logged last of each source.
    private var loggedTrust: [String: MotionTrust] = [:]

    init(_ context: ServiceContext) {
        self.context = context
        file = AtomicFile(path: "\(context.settings.state)/motion")
        loggedRevision = context.locator.motion.revision
        schedule = SaveSchedule(saved: loggedRevision)
        load()
        apply(context.settings, at: context.loop.now)
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case ManagerMethods.getMotionSources.name:
            try requireInsight(session)
            session.reply(to: ManagerMethods.getMotionSources, sources(for: session))
        case ManagerMethods.reportMotion.name:
            let source = try call.decode(ManagerMethods.reportMotion).source
            guard FeedParameters.isName(source) else { throw ServiceError.invalid("source") }
            do throws(ManagerError) { try report(from: source, by: session) } catch { throw error.reply }
            session.reply(to: ManagerMethods.reportMotion, NoParameters())
        case ManagerMethods.forgetMotionSource.name:
            let source = try call.decode(ManagerMethods.forgetMotionSource).source
            do throws(ManagerError) { try forget(source, for: session) } catch { throw error.reply }
            session.reply(to: ManagerMethods.forgetMotionSource, NoParameters())
        default: throw call.methodNotImplemented
        }
    }

    private func report(from source: String, by session: ClientSession) throws(ManagerError) {
        let isAdministrator = MotionService.isAdministrator(session.peer.user)
        guard isAdministrator || context.settings.motionReporters.contains(session.owner) else {
            throw .motionReportNotAllowed(
                detail: "\(session.owner) may not report motion: add its user or service to motion.reporters in "
                    + "sextant.toml")
        }
        guard !ports.contains(where: { $0.setting.name == source }) else {
            throw .motionReportNotAllowed(
                detail: "\(source) is a device of the configuration, which sextantd reads itself: report under "
                    + "another name")
        }
        var isTrial = false
        if let known = context.locator.motion.sources.first(where: { $0.name == source }) {
            switch known.report(of: session.owner, isAdministrator: isAdministrator) {
            case .refused(let detail): throw .motionReportNotAllowed(detail: detail)
            case .trial: isTrial = true
            case .own: setOrigin("\(session.owner)", of: source)
            }
        } else if context.locator.motion.policy != .off {
            context.locator.motion.add([MotionSource(name: source, origin: "\(session.owner)")])
        }
        context.locator.reportMotion(from: source, isTrial: isTrial, at: loop.now)
        let motion = context.locator.motion
        guard motion.policy == .off || motion.sources.contains(where: { $0.name == source }) else {
            throw .tooManyMotionSources(limit: MotionSources.capacity)
        }
    }

    fileprivate static func isAdministrator(_ user: UInt32) -> Bool { user == 0 || user == geteuid() }

    private func setOrigin(_ origin: String, of name: String) {
        guard context.locator.motion.sources.contains(where: { $0.name == name && $0.origin != origin }) else { return }
        context.locator.motion.setOrigin(origin, of: name)
    }

    private func forget(_ source: String, for session: ClientSession) throws(ManagerError) {
        guard MotionService.isAdministrator(session.peer.user) else {
            throw .motionReportNotAllowed(
                detail: "only root and the user of sextantd may forget a motion source: use sudo")
        }
        guard context.locator.motion.forget(source) else { throw .noSuchMotionSource(source: source) }
    }

    /// Returns the motion sources. When the device was moved is known only to programs that may
    /// know the location at all times.
    private func sources(for session: ClientSession) -> MotionSourcesReply {
        let motion = context.locator.motion
        let now = loop.now
        let seesTimes =
            permissions.mayBeChanged(by: session) || permissions.verdict(of: session.owner).authorization == .always
        return MotionSourcesReply(
            use: motion.policy, rareChecks: motion.makesChecksRare(at: now),
            sources: motion.sources.map { source in
                let port = ports.first { $0.setting.name == source.name }
                return MotionService.message(on: source, of: motion, port, seesTimes: seesTimes, at: now)
            })
    }

    /// - Parameter seesTimes: Whether reports are included, whose number reveals their times.
    static func message(
        on source: MotionSource, of motion: MotionSources, _ port: MotionPort?, seesTimes: Bool, at now: Instant
    ) -> MotionSourceReport {
        let source = source.current(at: now)
        let isArmed = motion.restingSince != nil && motion.policy != .off && source.trust != .nervous
        var message = MotionSourceReport(
            name: source.name, kind: port.map { MotionKind($0.setting.device) } ?? .report,
            activity: source.isAvailable ? isArmed ? .armed : .idle : MotionActivity(port?.problem),
            trust: source.trust, departures: source.departures, reports: 0, falseChecks: 0)
        if seesTimes {
            (message.reports, message.falseChecks) = (source.reports, source.falseChecks(at: now))
            message.lastReport = source.lastReport.map { HostClock.utc.advanced(by: $0 - now) }
        }
        message.distrustedUntil = source.distrustedUntil.map { HostClock.utc.advanced(by: $0 - now) }
        message.problem = port?.problem?.description
        return message
    }

    func apply(_ settings: Settings, at now: Instant) {
        openPorts(of: settings)
        distrustReporters(except: settings.motionReporters)
        guard settings.motionPolicy != context.locator.motion.policy else { return }
        context.locator.motion.policy = settings.motionPolicy
    }

    /// Opens the configured devices, and closes others.
    private func openPorts(of settings: Settings) {
        for port in ports where !settings.motionSources.contains(port.setting) {
            context.locator.motion.setAvailable(false, port.setting.name)
        }
        ports.removeAll { !settings.motionSources.contains($0.setting) }
        if !(settings.motionSources.isEmpty && context.locator.motion.sources.isEmpty) {
            context.locator.motion.setDevices(settings.motionSources.map(\.name))
        }
        for setting in settings.motionSources where !ports.contains(where: { $0.setting == setting }) {
            let port = MotionPort(setting, loop: loop) { [unowned self] reported in
                if let reported {
                    context.locator.reportMotion(from: setting.name, at: reported)
                } else {
                    portChanged(setting.name)
                    watchArrivals()
                }
            }
            ports.append(port)
            context.locator.motion.setAvailable(true, setting.name)
            port.openIfAbsent()
        }
        watchArrivals()
    }

    private func portChanged(_ name: String) {
        guard let port = ports.first(where: { $0.setting.name == name }) else { return }
        let wasAvailable = context.locator.motion.sources.first { $0.name == name }?.isAvailable ?? true
        if let identity = port.identity { setOrigin(identity, of: name) }
        context.locator.motion.setAvailable(port.problem == nil, name)
        if let problem = port.problem {
            log.warning("the motion source \(name) cannot be read: \(problem)")
        } else if !wasAvailable {
            log.notice("the motion source \(name) can be read again")
        }
    }

    /// Waits for devices of the kinds of those that are absent or denied. Without udev they are
    /// tried at the next rest alone.
    private func watchArrivals() {
        let subsystems = Set(ports.lazy.filter(\.awaitsArrival).map(\.setting.device.subsystem))
        guard subsystems != arrivals?.subsystems ?? [] else { return }
        arrivals = nil
        guard !subsystems.isEmpty, let monitor = try? UdevMonitor(subsystems: subsystems.sorted()) else { return }
        let source = try? loop.watch(monitor.descriptor, for: .readable) { [unowned self] _ in
            monitor.discard()
            for port in ports where port.awaitsArrival { port.openIfAbsent() }
        }
        arrivals = source.map { (subsystems, $0) }
    }

    /// Programs that may not report any more have proven nothing.
    private func distrustReporters(except reporters: ProgramSet) {
        for source in context.locator.motion.sources where source.hasProof {
            guard let program = source.program, !MotionService.isAdministrator(program.user),
                !reporters.contains(program)
            else { continue }
            context.locator.motion.forget(source.name)
        }
    }

    var deadline: Instant? { ports.reduce(schedule.retryAt) { earliest($0, $1.deadline) } }

    /// Watches the devices while the device rests, and saves what the sources have proven after a
    /// change.
    func endTurn(at now: Instant) {
        if !ports.isEmpty { updatePorts(at: now) }
        let revision = context.locator.motion.revision
        if revision != loggedRevision { logChanges() }
        loggedRevision = revision
        if schedule.isDue(revision, at: now) { save(revision, at: now) }
    }

    private func save(_ revision: UInt64, at now: Instant) {
        do {
            try Directory.make(context.settings.state)
            let sources = context.locator.motion.sources
            try file.replace(with: MotionRecords.text(of: sources, at: now, date: HostClock.utc))
            schedule.succeeded(revision)
        } catch {
            if schedule.retryAt == nil {
                log.warning("what motion sources have proven is lost at a restart until it can be saved: \(error)")
            }
            schedule.failed(at: now)
        }
    }

    private func updatePorts(at now: Instant) {
        let motion = context.locator.motion
        for port in ports {
            let isUsed =
                motion.policy != .off
                && motion.sources.contains { $0.name == port.setting.name && !$0.isIgnored(at: now) }
            port.update(restingSince: isUsed ? motion.restingSince : nil, at: now)
        }
    }

    private func logChanges() {
        let sources = context.locator.motion.sources
        loggedTrust = loggedTrust.filter { name, _ in sources.contains { $0.name == name } }
        for source in sources {
            let before = loggedTrust.updateValue(source.trust, forKey: source.name) ?? .unproven
            if before != source.trust { log.notice("\(MotionService.notice(about: source, after: before))") }
        }
    }

    private static func notice(about source: MotionSource, after before: MotionTrust) -> String {
        switch source.trust {
        case .unproven where before == .trusted: "the motion source \(source.name) has to prove its trust again"
        case .unproven, .unknown: "the motion source \(source.name) is no longer distrusted"
        case .trusted: "the motion source \(source.name) is trusted: it reported the last departures"
        case .deaf: "the motion source \(source.name) is not trusted for 7 days: it missed a departure"
        case .nervous: "the motion source \(source.name) is ignored for 7 days: it reports too often at rest"
        }
    }

    /// Reads what sources had proven in earlier runs. Until its first report a source counts as
    /// absent: its program may not run any more.
    private func load() {
        do throws(SystemError) {
            let text = String(decoding: try file.contents(), as: UTF8.self)
            guard let sources = MotionRecords.sources(in: text, at: loop.now, date: HostClock.utc) else {
                return log.warning("\(file.path) is damaged: motion sources have proven nothing")
            }
            context.locator.motion.add(sources)
            for source in sources { loggedTrust[source.name] = source.trust }
        } catch {
            guard error.code != ENOENT else { return }
            log.warning("cannot read what motion sources have proven: \(error)")
        }
    }
}

/// What motion sources have proven, as it is kept between runs.
///
/// The text form is a heading and one line per source that has proven anything: trust, reported
/// departures, the end of the distrust in milliseconds since 1970 or a hyphen, the name, and the
/// device or program that reports under it.
///
///     sextant motion 1
///     trusted 3 - ignition 998:ignition.service
enum MotionRecords {
    private static let heading = "sextant motion 1"

    /// Returns the text form of the sources that have proven anything.
    ///
    /// - Parameter date: The UTC time at `now`.
    static func text(of sources: [MotionSource], at now: Instant, date: UTCTime) -> String {
        sources.filter(\.hasProof).reduce(into: heading + "\n") { text, source in
            let until = source.distrustedUntil.map { "\(date.advanced(by: $0 - now).milliseconds)" } ?? "-"
            let origin = source.origin.map { " \($0)" } ?? ""
            text += "\(source.trust.rawValue) \(source.departures) \(until) \(source.name)\(origin)\n"
        }
    }

    /// Parses the text form into sources that have not reported yet. If the host's clock was wrong,
    /// a source is distrusted for at most the full time. Returns `nil` if any part is invalid.
    static func sources(in text: String, at now: Instant, date: UTCTime) -> [MotionSource]? {
        let lines = text.split(separator: "\n")
        guard lines.first.map(String.init) == heading, lines.count <= MotionSources.capacity + 1 else { return nil }
        var sources: [MotionSource] = []
        for line in lines.dropFirst() {
            let fields = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= 4, let trust = MotionTrust(rawValue: fields[0]),
                let departures = Int(fields[1]), (0...MotionSource.requiredDepartures).contains(departures),
                FeedParameters.isName(fields[3])
            else { return nil }
            let until = Int64(fields[2]).map(UTCTime.init(milliseconds:))
            guard (until != nil) == (trust == .deaf || trust == .nervous), until != nil || fields[2] == "-" else {
                return nil
            }
            let rest = until.map { max(.zero, min($0.span(since: date), MotionSource.distrustDuration)) }
            var source = MotionSource(
                name: fields[3], origin: fields.count == 5 ? fields[4] : nil, trust: trust, departures: departures,
                distrustedUntil: rest.map { now + $0 })
            source.isAvailable = false
            sources.append(source)
        }
        return sources
    }
}

extension MotionSource {
    /// The program that reports under the name; nil for a device, or if it is unknown.
    var program: ProgramID? { origin.flatMap { ProgramID(stored: $0) } }

    /// What a report of a program under this name is.
    enum Report: Equatable {
        /// That of the source.
        case own
        /// A trial by the administrator, which proves nothing.
        case trial
        /// Not permitted: what another program has proven would be lost.
        case refused(detail: String)
    }

    /// Returns what a report of a program under this name is.
    func report(of reporter: ProgramID, isAdministrator: Bool) -> Report {
        guard let origin, origin != "\(reporter)" else { return .own }
        if isAdministrator, hasProof || program.map({ !MotionService.isAdministrator($0.user) }) ?? false {
            return .trial
        }
        guard hasProof else { return .own }
        return .refused(
            detail: "\(name) is the motion source of \(origin), which has proven something: report under another "
                + "name, or forget that with: sudo sextant motion forget \(name)")
    }
}

extension MotionActivity {
    /// What a source does that cannot report, because of a problem of its device or for lack of any
    /// report.
    init(_ problem: SystemError?) {
        switch problem?.code {
        case EBUSY: self = .busy
        // The unit permits no sockets of a CAN bus (RestrictAddressFamilies=).
        case EACCES, EPERM, EAFNOSUPPORT: self = .denied
        default: self = .absent
        }
    }
}

extension MotionKind {
    init(_ device: MotionDevice.Kind) {
        switch device {
        case .input: self = .input
        case .gpio: self = .gpio
        case .iio: self = .iio
        case .can: self = .can
        }
    }
}
