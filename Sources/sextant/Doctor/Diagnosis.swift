import Delivery
import Locator
import Receivers
import Serial
import Wire

/// What observations mean: the checks in order, up to the first that finds something wrong.
struct Diagnosis {
    let observations: Observations
    private(set) var checks: [Check] = []

    /// Judges what was observed. The socket alone does not end the chain: a receiver can be checked without the daemon.
    init(_ observations: Observations) {
        self.observations = observations
        checks.append(socket())
        for subject in Check.Subject.ofPosition.dropFirst() {
            let isBlocked = checks.dropFirst().contains { $0.state == .wrong }
            checks.append(isBlocked ? .skipped(subject, "not looked at") : check(subject))
        }
    }

    /// Whether nothing is wrong.
    var isHealthy: Bool { !checks.contains { $0.state == .wrong } }

    private func check(_ subject: Check.Subject) -> Check {
        guard let port = observations.port else { return subject == .device ? noDevice() : .skipped(subject, "not looked at") }
        switch subject {
        case .socket: return socket()
        case .device: return device(port)
        case .permission: return permission(port)
        case .holder: return holder(port)
        case .speed: return speed(port)
        case .accuracy: return accuracy(port)
        case .sentences, .antenna, .fix:
            guard let heard = port.heard else { return .skipped(subject, "the port was not listened to") }
            return subject == .sentences ? sentences(heard, port) : subject == .antenna ? antenna(heard, port) : fix(heard, port)
        case .fence, .watched, .store, .position, .size, .distance, .pending, .listener: return .skipped(subject, "not of a receiver")
        }
    }

    private func socket() -> Check {
        let path = observations.socketPath
        let start = DaemonStart(
            socket: path, service: observations.service, hasEnded: observations.socket == .refused, user: observations.user)
        switch observations.socket {
        case .answers(let version): return .ok(.socket, "sextantd \(version) answers at \(path)")
        case .missing where observations.service == .notInstalled:
            return .wrong(
                .socket, "sextantd is not installed as a service, and there is no socket at \(path)",
                mend: "install the service, or \(start.words)", command: start.command)
        case .missing: return .wrong(.socket, "there is no socket at \(path)", mend: start.words, command: start.command)
        case .refused:
            return .wrong(.socket, "nobody listens at \(path): the daemon has ended", mend: start.words, command: start.command)
        case .forbidden:
            let command = "sudo chmod 0666 \(path)"
            return .wrong(
                .socket, "\(observations.user) may not connect to \(path)", mend: "the socket is for everyone: mode 0666", command: command)
        case .broken(let reason):
            return .wrong(.socket, reason, mend: "look what the daemon says", command: "journalctl -u sextantd -n 50")
        }
    }

    private func noDevice() -> Check {
        let ports = observations.unlisted
        guard let first = ports.first else {
            let finding = "no receiver is plugged in, and no serial port is there"
            return .wrong(.device, finding, mend: "plug a receiver in, and see whether the system notices", command: "lsusb")
        }
        let finding = "no receiver is plugged in; ports that may have one: \(ports.joined(separator: " "))"
        return .wrong(.device, finding, mend: "if a receiver is behind one of them, name it", command: "sextant doctor --device \(first)")
    }

    private func device(_ port: Observations.Port) -> Check {
        let device = port.device
        guard port.exists else {
            return .wrong(.device, "there is nothing at \(device.path)", mend: "plug the receiver in", command: "ls -l \(device.path)")
        }
        if case .unsupported(reason: let reason) = device.kind {
            return .wrong(
                .device, "\(device.path): \(device.model ?? "this device") \(reason)", mend: "use it in NMEA mode, or another receiver")
        }
        let identity = [device.model, device.usb.map { "USB \($0.numbers)" }].compactMap { $0 }.map(Columns.harmless).joined(
            separator: ", ")
        return .ok(.device, device.path + (identity.isEmpty ? "" : ": \(identity)"))
    }

    private func permission(_ port: Observations.Port) -> Check {
        guard case .denied(let group) = port.access else { return .ok(.permission, "\(port.device.path) may be opened") }
        let who = port.isServed ? "the daemon" : observations.user
        let finding = "\(port.device.path) may not be opened by \(who)"
        guard let group else { return .wrong(.permission, finding, mend: "see who may", command: "ls -l \(port.device.path)") }
        if port.isServed {
            let mend = "let the service into the group \(group): SupplementaryGroups=\(group) under [Service], then restart it"
            return .wrong(.permission, finding, mend: mend, command: "sudo systemctl edit sextantd.service")
        }
        return .wrong(
            .permission, finding, mend: "join the group \(group), then log in anew",
            command: "sudo usermod -aG \(group) \(observations.user)")
    }

    private func holder(_ port: Observations.Port) -> Check {
        if !port.holders.isEmpty || port.heard?.state == .busy {
            let who = port.holders.isEmpty ? "another program" : port.holders.map(\.description).joined(separator: ", ")
            let mend = port.holders.isEmpty ? "find out who (root sees all)" : "a port has one reader: end the other one"
            return .wrong(.holder, "\(port.device.path) is in use by \(who)", mend: mend, command: PortRelease.command(port.holders))
        }
        return .ok(.holder, port.isServed ? "sextantd has it" : "nobody has it")
    }
}
