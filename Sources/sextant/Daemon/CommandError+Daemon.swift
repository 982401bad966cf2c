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
            case ECONNREFUSED: "sextantd is not running: nobody listens at \(path); \(start())"
            case EACCES, EPERM: "\(path) may not be opened by this user; it should have mode 0666, and its directory 0755"
            case ENOTSOCK: "\(path) is not a socket"
            default: "connecting to \(path): \(String(cString: strerror(code)))"
            }
        self.init(text, .unavailable)
    }

    private init(reply: VarlinkError) {
        switch reply.name {
        case LocationUnavailableError.name:
            let words = try? reply.decode(LocationUnavailableError.self)
            self.init("no position: \(words.map { Columns.harmless($0.detail) } ?? "the daemon gives no reason")", .nothing)
        case NoSuchReceiverError.locationName, NoSuchReceiverError.receiverName:
            let words = try? reply.decode(NoSuchReceiverError.self)
            let known = words.map { $0.known.isEmpty ? "there is none" : "there are: " + $0.known.joined(separator: ", ") }
            let name = Columns.harmless(words?.receiver ?? "")
            self.init("there is no receiver \"\(name)\"; \(Columns.harmless(known ?? "those there are: sextant receivers"))", .nothing)
        default: self.init("sextantd answers: \(reply)")
        }
    }
}
