import SerialPorts

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
        case .notATerminal, .deniedByDeviceFilter, .speedUnsupported, .system:
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

/// How to free a port from the programs that have it open.
enum PortRelease {
    /// Returns the command, which depends on the name of the program. Without a visible program, it
    /// lists all programs that have the port open.
    static func command(
        toStop holders: [PortHolder], of path: String, isService: Bool = SystemService.state == .installed
    ) -> String {
        guard let holder = holders.first else { return "sudo fuser -v \(ShellText.quoted(path))" }
        switch holder.command {
        case "sextantd" where isService: return "sudo systemctl stop sextantd.socket sextantd.service"
        case "gpsd": return "sudo systemctl disable --now gpsd.socket gpsd.service"
        case "ModemManager": return "sudo systemctl stop ModemManager"
        default: return "kill \(holder.process)"
        }
    }

    /// Returns the same advice as text.
    static func remedy(toStop holders: [PortHolder], of path: String) -> String {
        let isDaemon = holders.contains { $0.command == "sextantd" }
        return (isDaemon ? "stop it temporarily: " : holders.isEmpty ? "find the program: " : "stop it first: ")
            + command(toStop: holders, of: path)
    }
}
