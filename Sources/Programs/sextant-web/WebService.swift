import CLinux
import Chronology
import Glibc
import ServiceRuntime
import Settings
import SystemCalls

/// The page with its events and calls, for all viewers.
final class WebService {
    /// The time without viewers after which the program ends.
    private static let idleLimit = Instant.Span.seconds(30)

    /// Where the parts of the service are.
    struct Paths {
        var page: String
        var maps: String
        var daemon: String
        var places: String
    }

    private let loop: EventLoop
    private let settings: WebSection.Settings
    private let check: RequestCheck
    private let files: PageFiles
    private let maps: TileMaps
    /// Needed for connections by TCP, if the administrator has set one.
    private var password: Password?
    private let hub: EventHub
    private let relay: CallRelay
    private let log: ProgramLog
    private var refusal = RepeatedProblem()
    private var server: HTTPServer?
    private var idleExit: IdleExit
    private let memory = MemoryTrimmer()
    /// The events of the open requests for them.
    private var queues: [ObjectIdentifier: EventQueue] = [:]
    private var sightings = Sightings()

    /// - Parameter endsWhenIdle: Whether the service manager starts the program again.
    init(
        _ paths: Paths, _ settings: WebSection.Settings, listeners: [StreamListener], endsWhenIdle: Bool,
        loop: EventLoop,
        log: ProgramLog
    ) throws {
        self.loop = loop
        self.settings = settings
        self.log = log
        if access(paths.page + "/index.html", R_OK) != 0 {
            log.write(
                "there is no page in \(paths.page): install sextant-web, or name its folder with --page",
                priority: .warning)
        }
        check = RequestCheck(names: settings.names, hostName: hostName() ?? "localhost")
        files = PageFiles(in: paths.page)
        maps = TileMaps(in: paths.maps)
        password = try settings.passwordFile.map { try Password(file: $0) }
        hub = EventHub(of: paths.daemon, in: loop, log: log)
        relay = CallRelay(daemon: paths.daemon, places: paths.places, in: loop)
        idleExit = IdleExit(after: endsWhenIdle ? WebService.idleLimit : nil, at: loop.now)
        let server = try HTTPServer(in: loop, delegate: self)
        for listener in listeners { try server.accept(from: listener) }
        self.server = server
        loop.onDeadline = { [unowned self] now in tick(at: now) }
        loop.afterEachIteration = { [unowned self] in endTurn(at: loop.now) }
        endTurn(at: loop.now)
    }

    private func tick(at now: Instant) {
        server?.tick(at: now)
        hub.tick(at: now)
        relay.tick(at: now)
        if idleExit.isDue(at: now) { loop.exit(0) }
    }

    private func endTurn(at now: Instant) {
        server?.endTurn()
        memory.trimIfRequested(at: now)
        idleExit.update(isIdle: server?.exchangeCount == 0, at: now)
        let deadlines = [server?.deadline, hub.deadline, relay.deadline, memory.deadline, idleExit.deadline]
        loop.setDeadline(deadlines.compactMap { $0 }.min())
    }
}

extension WebService: HTTPServerDelegate {
    func refusal(of exchange: HTTPExchange) -> HTTPResponse? {
        check.refusal(of: exchange.request) ?? refusalWithoutPassword(of: exchange)
    }

    private func refusalWithoutPassword(of exchange: HTTPExchange) -> HTTPResponse? {
        // The permissions of a Unix socket decide who may connect.
        if exchange.peer.address.isEmpty { return nil }
        guard password != nil else {
            if exchange.peer.isLocal { return nil }
            let advice = "other machines need a password: see [web] password_file in sextant.toml(5)"
            if refusal.shouldLog(advice) {
                log.write("refused \(exchange.peer.address): \(advice)", priority: .warning)
            }
            return .refusal(403, advice)
        }
        let header = exchange.request.header("Authorization")
        switch password?.check(header, of: exchange.peer.address, at: loop.now) {
        case .right?, nil: return nil
        case .tooMany?: return .refusal(429, "Too many wrong passwords; wait a minute.")
        case .wrong?:
            var response = HTTPResponse.refusal(401, "A password is needed.")
            response.headers.append((name: "WWW-Authenticate", value: "Basic realm=\"Sextant\", charset=\"UTF-8\""))
            return response
        }
    }

    func answer(_ exchange: HTTPExchange) {
        let request = exchange.request
        switch (request.method, request.path) {
        case ("GET", "/events"): exchange.answer(events(for: exchange))
        case ("GET", "/metrics"):
            guard settings.hasMetrics else {
                return exchange.answer(.refusal(404, "Set metrics = true in [web] of sextant.toml."))
            }
            let metrics = DaemonMetrics(hasPosition: settings.metricsHavePosition, viewerCount: hub.viewerCount)
            MetricsRequest.begin(exchange, metrics, by: relay.metrics)
        case ("POST", let path) where path.hasPrefix("/call/"):
            relay.answer(exchange, method: String(path.dropFirst("/call/".count)), mayEdit: mayEdit(exchange))
        case ("POST", _): exchange.answer(.missing)
        case (_, let path) where path == "/tiles" || path.hasPrefix("/tiles/"): exchange.answer(maps.answer(to: path))
        default: exchange.answer(files.answer(to: request))
        }
    }

    func ended(_ exchange: HTTPExchange) {
        memory.requestTrim()
        if let queue = queues.removeValue(forKey: ObjectIdentifier(exchange)) { hub.remove(queue) }
    }

    /// Whether a viewer may change monitors. Every user of this machine reaches the page by TCP, so
    /// that needs the password, or access to the Unix socket.
    private func mayEdit(_ exchange: HTTPExchange) -> Bool {
        settings.mayEdit ?? (password != nil || exchange.peer.address.isEmpty)
    }

    private func events(for exchange: HTTPExchange) -> HTTPResponse {
        let request = exchange.request
        guard let selection = EventSelection(request.query) else {
            return .refusal(400, "The pace or a name of include is not known.")
        }
        // Behind a Unix socket, a server in front answers many people.
        let names = ["Host", "User-Agent"].map { request.header($0) ?? "" }
        let address = exchange.peer.address
        let queue = hub.add(
            selection, browser: address.isEmpty ? nil : ([address] + names).joined(separator: " "),
            mayEdit: mayEdit(exchange))
        queues[ObjectIdentifier(exchange)] = queue
        if hub.hasViewer(queue) { report(exchange) }
        let headers = [(name: "Cache-Control", value: "no-store"), (name: "X-Accel-Buffering", value: "no")]
        return HTTPResponse(200, type: "text/event-stream", headers: headers, .events(queue))
    }

    /// Reports in the log who looks: the daemon knows this program only, as viewers share streams.
    private func report(_ exchange: HTTPExchange) {
        let address = exchange.peer.address
        guard password != nil, !address.isEmpty,
            let user = exchange.request.header("Authorization").flatMap(Password.credentials)?.user
        else { return }
        let name = "\(user.isEmpty ? "somebody" : String(user.prefix(64))) at \(address)"
        if sightings.shouldReport(name, at: loop.now) { log.write("\(name) looks at the page") }
    }
}

/// Who has looked. Each is reported at most once in an interval, however often they look.
struct Sightings {
    /// How long somebody is not reported again.
    static let interval = Instant.Span.seconds(600)
    /// The maximum number of those who are known. One more makes it forget the others.
    static let maxCount = 64

    private var times: [String: Instant] = [:]

    /// Whether to report that somebody looks now.
    mutating func shouldReport(_ name: String, at now: Instant) -> Bool {
        times = times.filter { now - $0.value < Sightings.interval }
        guard times[name] == nil else { return false }
        if times.count >= Sightings.maxCount { times = [:] }
        times[name] = now
        return true
    }
}
