import SerialPorts

/// How to free a port from the programs that have it open.
enum PortRelease {
    /// Returns the command, which depends on the name of the program. Without a visible program, it
    /// lists all programs that have the port open.
    static func command(
        toStop holders: [PortHolder], of path: String, isService: Bool = SystemService.state == .installed,
        isRaspberryPi: Bool = TextFile.exists("/usr/bin/raspi-config")
    ) -> String {
        guard let holder = holders.first(where: { $0.command == "sextantd" }) ?? holders.first else {
            return "sudo fuser -v \(ShellText.quoted(path))"
        }
        if let command = holder.stopCommand { return command }
        switch holder.command {
        case "sextantd" where isService: return "sudo systemctl stop sextantd.socket sextantd.service"
        case "brltty": return brailleCommand
        case "agetty", "getty", "login":
            let terminal = path.split(separator: "/").last.map(String.init) ?? path
            return isRaspberryPi
                ? "sudo raspi-config nonint do_serial_cons 1"
                : "sudo systemctl mask --now \(ShellText.quoted("serial-getty@\(terminal).service"))"
        default: return "kill \(holder.process)"
        }
    }

    /// The command that stops `brltty`, whose units differ between Debian and Ubuntu.
    static let brailleCommand = "sudo systemctl mask --now brltty.path brltty.service brltty-udev.service"

    /// The command that removes the console of the kernel from a port: of Raspberry Pi OS, or of
    /// Debian and Ubuntu.
    static var consoleCommand: String {
        TextFile.exists("/usr/bin/raspi-config")
            ? "sudo raspi-config nonint do_serial_cons 1"
            : "sudo ${EDITOR:-vi} /etc/default/grub && sudo update-grub"
    }

    /// Returns the same advice as text.
    static func remedy(toStop holders: [PortHolder], of path: String) -> String {
        let isDaemon = holders.contains { $0.command == "sextantd" }
        return (isDaemon ? "stop it temporarily: " : holders.isEmpty ? "find the program: " : "stop it first: ")
            + command(toStop: holders, of: path)
    }
}
