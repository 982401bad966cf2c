import Chronology
import Glibc
import Locator
import Logging
import SerialPorts
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// Serves `ReportMotion` and `GetMotionSources` of `io.sextant.Manager`, and keeps what motion
/// sources have proven.
final class MotionService: Service {
    let context: ServiceContext
    let methods = [ManagerMethods.reportMotion.name, ManagerMethods.getMotionSources.name]
    private let file: AtomicFile
    /// The revision of the core's sources that is on disk and in the journal.
    private var savedRevision: UInt64
    private var ports: [MotionPort] = []
    /// What was logged last of each source.
    private var loggedTrust: [String: MotionSource.Trust] = [:]

    init(_ context: ServiceContext) {
        self.context = context
        file = AtomicFile(path: "\(context.settings.state)/motion")
        savedRevision = context.locator.motion.revision
        load()
        apply(context.settings, at: context.loop.now)
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case ManagerMethods.getMotionSources.name:
            try requireInsight(session)
            session.reply(to: ManagerMethods.getMotionSources, sources)
        case ManagerMethods.reportMotion.name:
            let source = try call.decode(ManagerMethods.reportMotion).source
            guard FeedParameters.isName(source) else { throw ServiceError.invalid("source") }
            do throws(ManagerError) { try report(from: source, by: session) } catch { throw error.reply }
            session.reply(to: ManagerMethods.reportMotion, NoParameters())
        default: throw call.methodNotImplemented
        }
    }

    private func report(from source: String, by session: ClientSession) throws(ManagerError) {
        let user = session.peer.user
        guard user == 0 || user == geteuid() || context.settings.motionReporters.contains(session.owner) else {
            throw .motionReportNotAllowed(
                detail: "\(session.owner) may not report motion: add its user or service to motion.reporters in "
                    + "sextant.toml")
        }
        context.locator.reportMotion(from: source, at: loop.now)
        let motion = context.locator.motion
        guard motion.policy == .off || motion.sources.contains(where: { $0.name == source }) else {
            throw .tooManyMotionSources(limit: MotionSources.capacity)
        }
    }

    private var sources: MotionSourcesReply {
        let motion = context.locator.motion
        let now = loop.now
        return MotionSourcesReply(
            use: MotionUse(motion.policy), rareChecks: motion.makesChecksRare(at: now),
            sources: motion.sources.map { source in
                let port = ports.first { $0.setting.name == source.name }
                let activity: MotionActivity = motion.restingSince == nil ? .resting : .armed
                var message = MotionSourceReport(
                    name: source.name, kind: port.map { MotionKind($0.setting.device) } ?? .report,
                    activity: source.isAvailable ? activity : port?.problem?.code == EBUSY ? .busy : .absent,
                    trust: MotionTrust(source.trust), departures: source.departures, reports: source.reports,
                    falseChecks: source.falseChecks(at: now))
                message.lastReport = source.lastReport.map { HostClock.utc.advanced(by: $0 - now) }
                message.distrustedUntil = source.distrustedUntil.map { HostClock.utc.advanced(by: $0 - now) }
                message.problem = port?.problem?.description
                return message
            })
    }

    func apply(_ settings: Settings, at now: Instant) {
        openPorts(of: settings)
        guard settings.motionPolicy != context.locator.motion.policy else { return }
        context.locator.motion.policy = settings.motionPolicy
    }

    /// Opens the configured devices, and closes others.
    private func openPorts(of settings: Settings) {
        for port in ports where !settings.motionSources.contains(port.setting) {
            context.locator.motion.setAvailable(false, port.setting.name)
        }
        ports.removeAll { !settings.motionSources.contains($0.setting) }
        for setting in settings.motionSources where !ports.contains(where: { $0.setting == setting }) {
            if !context.locator.motion.sources.contains(where: { $0.name == setting.name }) {
                context.locator.motion.add([MotionSource(name: setting.name)])
            }
            let port = MotionPort(setting, loop: loop) { [unowned self] reported in
                if let reported {
                    context.locator.reportMotion(from: setting.name, at: reported)
                } else {
                    portChanged(setting.name)
                }
            }
            ports.append(port)
            context.locator.motion.setAvailable(true, setting.name)
            port.openIfAbsent()
        }
    }

    private func portChanged(_ name: String) {
        let problem = ports.first { $0.setting.name == name }?.problem
        context.locator.motion.setAvailable(problem == nil, name)
        if let problem {
            log.warning("the motion source \(name) cannot be read: \(problem)")
        } else {
            log.notice("the motion source \(name) can be read again")
        }
    }

    var deadline: Instant? { ports.reduce(nil) { earliest($0, $1.deadline) } }

    /// Watches the devices while the device rests, and saves what the sources have proven after a
    /// change.
    func endTurn(at now: Instant) {
        if !ports.isEmpty { updatePorts(at: now) }
        guard context.locator.motion.revision != savedRevision else { return }
        savedRevision = context.locator.motion.revision
        logChanges()
        do {
            try Directory.make(context.settings.state)
            try file.replace(with: MotionRecords(context.locator.motion.sources, at: now, date: HostClock.utc).text)
        } catch {
            log.warning("what motion sources have proven is lost at a restart: \(error)")
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
        for source in context.locator.motion.sources where loggedTrust[source.name, default: .unproven] != source.trust
        {
            loggedTrust[source.name] = source.trust
            log.notice("\(MotionService.notice(about: source))")
        }
    }

    private static func notice(about source: MotionSource) -> String {
        switch source.trust {
        case .unproven: "the motion source \(source.name) is no longer distrusted"
        case .trusted: "the motion source \(source.name) is trusted: it reported the last departures"
        case .deaf: "the motion source \(source.name) is not trusted for 7 days: it missed a departure"
        case .nervous: "the motion source \(source.name) is ignored for 7 days: it reports too often at rest"
        }
    }

    /// Reads what sources had proven in earlier runs. Until its first report a source counts as
    /// absent: its program may not run any more.
    private func load() {
        do throws(SystemError) {
            guard let records = MotionRecords(text: String(decoding: try file.contents(), as: UTF8.self)) else {
                return log.warning("\(file.path) is damaged: motion sources have proven nothing")
            }
            let sources = records.sources(at: loop.now, date: HostClock.utc)
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
/// The text form is a heading and one line per source: trust, reported departures, the end of the
/// distrust in milliseconds since 1970 or a hyphen, and the name.
///
///     sextant motion 1
///     trusted 3 - ignition
struct MotionRecords: Equatable {
    private struct Record: Equatable {
        var name: String
        var trust: MotionSource.Trust
        var departures: Int
        var distrustedUntil: UTCTime?
    }

    private static let heading = "sextant motion 1"

    private var records: [Record] = []

    /// - Parameter date: The UTC time at `now`.
    init(_ sources: [MotionSource], at now: Instant, date: UTCTime) {
        records = sources.map { source in
            Record(
                name: source.name, trust: source.trust, departures: source.departures,
                distrustedUntil: source.distrustedUntil.map { date.advanced(by: $0 - now) })
        }
    }

    /// Parses the text form. Returns `nil` if any part is invalid.
    init?(text: String) {
        let lines = text.split(separator: "\n")
        guard lines.first.map(String.init) == MotionRecords.heading, lines.count <= MotionSources.capacity + 1 else {
            return nil
        }
        for line in lines.dropFirst() {
            let fields = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 4, let trust = MotionSource.Trust(rawValue: fields[0]),
                let departures = Int(fields[1]), (0...MotionSource.requiredDepartures).contains(departures),
                FeedParameters.isName(fields[3])
            else { return nil }
            let until = Int64(fields[2]).map(UTCTime.init(milliseconds:))
            guard (until != nil) == (trust == .deaf || trust == .nervous), until != nil || fields[2] == "-" else {
                return nil
            }
            records.append(
                Record(name: fields[3], trust: trust, departures: departures, distrustedUntil: until))
        }
    }

    var text: String {
        records.reduce(into: MotionRecords.heading + "\n") { text, record in
            let until = record.distrustedUntil.map { "\($0.milliseconds)" } ?? "-"
            text += "\(record.trust.rawValue) \(record.departures) \(until) \(record.name)\n"
        }
    }

    /// Returns the sources, which have not reported yet. If the host's clock was wrong, a source is
    /// distrusted for at most the full time.
    func sources(at now: Instant, date: UTCTime) -> [MotionSource] {
        records.map { record in
            let rest = record.distrustedUntil.map {
                max(.zero, min($0.span(since: date), MotionSource.distrustDuration))
            }
            var source = MotionSource(
                name: record.name, trust: record.trust, departures: record.departures,
                distrustedUntil: rest.map { now + $0 })
            source.isAvailable = false
            return source
        }
    }
}

extension MotionUse {
    init(_ policy: MotionPolicy) {
        switch policy {
        case .auto: self = .auto
        case .wakeOnly: self = .wakeOnly
        case .off: self = .off
        }
    }
}

extension MotionTrust {
    init(_ trust: MotionSource.Trust) {
        switch trust {
        case .unproven: self = .unproven
        case .trusted: self = .trusted
        case .deaf: self = .deaf
        case .nervous: self = .nervous
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
