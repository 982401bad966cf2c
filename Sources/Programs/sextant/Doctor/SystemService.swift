import CLinux
import Glibc

/// System information about the service, users and groups.
enum SystemService {
    /// The unit directories of systemd, from systemd.unit(5).
    private static let unitDirectories = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    /// Whether the units are installed. /run/systemd/system exists only if systemd runs
    /// (sd_booted(3)).
    static var state: Observations.Service {
        guard access("/run/systemd/system", F_OK) == 0 else { return .noSystemd }
        return unitDirectories.contains { access($0 + "/sextantd.service", F_OK) == 0 } ? .installed : .notInstalled
    }

    /// The name of the current user; its number if it has no name.
    static var user: String {
        getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "user \(geteuid())"
    }

    /// Returns the group that can read a file. Returns nil if the file does not exist, if the group
    /// cannot read it, and for root's group, which no user should join.
    static func group(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IRGRP != 0, status.st_gid != 0 else { return nil }
        return getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
    }
}

/// How to start a daemon that is not running. All commands give the same advice.
struct DaemonStartAdvice {
    /// The required action as text.
    let displayText: String
    let command: String

    /// - Parameters:
    ///   - socket: The path that the daemon should listen on.
    ///   - service: Whether systemd has the units.
    ///   - hasEnded: Whether the daemon has run and left its socket behind.
    ///   - user: The user who runs the command.
    init(socket: String, service: Observations.Service, hasEnded: Bool, user: String) {
        let isUsual = socket == DaemonOptions.defaultSocketPath
        if isUsual && service == .installed {
            displayText = hasEnded ? "restart the service" : "start the service"
            command =
                hasEnded
                ? "sudo systemctl restart sextantd.socket sextantd.service"
                : "sudo systemctl enable --now sextantd.socket"
        } else {
            // Only root can create a directory in /run.
            let rights = isUsual && user != "root" ? "sudo " : ""
            displayText = hasEnded ? "restart the daemon" : "start the daemon"
            // Nor can another user write the state of the service.
            let state = isUsual || user == "root" ? "" : " --state ~/.local/state/sextant"
            command = "\(rights)sextantd --socket \(ShellText.quoted(socket))\(state)"
        }
    }
}
