import Serial

extension CommandError {
    /// A port that cannot be opened, with what can be done about it.
    init(port error: SerialError) {
        switch error {
        case .busy(let path, let holders): self.init(path, heldBy: holders)
        case .permissionDenied(let path, _):
            let mend =
                SystemService.group(of: path).map { "sudo usermod -aG \($0) $USER, then log in anew; or run this with sudo" }
                ?? "run this with sudo"
            self.init("\(path) may not be opened by this user: \(mend)", .noInput)
        case .notFound(let path): self.init("there is no \(path): plug the receiver in, or see what there is: ls /dev/tty*", .noInput)
        case .notATerminal, .filtered, .speedUnsupported, .system: self.init("\(error)", .noInput)
        }
    }

    /// A port that others have open.
    init(_ path: String, heldBy holders: [PortHolder]) {
        let who = holders.isEmpty ? "another program" : holders.map(\.description).joined(separator: ", ")
        self.init("\(path) is in use by \(who); \(PortRelease.mend(holders))", .noInput)
    }
}

/// How a port is freed from who holds it.
enum PortRelease {
    /// The command, by the holder's name.
    static func command(_ holders: [PortHolder], isService: Bool = SystemService.state == .installed) -> String {
        guard let holder = holders.first else { return "sudo fuser -v /dev/ttyUSB* /dev/ttyACM* /dev/ttyS*" }
        switch holder.command {
        case "sextantd" where isService: return "sudo systemctl stop sextantd.socket sextantd.service"
        case "gpsd": return "sudo systemctl disable --now gpsd.socket gpsd.service"
        case "ModemManager": return "sudo systemctl stop ModemManager"
        default: return "kill \(holder.process)"
        }
    }

    /// The same as a clause.
    static func mend(_ holders: [PortHolder]) -> String {
        let isDaemon = holders.contains { $0.command == "sextantd" }
        return (isDaemon ? "stop it for the while: " : holders.isEmpty ? "find out who: " : "end it first: ") + command(holders)
    }
}
