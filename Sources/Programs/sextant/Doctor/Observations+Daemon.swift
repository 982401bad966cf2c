import SextantAPI

/// Checks of the daemon, without a port.
extension Observations {
    var socketCheck: Check {
        let path = socketPath
        let start = DaemonStartAdvice(socket: path, service: service, hasEnded: socket == .refused, user: user)
        switch socket {
        case .replied(let version): return .ok(.socket, finding: "sextantd \(version) replies on \(path)")
        case .cannotStart: return .ok(.socket, finding: "sextantd replies on \(path), but it cannot start")
        case .missing where service == .notInstalled:
            return .wrong(
                .socket, finding: "sextantd is not installed as a service, and there is no socket at \(path)",
                remedy: "install the service, or \(start.displayText)", command: start.command)
        case .missing:
            return .wrong(
                .socket, finding: "there is no socket at \(path)", remedy: start.displayText, command: start.command)
        case .refused:
            return .wrong(
                .socket, finding: "no process listens on \(path): the daemon has ended", remedy: start.displayText,
                command: start.command)
        case .permissionDenied:
            return .wrong(
                .socket, finding: "\(user) has no permission to connect to \(path)",
                remedy: "allow all users to connect: mode 0666", command: "sudo chmod 0666 \(ShellText.quoted(path))")
        case .hung(let daemon): return daemon.check(socket: path, service: service)
        case .directoryDenied(let directory):
            return .wrong(
                .socket, finding: "\(user) has no permission to use \(directory), which the socket is in",
                remedy: "allow all users to use the directory: mode 0755",
                command: "sudo chmod 0755 \(ShellText.quoted(directory))")
        case .failed(let reason):
            return .wrong(
                .socket, finding: reason, remedy: "see the daemon's log", command: "journalctl -u sextantd -n 50")
        }
    }

    /// Whether the program that runs the doctor may know the location. Without that, the daemon
    /// also withholds satellites and fix.
    var authorizationCheck: Check {
        guard let permission else {
            return .skipped(
                .authorization,
                reason: isDaemonRunning ? "the daemon does not report permissions" : "only the daemon can check it")
        }
        if state?.permissionsUnreadable == true {
            return .skipped(.authorization, reason: "the permissions cannot be read: see the check of the state")
        }
        guard permission.isDenied else {
            let reduced = permission.isReduced ? "; the next checks need the full location" : ""
            return .ok(
                .authorization, finding: "the program \(permission.message.program) \(permission.allowed)\(reduced)")
        }
        return PermissionAdvice(permission.message, isEnabled: permission.isEnabled).check
    }

    var configurationCheck: Check {
        switch configuration {
        case .valid(let files):
            return .ok(
                .configuration,
                finding: files.isEmpty
                    ? "there is no file, and the built-in settings are valid"
                    : "\(files.joined(separator: ", ")): valid")
        case .unknown(let reason): return .skipped(.configuration, reason: reason)
        case .invalid(let problem):
            let consequence =
                isDaemonRunning
                ? "sextantd keeps its earlier configuration, and cannot be restarted" : "sextantd cannot start"
            return .wrong(
                .configuration, finding: "\(problem.displayText); \(consequence)",
                remedy: "correct the file, and make the service use it",
                command: problem.command(service: service, isDaemonRunning: isDaemonRunning))
        }
    }
}
