import Glibc
import SextantAPI
import Varlink
import VarlinkClient

/// What the daemon reports to `sextant doctor`.
struct DaemonReport {
    private(set) var socket: Observations.Socket
    /// The status of the daemon; nil if it does not reply.
    private(set) var status: Status?
    private(set) var receivers: [Receiver] = []
    /// The ports on which the daemon has confirmed no receiver.
    private(set) var unconfirmedPorts: [UnconfirmedPort] = []
    /// Whether an active request needs positions; nil if the daemon does not report it.
    private(set) var isPositionNeeded: Bool?
    /// What this program may know; nil if the daemon does not report it.
    private(set) var permission: Observations.ProgramPermission?
    /// Why the daemon cannot start, if it reports that.
    private(set) var configurationProblem: ConfigurationProblem?

    init(of daemon: DaemonOptions) {
        do throws(ClientError) {
            let client = try BlockingClient.connect(path: daemon.socket)
            let status = try client.call(ManagerMethods.getStatus, timeout: .seconds(5)).status
            let list = try client.call(ReceiverMethods.list, timeout: .seconds(5))
            receivers = list.receivers
            unconfirmedPorts = list.unconfirmedPorts ?? []
            socket = .replied(version: status.version)
            self.status = status
            // Requests without an interval need no position.
            let consumers = try? client.call(ManagerMethods.getConsumers, timeout: .seconds(5)).consumers
            isPositionNeeded = consumers?.contains { $0.interval != nil || $0.holds }
            let message = try? client.call(SessionMethods.getAuthorization, timeout: .seconds(5)).permission
            permission = message.map(Observations.ProgramPermission.init)
        } catch {
            configurationProblem = DaemonReport.problem(in: error)
            socket = configurationProblem == nil ? DaemonReport.socket(after: error, at: daemon.socket) : .cannotStart
        }
    }

    /// Returns the first directory of a path that this user may not search; nil if it is
    /// the file that denies.
    static func deniedDirectory(of path: String) -> String? {
        let parts = path.split(separator: "/").dropLast()
        var directory = path.hasPrefix("/") ? "" : "."
        for part in parts {
            directory += "/" + part
            if access(directory, X_OK) != 0, errno == EACCES { return directory }
        }
        return nil
    }

    private static func problem(in error: ClientError) -> ConfigurationProblem? {
        guard case .failed(_, let reply) = error else { return nil }
        return ConfigurationProblem(ManagerError(reply))
    }

    private static func socket(after error: ClientError, at path: String) -> Observations.Socket {
        switch error {
        case .connecting(let path, let code): return socket(afterConnecting: path, failedWith: code)
        case .timedOut: return .hung(HungDaemon(at: path))
        case .disconnected: return .failed("sextantd closed the connection")
        default: return .failed(CommandError(daemon: error).description)
        }
    }

    private static func socket(afterConnecting path: String, failedWith code: Int32) -> Observations.Socket {
        switch code {
        case ENOENT: return .missing
        case ECONNREFUSED: return CommandError.isOtherThanSocket(path) ? .failed("\(path) is not a socket") : .refused
        case EACCES, EPERM:
            return deniedDirectory(of: path).map(Observations.Socket.directoryDenied) ?? .permissionDenied
        default: return .failed("cannot connect to \(path): \(String(cString: strerror(code)))")
        }
    }
}
