import Glibc
import SextantAPI
import Varlink
import VarlinkClient

extension CommandError {
    /// Creates the error of a failed call to the daemon. Its text names the socket, the reason and
    /// how to fix it.
    init(daemon error: ClientError, service: @autoclosure () -> Observations.Service = SystemService.state) {
        switch error {
        case .connecting(let path, let code): self.init(connecting: path, code: code, service: service)
        case .pathTooLong: self.init("\(error)", exitStatus: .usage)
        case .failed(_, let reply): self.init(reply: reply)
        case .disconnected:
            self.init("sextantd closed the connection; see its log: journalctl -u sextantd", exitStatus: .unavailable)
        case .timedOut:
            self.init("sextantd does not reply; find out why with: sextant doctor", exitStatus: .unavailable)
        case .protocolFailure(let method, .violation):
            self.init(
                "another program than sextantd replies to \(method); \(CommandError.socketRemedy)",
                exitStatus: .unavailable)
        case .transport, .protocolFailure, .unexpectedReply, .sendFailed:
            self.init("\(error)", exitStatus: .unavailable)
        }
    }

    private static let socketRemedy =
        "name the socket of sextantd with --socket or SEXTANT_SOCKET (default: \(DaemonOptions.defaultSocketPath))"

    private init(connecting path: String, code: Int32, service: () -> Observations.Service) {
        func start() -> String {
            let start = DaemonStartAdvice(
                socket: path, service: service(), hasEnded: code == ECONNREFUSED, user: SystemService.user)
            return "\(start.displayText): \(start.command)"
        }
        let text =
            switch code {
            case ENOENT: "sextantd is not running: there is no socket at \(path); \(start())"
            case ENOTSOCK,
                ECONNREFUSED where CommandError.isOtherThanSocket(path):
                "\(path) is not a socket; \(CommandError.socketRemedy)"
            case ECONNREFUSED: "sextantd is not running: no process listens on \(path); \(start())"
            case EACCES, EPERM:
                "cannot connect to \(path): permission denied; set its mode to 0666 and the mode of its "
                    + "directory to 0755"
            case EPROTOTYPE: "\(path) is a socket of another program; \(CommandError.socketRemedy)"
            default: "cannot connect to \(path): \(String(cString: strerror(code)))"
            }
        self.init(text, exitStatus: .unavailable)
    }

    /// Whether the path is not a socket. Linux also reports "connection refused" for a file or
    /// directory.
    static func isOtherThanSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK
    }

    private init(reply: VarlinkError) {
        switch reply.name {
        case Interface.location.error(named: "LocationUnavailable"):
            let detail = reply.parameters["detail"]?.string
            self.init("no position: \(detail ?? "the daemon gives no reason")", exitStatus: .noResult)
        case NoSuchReceiverError.name(in: .location), NoSuchReceiverError.name(in: .receiver):
            let error = try? NoSuchReceiverError(reply.parameters)
            self.init(noReceiver: error?.receiver ?? "", known: error?.known)
        default:
            if case .interfaceNotFound(let interface)? = ServiceError(reply) {
                self.init(
                    "the program on the socket does not know \(interface): it is not sextantd, or it is an earlier "
                        + "version of it; \(CommandError.socketRemedy)", exitStatus: .unavailable)
            } else if let error = CommandError(manager: ManagerError(reply)) {
                self = error
            } else if let error = CommandError(permission: reply) {
                self = error
            } else if let error = MonitorError(reply) {
                self.init(monitor: error)
            } else {
                self.init("sextantd returned an error: \(reply)")
            }
        }
    }

    /// Creates the error of a connection that the daemon refuses; nil for any other error.
    private init?(manager error: ManagerError?) {
        switch error {
        case .tooManyConnections(let limit, let scope)?: self.init(limit, scope)
        case .tooManyNewConnections?:
            self.init(
                "sextantd refuses this connection because the user opens too many in a short time; "
                    + "try again in a second",
                exitStatus: .unavailable)
        case .invalidConfiguration?:
            let problem = ConfigurationProblem(error)?.displayText ?? "its configuration is invalid"
            self.init(
                "sextantd cannot start: \(problem); find out how to correct it with: sextant doctor",
                exitStatus: .unavailable)
        case .motionReportNotAllowed(let detail)?:
            self.init(ProgramFormatter.sentence(detail), exitStatus: .notPermitted)
        case .tooManyMotionSources(let limit)?:
            self.init("there are \(limit) motion sources that have proven something; use one of their names")
        case .noSuchMotionSource(let source)?:
            self.init("there is no motion source \(source); list them with: sextant doctor motion")
        case .permissionDenied?, .internal?, nil: return nil
        }
    }

    /// Creates the error of a connection that exceeds a limit.
    private init(_ limit: Int, _ scope: LimitScope?) {
        let owner: String
        let setting: String
        switch scope {
        case .program: (owner, setting) = (" of this program", "max_connections_per_program")
        case .user: (owner, setting) = (" of this user", "max_connections_per_user")
        case .all: (owner, setting) = ("", "max_connections")
        case .unknown, nil: (owner, setting) = ("", "max_connections_per_user or max_connections")
        }
        self.init(
            "sextantd accepts no more connections\(owner) (limit: \(DecimalText.grouped(limit))); "
                + "close some of them, or raise \(setting) in its configuration",
            exitStatus: .unavailable)
    }

    /// Creates the error of an unknown receiver name or port. `known` lists the existing receivers;
    /// nil if the daemon does not list them.
    init(noReceiver name: String, known: [String]?) {
        let list = known.map {
            $0.isEmpty ? "no receiver is known" : "known receivers: " + $0.joined(separator: ", ")
        }
        let remedy = list ?? "list receivers with: sextant receivers"
        self.init("there is no receiver \"\(name)\"; \(remedy)", exitStatus: .noResult)
    }

    /// Creates the error of a refused call to a monitor.
    init(monitor error: MonitorError) {
        switch error {
        case .noSuchMonitor(let name):
            self.init(
                "there is no monitor \"\(name)\"; list monitors with: sextant fence list",
                exitStatus: .noResult)
        case .noSuchCondition(let identifier):
            self.init(
                "there is no fence \"\(identifier)\" in that monitor; list fences with: sextant fence list",
                exitStatus: .noResult)
        case .monitorInUse(let name, let process):
            let owner = "process \(process); only one program can follow a monitor at a time; see: ps -fp \(process)"
            self.init("the monitor \(name) is already in use by \(owner)")
        case .invalidCondition(let identifier, let reason):
            let subject = identifier.isEmpty ? "a fence" : "the fence \"\(identifier)\""
            self.init("\(subject) is invalid: \(reason); nothing was added", exitStatus: .usage)
        case .invalidName(let name, let reason):
            self.init(
                "invalid monitor name \"\(name)\": the name \(reason)",
                exitStatus: .usage)
        case .tooManyConditions(_, _, let reason), .tooManyMonitors(_, _, let reason), .tooMuchData(_, _, let reason):
            self.init("\(reason); nothing was added")
        case .invalidProgram(let program, let reason):
            self.init("invalid program \"\(program)\": \(reason)", exitStatus: .usage)
        case .persistenceUnavailable(let reason):
            self.init("sextantd cannot use its database: \(reason); nothing was changed")
        case .permissionDenied(_, _, let detail):
            self.init(ProgramFormatter.sentence(detail), exitStatus: .notPermitted)
        }
    }
}
