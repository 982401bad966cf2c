import Delivery
import Locator
import Receivers
import Serial
import Wire

/// The interpretation of the observations: the checks in order, up to the first problem.
struct Diagnosis {
    let observations: Observations
    private(set) var checks: [Check] = []

    /// Evaluates the observations. A failed socket check does not end the sequence: a receiver can
    /// be checked without the daemon.
    init(_ observations: Observations) {
        self.observations = observations
        checks.append(socket())
        for subject in Check.Subject.receiverChecks.dropFirst() {
            let isBlocked = checks.dropFirst().contains { $0.state == .wrong }
            checks.append(isBlocked ? .skipped(subject, reason: "not checked") : check(subject))
        }
    }

    /// Whether no check found a problem.
    var isHealthy: Bool { !checks.contains { $0.state == .wrong } }

    private func check(_ subject: Check.Subject) -> Check {
        guard let port = observations.port else {
            return subject == .device ? noDevice() : .skipped(subject, reason: "not checked")
        }
        switch subject {
        case .socket: return socket()
        case .device: return device(port)
        case .permission: return permission(port)
        case .holder: return holder(port)
        case .speed: return speed(port)
        case .accuracy: return accuracy(port)
        case .sentences, .antenna, .fix:
            guard let receiver = port.receiver else { return .skipped(subject, reason: "the port was not read") }
            return subject == .sentences
                ? sentences(of: receiver, on: port)
                : subject == .antenna ? antenna(of: receiver, on: port) : fix(of: receiver, on: port)
        case .fence, .watched, .store, .position, .size, .distance, .pending, .listener:
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
            let command = "sudo chmod 0666 \(path)"
            return .wrong(
                .socket, finding: "\(observations.user) has no permission to connect to \(path)",
                remedy: "allow all users to connect: mode 0666", command: command)
        case .failed(let reason):
            return .wrong(
                .socket, finding: reason, remedy: "see the daemon's log", command: "journalctl -u sextantd -n 50")
        }
    }

    private func noDevice() -> Check {
        let ports = observations.unlisted
        guard let first = ports.first else {
            let finding = "no receiver is connected, and there is no serial port"
            return .wrong(
                .device, finding: finding, remedy: "connect a receiver and check whether the system detects it",
                command: "lsusb"
            )
        }
        let finding = "no receiver is connected; ports that may have one: \(ports.joined(separator: " "))"
        return .wrong(
            .device, finding: finding, remedy: "if one of them has a receiver, name it",
            command: "sextant doctor --device \(first)")
    }

    private func device(_ port: Observations.Port) -> Check {
        let device = port.device
        guard port.exists else {
            return .wrong(
                .device, finding: "there is no device at \(device.path)", remedy: "connect the receiver",
                command: "ls -l \(device.path)")
        }
        if case .unsupported(reason: let reason) = device.kind {
            return .wrong(
                .device, finding: "\(device.path): \(device.model ?? "this device") \(reason)",
                remedy: "use it in NMEA mode, or use another receiver")
        }
        let identity = [device.model, device.usb.map { "USB \($0.numbers)" }].compactMap { $0 }.joined(
            separator: ", ")
        return .ok(.device, finding: device.path + (identity.isEmpty ? "" : ": \(identity)"))
    }

    private func permission(_ port: Observations.Port) -> Check {
        guard case .denied(let group) = port.access else {
            return .ok(.permission, finding: "\(port.device.path) can be opened")
        }
        let user = port.isOpenInDaemon ? "the daemon" : observations.user
        let finding = "\(user) has no permission to open \(port.device.path)"
        guard let group else {
            return .wrong(
                .permission, finding: finding, remedy: "check the permissions", command: "ls -l \(port.device.path)")
        }
        if port.isOpenInDaemon {
            let remedy =
                "add the service to the group \(group): set SupplementaryGroups=\(group) under [Service], then "
                + "restart it"
            return .wrong(
                .permission, finding: finding, remedy: remedy, command: "sudo systemctl edit sextantd.service")
        }
        return .wrong(
            .permission, finding: finding, remedy: "join the group \(group), then log in again",
            command: "sudo usermod -aG \(group) \(observations.user)")
    }

    private func holder(_ port: Observations.Port) -> Check {
        if !port.holders.isEmpty || port.receiver?.state == .busy {
            let holders =
                port.holders.isEmpty
                ? "another program" : port.holders.map(\.description).joined(separator: ", ")
            let remedy =
                port.holders.isEmpty
                ? "find the program that has it open (root sees all processes)"
                : "only one program can read a port: stop the other one"
            return .wrong(
                .holder, finding: "\(port.device.path) is in use by \(holders)", remedy: remedy,
                command: PortRelease.command(toStop: port.holders))
        }
        return .ok(.holder, finding: port.isOpenInDaemon ? "sextantd uses it" : "no program uses it")
    }
}
