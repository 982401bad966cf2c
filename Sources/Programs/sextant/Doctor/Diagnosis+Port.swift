import NMEA
import Receivers
import SerialPorts
import SextantAPI

/// Checks of the port, from the device to the programs that use it.
extension Diagnosis {
    func device(_ port: Observations.Port) -> Check {
        let device = port.device
        guard port.exists else {
            return .wrong(
                .device, finding: "there is no device at \(device.path)", remedy: "connect the receiver",
                command: "ls -l \(ShellText.quoted(device.path))")
        }
        guard port.isSerialPort else { return notASerialPort(port) }
        if case .unsupported(reason: let reason) = device.kind {
            return .wrong(
                .device, finding: "\(device.path): \(device.model ?? "this device") \(reason)",
                remedy: "use it in NMEA mode, or use another receiver")
        }
        if port.isOpenInDaemon, port.receiver?.state == .absent {
            if let reason = phase.reason { return .skipped(.device, reason: reason) }
            return .wrong(
                .device, finding: port.receiver?.detail ?? "sextantd cannot open \(device.path)",
                remedy: "find the reason in the log; disconnect the receiver and connect it again",
                command: "journalctl -u sextantd -n 50")
        }
        let identity = [device.model, device.usb.map { "USB \($0.numbers)" }].compactMap { $0 }.joined(separator: ", ")
        return .ok(.device, finding: device.path + (identity.isEmpty ? "" : ": \(identity)"))
    }

    private func notASerialPort(_ port: Observations.Port) -> Check {
        let path = ShellText.quoted(port.device.path)
        let remedy = "name the port of a receiver, such as /dev/ttyUSB0"
        return .wrong(
            .device, finding: "\(port.device.path) is not a serial port",
            remedy: port.isOpenInDaemon ? remedy + ", in the configuration" : remedy,
            command: port.isOpenInDaemon ? "grep -rn \(path) /etc/sextant" : "ls /dev/ttyUSB* /dev/ttyACM* /dev/ttyS*")
    }

    func permission(_ port: Observations.Port) -> Check {
        guard case .denied(let group) = port.access else {
            return .ok(.permission, finding: "\(port.device.path) can be opened")
        }
        if let reason = phase.reason { return .skipped(.permission, reason: reason) }
        if isLeftToDaemon(port) {
            return .skipped(.permission, reason: "\(observations.user) cannot open \(port.device.path); sextantd may")
        }
        return denied(port, group: group)
    }

    private func denied(_ port: Observations.Port, group: String?) -> Check {
        let path = port.device.path
        let user = port.isHandledByDaemon ? "the daemon" : observations.user
        let finding = "\(user) has no permission to open \(path)"
        if let detail = port.receiver?.detail ?? port.unconfirmed?.detail, port.isHandledByDaemon,
            detail.contains(part: "DeviceAllow=")
        {
            let driver = port.device.driver.map { "char-\($0)" } ?? "the name of its driver in /proc/devices"
            return .wrong(
                .permission, finding: "\(path): the service's device filter forbids it",
                remedy: "set DeviceAllow=\(driver) rw under [Service], then restart the service",
                command: "sudo systemctl edit sextantd.service")
        }
        guard let group else {
            return .wrong(
                .permission, finding: "\(finding), nor has any group", remedy: "restore the permissions that udev sets",
                command: "sudo udevadm trigger --action=add --name-match=\(ShellText.quoted(path))")
        }
        if port.isHandledByDaemon {
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

    func holder(_ port: Observations.Port) -> Check {
        if let check = port.consoleCheck { return check }
        if observations.isBeingDetected(port) {
            return .ok(.holder, finding: "sextantd is still checking whether it sends GNSS data")
        }
        if let check = port.unconfirmedCheck { return check }
        let isBusy = port.isHeldInvisibly || port.receiver?.state == .busy || port.unconfirmed?.state == .busy
        if !port.holders.isEmpty || isBusy {
            if let reason = phase.reason { return .skipped(.holder, reason: reason) }
            let names = port.holders.map(\.description).joined(separator: ", ")
            let holders = names.isEmpty ? "another program" : names
            let remedy =
                names.isEmpty
                ? "find the program that has it open (root sees all processes)"
                : "only one program can read a port: stop the other one"
            return .wrong(
                .holder, finding: "\(port.device.path) is in use by \(holders)", remedy: remedy,
                command: PortRelease.command(toStop: port.holders, of: port.device.path))
        }
        if isLeftToDaemon(port) { return unused(port) ?? .ok(.holder, finding: "no program uses it") }
        return .ok(.holder, finding: port.isOpenInDaemon ? "sextantd uses it" : "no program uses it")
    }

    /// Whether the running daemon decides about a port that it does not list. The permissions of
    /// the user who runs the doctor are then irrelevant.
    private func isLeftToDaemon(_ port: Observations.Port) -> Bool {
        observations.isDaemonRunning && !port.isHandledByDaemon && port.device.kind.opensAutomatically
    }

    /// A port that the daemon should use and does not; nil if its data explains that.
    private func unused(_ port: Observations.Port) -> Check? {
        let path = port.device.path
        if port.access != .allowed {
            return .wrong(
                .holder, finding: "sextantd does not use \(path), and \(observations.user) cannot read it",
                remedy: "run this command as root to find the reason",
                command: "sudo sextant doctor --device \(ShellText.quoted(path))")
        }
        guard let receiver = port.receiver, receiver.counts.sentences > 0 else { return nil }
        return .wrong(
            .holder, finding: "\(path) sends GNSS data, but sextantd does not use it",
            remedy: "find the reason in the log: a missing permission, or a setting",
            command: "journalctl -u sextantd -n 50")
    }
}

extension Observations {
    /// The check of the device when there is no port to check.
    var missingDevice: Check {
        if station != nil {
            return .skipped(.device, reason: "there is none, and the fixed place needs none")
        }
        if discovers == false {
            return .wrong(
                .device, finding: "no receiver is configured, and the discovery of receivers is off",
                remedy: "set discover = true under [receivers], or name the receiver's port under [[receiver]]; "
                    + "without a file, start sextantd without --device",
                command: "grep -rn discover /etc/sextant")
        }
        if let converterOfBraille {
            return .wrong(
                .device,
                finding: "brltty, a program for Braille displays, has taken the USB converter \(converterOfBraille)",
                remedy: "stop it if you have no Braille display, then connect the receiver again",
                command: PortRelease.brailleCommand)
        }
        guard let first = unlisted.first else {
            let finding = "no receiver is connected, and there is no serial port"
            return .wrong(
                .device, finding: finding, remedy: "connect a receiver and check whether the system detects it",
                command: "lsusb"
            )
        }
        let finding = "no receiver is connected; ports that may have one: \(unlisted.joined(separator: " "))"
        return .wrong(
            .device, finding: finding, remedy: "if one of them has a receiver, name it",
            command: "sextant doctor --device \(ShellText.quoted(first))")
    }
}

// Checks of what a port alone shows.
extension Observations.Port {
    /// The check of a port that the kernel writes to; nil for another one.
    fileprivate var consoleCheck: Check? {
        guard isKernelConsole else { return nil }
        return .wrong(
            .holder, finding: "the kernel writes its messages to \(device.path), its console",
            remedy: "remove console= of this port from the kernel's command line, then restart the computer",
            command: PortRelease.consoleCommand)
    }

    /// The check of a port that sends something else than NMEA; nil for another one.
    fileprivate var unconfirmedCheck: Check? {
        guard let unconfirmed, unconfirmed.cause == .notUnderstood || unconfirmed.cause == .binaryProtocol else {
            return nil
        }
        return Check(.holder, explainedBy: unconfirmed.detail, command: "sextant receivers")
            ?? .wrong(
                .holder, finding: unconfirmed.detail,
                remedy: "connect a GNSS receiver to the port, and connect the port again",
                command: "sextant receivers")
    }

    /// The check of a receiver whose data the daemon explains; nil for another one.
    var explainedCheck: Check? {
        guard let receiver, let detail = receiver.detail,
            cause == .binaryProtocol || receiver.state == .detectingBaudRate
        else { return nil }
        return Check(.baud, explainedBy: detail, command: "sextant receivers")
    }
}
