import CLinux
import Glibc
import SystemCalls
import VarlinkClient

/// A daemon that accepts connections and does not reply. A second one would find its ports and its
/// database in use, so it must continue or end first.
struct HungDaemon: Equatable {
    /// Its process ID; nil if it is not known.
    var process: Int32?
    /// Whether a signal has stopped it, such as SIGSTOP or that of a debugger.
    var isStopped = false
    /// Whether only root may send it signals.
    var needsRoot = false

    /// The process that systemd's sockets belong to, whichever daemon they start.
    private static let manager: Int32 = 1
    private static let name = "sextantd"
}

extension HungDaemon {
    /// Finds the process that listens on a socket.
    init(at socket: String) {
        guard let process = HungDaemon.listener(of: socket) else { return }
        self.process = process
        // The state follows the name, which may have any character (proc_pid_stat(5)).
        let state = TextFile.text(of: "/proc/\(process)/stat").split(separator: ")").last?.first { $0 != " " }
        isStopped = state == "T" || state == "t"
        var status = stat()
        needsRoot = geteuid() != 0 && stat("/proc/\(process)", &status) == 0 && status.st_uid != geteuid()
    }

    private static func listener(of socket: String) -> Int32? {
        guard let client = try? BlockingClient.connect(path: socket, timeout: .seconds(1)) else { return nil }
        var process = pid_t()
        var (user, group) = (uid_t(), gid_t())
        guard linux_peer_credentials(client.fileDescriptor, &process, &user, &group) == 0, process > 0 else {
            return nil
        }
        guard process == manager else { return process }
        let daemons = ((try? Directory.names(in: "/proc")) ?? []).compactMap { Int32($0) }.filter {
            TextFile.text(of: "/proc/\($0)/comm") == name + "\n"
        }
        return daemons.count == 1 ? daemons[0] : nil
    }

    /// What is wrong, without the name of the socket.
    var finding: String {
        let identity = process.map { "\(HungDaemon.name) (pid \($0)) runs" } ?? "\(HungDaemon.name) runs"
        return "\(identity), but does not reply: \(isStopped ? "a signal has stopped it" : "it hangs or is overloaded")"
    }

    func advice(socket: String, service: Observations.Service) -> (text: String, command: String) {
        let rights = needsRoot ? "sudo " : ""
        if isStopped, let process { return ("let it continue", "\(rights)kill -CONT \(process)") }
        if socket == DaemonOptions.defaultSocketPath, service == .installed {
            return ("restart the service", "sudo systemctl restart sextantd.socket sextantd.service")
        }
        guard let process else { return ("find its process, and end it", "pgrep -a \(HungDaemon.name)") }
        return (
            "if it does not reply in a minute, end it, and start it again as before", "\(rights)kill -KILL \(process)"
        )
    }

    func check(socket: String, service: Observations.Service) -> Check {
        let advice = advice(socket: socket, service: service)
        return .wrong(.socket, finding: finding, remedy: advice.text, command: advice.command)
    }

    func error(at socket: String) -> CommandError {
        let advice = advice(socket: socket, service: SystemService.state)
        return CommandError("\(finding); \(advice.text): \(advice.command)", exitStatus: .unavailable)
    }
}
