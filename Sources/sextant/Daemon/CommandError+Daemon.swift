import Glibc
import Varlink
import Wire

extension CommandError {
    /// A call of the daemon that failed, in words that name the socket, the reason and the mend.
    init(daemon error: ClientError, service: @autoclosure () -> Observations.Service = SystemService.state) {
        switch error {
        case .connecting(let path, let code): self.init(connecting: path, code, service)
        case .pathTooLong: self.init("\(error)", .usage)
        case .failed(_, let reply): self.init(reply: reply)
        case .disconnected: self.init("sextantd closed the connection; its log says why: journalctl -u sextantd", .unavailable)
        case .timedOut: self.init("sextantd does not answer; its log may say why: journalctl -u sextantd", .unavailable)
        case .transport, .protocolFailure, .unexpectedReply, .unsendable: self.init("\(error)", .unavailable)
        }
    }

    private init(connecting path: String, _ code: Int32, _ service: () -> Observations.Service) {
        func start() -> String {
            let start = DaemonStart(socket: path, service: service(), hasEnded: code == ECONNREFUSED, user: SystemService.user)
            return "\(start.words): \(start.command)"
        }
        let text =
            switch code {
            case ENOENT: "sextantd is not running: there is no socket at \(path); \(start())"
            case ECONNREFUSED where CommandError.isNoSocket(path): "\(path) is not a socket"
            case ECONNREFUSED: "sextantd is not running: nobody listens at \(path); \(start())"
            case EACCES, EPERM: "\(path) may not be opened by this user; it should have mode 0666, and its directory 0755"
            case ENOTSOCK: "\(path) is not a socket"
            default: "connecting to \(path): \(String(cString: strerror(code)))"
            }
        self.init(text, .unavailable)
    }

    /// Linux refuses a connection to a file or directory as it does one to a socket where nobody listens.
    static func isNoSocket(_ path: String) -> Bool {
        var about = stat()
        return stat(path, &about) == 0 && about.st_mode & S_IFMT != S_IFSOCK
    }

    private init(reply: VarlinkError) {
        switch reply.name {
        case LocationUnavailableError.name:
            let words = try? reply.decode(LocationUnavailableError.self)
            self.init("no position: \(words.map { Columns.harmless($0.detail) } ?? "the daemon gives no reason")", .nothing)
        case NoSuchReceiverError.locationName, NoSuchReceiverError.receiverName:
            let words = try? reply.decode(NoSuchReceiverError.self)
            self.init(noReceiver: words?.receiver ?? "", known: words?.known)
        case TooManyConnectionsError.name:
            let limit = (try? reply.decode(TooManyConnectionsError.self)).map { "\(Fixed.grouped($0.limit))" } ?? "as many as allowed"
            let mend = "end some of the programs that ask it, or raise max_connections_per_user or max_connections in its configuration"
            self.init("sextantd takes no more connections, \(limit) are open: \(mend)", .unavailable)
        default:
            if let error = MonitorError(reply) { self.init(monitor: error) } else { self.init("sextantd answers: \(reply)") }
        }
    }

    /// No receiver has that name or port; `known` are those there are, nil when the daemon does not say.
    init(noReceiver name: String, known: [String]?) {
        let others = known.map { $0.isEmpty ? "there is none" : "there are: " + $0.joined(separator: ", ") }
        let words = Columns.harmless(others ?? "those there are: sextant receivers")
        self.init("there is no receiver \"\(Columns.harmless(name))\"; \(words)", .nothing)
    }

    private init(monitor error: MonitorError) {
        switch error {
        case .noSuchMonitor(let name):
            self.init("there is no monitor \"\(Columns.harmless(name))\"; those there are: sextant fence list", .nothing)
        case .noSuchCondition(let identifier):
            let name = Columns.harmless(identifier)
            self.init("there is no fence \"\(name)\" in that monitor; those there are: sextant fence list", .nothing)
        case .monitorInUse(let name, let process):
            let who = "process \(process), and one at a time can: ps -fp \(process)"
            self.init("the monitor \(Columns.harmless(name)) is followed already, by \(who)")
        case .invalidCondition(let identifier, let reason):
            let which = identifier.isEmpty ? "a fence" : "the fence \"\(Columns.harmless(identifier))\""
            self.init("\(which) makes no sense: \(Columns.harmless(reason)); nothing was added", .usage)
        case .invalidName(let name, let reason):
            self.init("a monitor cannot be called \"\(Columns.harmless(name))\": the name \(Columns.harmless(reason))", .usage)
        case .tooManyConditions(let limit): self.init("a program may have \(Fixed.grouped(limit)) fences at most; remove some first")
        case .tooManyMonitors(let limit): self.init("a program may have \(Fixed.grouped(limit)) monitors at most; remove some first")
        case .persistenceUnavailable(let reason):
            self.init("nothing was changed, it could not be written down: \(Columns.harmless(reason))")
        }
    }
}
