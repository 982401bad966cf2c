import Glibc
import SerialPorts
import SextantAPI
import SystemCalls
import Varlink

/// An error that a command prints: what failed, why and, where known, how to fix it.
struct CommandError: Error, Equatable, CustomStringConvertible {
    let description: String
    /// What the user can select instead, one per line.
    let choices: [String]
    let exitStatus: ExitStatus

    init(_ description: String, choices: [String] = [], exitStatus: ExitStatus = .failure) {
        self.description = description
        self.choices = choices
        self.exitStatus = exitStatus
    }

    /// Returns the error of a failed system call. `operation` describes what failed.
    static func system(_ operation: String, code: Int32) -> CommandError {
        CommandError(
            "\(operation): \(String(cString: strerror(code)))",
            exitStatus: code == ENOENT || code == EACCES ? .noInput : .failure)
    }

    /// Creates the error of a failed system call; see ``system(_:code:)``.
    init(_ error: SystemError) {
        self = .system(error.operation, code: error.code)
    }

    /// Prints the error as "sextant: ..." to standard error.
    func report() {
        StandardError.line("sextant: \(description)")
        for choice in choices { StandardError.line("  \(choice)") }
    }
}

extension CommandError {
    /// Creates the error of a port that cannot be opened, with how to fix it.
    init(port error: SerialError) {
        switch error {
        case .busy(let path, let holders): self.init(path: path, heldBy: holders)
        case .permissionDenied(let path, _):
            let remedy =
                SystemService.group(of: path).map {
                    "run sudo usermod -aG \($0) $USER and log in again, or run this command with sudo"
                }
                ?? "run this command with sudo"
            self.init("cannot open \(path): permission denied; \(remedy)", exitStatus: .noInput)
        case .notFound(let path):
            self.init(
                "cannot open \(path): no such device; connect the receiver, or list the ports: ls /dev/tty*",
                exitStatus: .noInput)
        case .notATerminal, .deniedByDeviceFilter, .baudRateUnsupported, .system:
            self.init("\(error)", exitStatus: .noInput)
        }
    }

    /// Creates the error of a port that other programs have open.
    init(path: String, heldBy holders: [PortHolder]) {
        let users = holders.isEmpty ? "another program" : holders.map(\.description).joined(separator: ", ")
        let remedy = PortRelease.remedy(toStop: holders, of: path)
        self.init("\(path) is in use by \(users); \(remedy)", exitStatus: .noInput)
    }
}

extension CommandError {
    /// Creates the error of a call that a program may not make, or of an invalid change of
    /// permissions; nil for another error.
    init?(permission reply: VarlinkError) {
        func text(_ name: String) -> String? { reply.parameters[name]?.string }
        let denied = [Interface.location, .manager, .monitor, .receiver].map(PermissionDeniedError.name)
        let refused =
            [Interface.permission, .agent].map { $0.error(named: "NotAllowed") }
            + [Interface.session.error(named: "NotInUse")]
        switch reply.name {
        case _ where denied.contains(reply.name) || refused.contains(reply.name):
            let detail = text("detail").map(ProgramFormatter.sentence)
            self.init(detail ?? "the daemon gives no reason", exitStatus: .notPermitted)
        case Interface.permission.error(named: "InvalidProgram"):
            self.init(
                "invalid program \"\(text("program") ?? "")\": it \(text("reason") ?? "names no program")",
                exitStatus: .usage)
        case Interface.permission.error(named: "PersistenceUnavailable"):
            self.init("sextantd cannot use its database: \(text("reason") ?? "unknown reason"); nothing was changed")
        default: return nil
        }
    }
}

extension Interface {
    func error(named name: String) -> String { "\(rawValue).\(name)" }
}

/// The exit statuses of the commands. The numbers above 63 are those of sysexits(3).
enum ExitStatus: Int32, CaseIterable {
    /// The command succeeded.
    case success = 0
    /// The command failed and printed the reason.
    case failure = 1
    /// There is no position, receiver or fence of that name, or doctor found a problem.
    case noResult = 2
    /// The command line is invalid.
    case usage = 64
    /// A file or a port cannot be read.
    case noInput = 66
    /// The daemon cannot be reached.
    case unavailable = 69
    /// The program may not know the location, or the user may not change permissions.
    case notPermitted = 77

    /// A one-line description for the manual.
    var meaning: String {
        switch self {
        case .success: "success"
        case .failure: "failure; the reason was printed"
        case .noResult: "no position, no receiver, no such fence, or doctor found a problem"
        case .usage: "the command line is invalid"
        case .noInput: "a file or port cannot be read"
        case .unavailable: "the daemon cannot be reached"
        case .notPermitted: "not permitted; the reason and the remedy were printed"
        }
    }
}
