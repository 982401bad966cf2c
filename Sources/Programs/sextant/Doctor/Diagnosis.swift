import SextantAPI

/// The interpretation of the observations: the checks in order, up to the first problem.
///
/// A receiver that sleeps because no request needs it has no problem. Nor has one that was started
/// a moment ago: checks that need more data are then skipped.
struct Diagnosis {
    let observations: Observations
    /// What the receiver does, if the daemon reports it.
    let phase: ReceiverPhase
    private(set) var checks: [Check] = []

    /// Evaluates the observations. A failed socket check does not end the sequence: a receiver can
    /// be checked without the daemon. Nor does the configuration while the daemon runs with an
    /// earlier one.
    init(_ observations: Observations) {
        self.observations = observations
        phase = observations.port.map { ReceiverPhase(of: $0, in: observations) } ?? .running
        checks = [socket(), configuration(), observations.stateCheck]
        let firstBlocking = observations.isDaemonRunning ? checks.count : 1
        for subject in Check.Subject.receiverChecks.dropFirst(checks.count) {
            let isBlocked = checks.dropFirst(firstBlocking).contains { $0.state == .wrong }
            checks.append(isBlocked ? .skipped(subject, reason: "not checked") : check(subject))
        }
        if let check = StationText.check(observations.station) { checks.append(check) }
    }

    private func check(_ subject: Check.Subject) -> Check {
        if observations.isDaemonHung {
            return .skipped(subject, reason: subject == .device ? "the daemon may use it" : "not checked")
        }
        guard let port = observations.port else {
            return subject == .device ? observations.missingDevice : .skipped(subject, reason: "not checked")
        }
        if observations.permission?.isReduced == true, [.antenna, .fix, .accuracy].contains(subject) {
            return .skipped(subject, reason: "not shown to a program with a reduced location")
        }
        switch subject {
        case .socket: return socket()
        case .configuration: return configuration()
        case .device: return device(port)
        case .permission: return permission(port)
        case .holder: return holder(port)
        case .baud: return baud(port)
        case .accuracy: return accuracy(port)
        case .authorization: return authorization()
        case .sentences, .antenna, .fix:
            guard let receiver = port.receiver else { return .skipped(subject, reason: "the port was not read") }
            return subject == .sentences
                ? sentences(of: receiver, on: port)
                : subject == .antenna ? antenna(of: receiver, on: port) : fix(of: receiver, on: port)
        case .state, .program, .enabled, .use, .gpsd, .geoclue, .chrony, .fence, .watched, .store, .position, .size,
            .distance, .pending, .promise, .listener, .motion, .source, .station:
            return .skipped(subject, reason: "not a check of a receiver")
        }
    }

    private func socket() -> Check {
        let path = observations.socketPath
        let start = DaemonStartAdvice(
            socket: path, service: observations.service, hasEnded: observations.socket == .refused,
            user: observations.user)
        switch observations.socket {
        case .replied(let version): return .ok(.socket, finding: "sextantd \(version) replies on \(path)")
        case .cannotStart: return .ok(.socket, finding: "sextantd replies on \(path), but it cannot start")
        case .missing where observations.service == .notInstalled:
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
                .socket, finding: "\(observations.user) has no permission to connect to \(path)",
                remedy: "allow all users to connect: mode 0666", command: "sudo chmod 0666 \(ShellText.quoted(path))")
        case .hung(let daemon): return daemon.check(socket: path, service: observations.service)
        case .directoryDenied(let directory):
            return .wrong(
                .socket, finding: "\(observations.user) has no permission to use \(directory), which the socket is in",
                remedy: "allow all users to use the directory: mode 0755",
                command: "sudo chmod 0755 \(ShellText.quoted(directory))")
        case .failed(let reason):
            return .wrong(
                .socket, finding: reason, remedy: "see the daemon's log", command: "journalctl -u sextantd -n 50")
        }
    }

    /// Whether the program that runs the doctor may know the location. Without that, the daemon
    /// also withholds satellites and fix.
    private func authorization() -> Check {
        guard let permission = observations.permission else {
            let isRunning = observations.isDaemonRunning
            return .skipped(
                .authorization,
                reason: isRunning ? "the daemon does not report permissions" : "only the daemon can check it")
        }
        if observations.state?.permissionsUnreadable == true {
            return .skipped(.authorization, reason: "the permissions cannot be read: see the check of the state")
        }
        guard permission.isDenied else {
            let reduced = permission.isReduced ? "; the next checks need the full location" : ""
            return .ok(
                .authorization, finding: "the program \(permission.message.program) \(permission.allowed)\(reduced)")
        }
        return PermissionAdvice(permission.message, isEnabled: permission.isEnabled).check
    }

    private func configuration() -> Check {
        switch observations.configuration {
        case .valid(let files):
            return .ok(
                .configuration,
                finding: files.isEmpty
                    ? "there is no file, and the built-in settings are valid"
                    : "\(files.joined(separator: ", ")): valid")
        case .unknown(let reason): return .skipped(.configuration, reason: reason)
        case .invalid(let problem):
            let isRunning = observations.isDaemonRunning
            let consequence =
                isRunning
                ? "sextantd keeps its earlier configuration, and cannot be restarted" : "sextantd cannot start"
            return .wrong(
                .configuration, finding: "\(problem.displayText); \(consequence)",
                remedy: "correct the file, and make the service use it",
                command: problem.command(service: observations.service, isDaemonRunning: isRunning))
        }
    }
}
