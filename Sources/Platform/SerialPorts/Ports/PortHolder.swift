import CLinux
import Glibc
import SystemCalls

/// A process that has a device open.
package struct PortHolder: Sendable, Hashable, CustomStringConvertible {
    /// The process ID.
    package var process: Int32
    /// The process name from the kernel, at most 15 bytes: "gpsd".
    package var command: String

    /// Creates a holder from known values.
    package init(process: Int32, command: String) {
        self.process = process
        self.command = command
    }

    /// The name and process ID, such as "gpsd (pid 812)".
    package var description: String { "\(command) (pid \(process))" }

    /// Returns every other process that has the device open, under any path.
    ///
    /// Best effort: without privileges, only the files of processes of the same user can be seen
    /// (proc(5)), and the controlling terminal of all. It reads all of /proc, so call it rarely. It
    /// also finds processes that opened the port without claiming it, which open(2) never reports.
    package static func holders(of path: String) -> [PortHolder] {
        var status = stat()
        guard stat(path, &status) == 0, linux_is_character_device(status.st_mode) else { return [] }
        let device = status.st_rdev
        return processes().filter { $0 != getpid() && (hasOpen(device, process: $0) || isTerminal(device, of: $0)) }
            .map { PortHolder(process: $0, command: command(of: $0)) }
    }

    /// Programs that configure receivers and may have opened a port without refusing it to others.
    ///
    /// ModemManager and brltty are not among them, although they write to ports. ModemManager sets
    /// TIOCEXCL, so the port cannot be opened while it uses it, and it runs on most desktops.
    /// brltty takes a converter from its driver, so there is no port.
    private static let configurators: Set = [
        "gpsd", "gpsctl", "ubxtool", "str2str", "rtkrcv", "meshtasticd", "u-center.exe",
    ]

    /// What ``holders(of:)`` does not see.
    package enum Unseen: Sendable, Hashable {
        /// No program that configures receivers.
        case none
        /// A program that configures receivers, whose files this process may not see.
        case program(PortHolder)
        /// The programs of other users, because /proc is mounted with `hidepid`.
        case processes
    }

    /// Returns what ``holders(of:)`` does not see.
    ///
    /// - Parameter root: Where proc(5) is mounted.
    package static func unseen(in root: String = "/proc") -> Unseen {
        guard SystemFile.firstLine(of: "\(root)/1/comm") != nil else { return .processes }
        for process in entries(of: root).compactMap({ Int32($0) }).sorted() where process != getpid() {
            let command = SystemFile.firstLine(of: "\(root)/\(process)/comm") ?? ""
            guard configurators.contains(command), (try? Directory.names(in: "\(root)/\(process)/fd")) == nil
            else { continue }
            return .program(PortHolder(process: process, command: command))
        }
        return .none
    }

    /// The command that ends the service to which the program belongs; nil if it is no known one.
    package var stopCommand: String? {
        switch command {
        case "gpsd": "sudo systemctl disable --now gpsd.socket gpsd.service"
        case "ModemManager": "sudo systemctl stop ModemManager"
        default: nil
        }
    }

    /// Returns the processes that have the regular file at an absolute path open, as far as this
    /// user may see their files.
    package static func holders(ofFile path: String) -> [PortHolder] {
        processes().filter { process in
            let folder = "/proc/\(process)/fd"
            return process != getpid()
                && entries(of: folder).contains { SystemFile.target(of: "\(folder)/\($0)") == path }
        }
        .map { PortHolder(process: $0, command: command(of: $0)) }
    }

    /// Returns whether a process with this name runs.
    static func isRunning(_ name: String) -> Bool { processes().contains { command(of: $0) == name } }

    private static func processes() -> [Int32] {
        entries(of: "/proc").compactMap { Int32($0) }.sorted()
    }

    /// Reads the link first: only a link into /dev needs stat(2), which follows it to the open
    /// file.
    private static func hasOpen(_ device: dev_t, process: Int32) -> Bool {
        entries(of: "/proc/\(process)/fd").contains { name in
            let link = "/proc/\(process)/fd/\(name)"
            guard SystemFile.target(of: link)?.hasPrefix("/dev/") == true else { return false }
            var status = stat()
            return stat(link, &status) == 0 && linux_is_character_device(status.st_mode) && status.st_rdev == device
        }
    }

    /// Returns whether the device is the controlling terminal of a process, as it is of a login:
    /// field 7 of /proc/PID/stat, which every user may read. The name in field 2 may contain
    /// anything but ends with the last parenthesis.
    private static func isTerminal(_ device: dev_t, of process: Int32) -> Bool {
        guard let line = SystemFile.firstLine(of: "/proc/\(process)/stat"), let end = line.lastIndex(of: ")")
        else { return false }
        let fields = line[end...].split(separator: " ")
        guard fields.count > 5, let number = Int32(fields[5]), number != 0 else { return false }
        // The kernel encodes the number in 32 bits as dev_t does in its lower half.
        return UInt32(bitPattern: number) == UInt32(truncatingIfNeeded: device)
    }

    private static func command(of process: Int32) -> String {
        SystemFile.firstLine(of: "/proc/\(process)/comm") ?? "?"
    }

    private static func entries(of directory: String) -> [String] { (try? Directory.names(in: directory)) ?? [] }
}

/// A program that keeps serial devices away from their users without holding a port that
/// ``PortHolder`` could find.
package enum PortTaker {
    /// The converters whose numbers `brltty` takes for Braille displays (brltty's
    /// `85-brltty.rules`).
    private static let brailleNumbers: Set = ["1a86:7523", "10c4:ea60", "10c4:ea80", "0403:6001"]

    /// The USB numbers of a converter that `brltty` has taken from its driver, such as "1a86:7523";
    /// nil if it has taken none.
    ///
    /// The interface of the converter then belongs to usbfs, and there is no tty.
    package static var converterOfBraille: String? {
        let root = "/sys/bus/usb/devices"
        guard PortHolder.isRunning("brltty"), let names = try? Directory.names(in: root) else { return nil }
        for name in names where name.contains(":") {
            guard SystemFile.target(of: "\(root)/\(name)/driver")?.hasSuffix("/usbfs") == true else { continue }
            let device = "\(root)/\(name.prefix { $0 != ":" })"
            guard let vendor = SystemFile.firstLine(of: "\(device)/idVendor"),
                let product = SystemFile.firstLine(of: "\(device)/idProduct"),
                brailleNumbers.contains("\(vendor):\(product)")
            else { continue }
            return "\(vendor):\(product)"
        }
        return nil
    }

    /// Whether the kernel writes its messages to a port (console= of its command line).
    package static func isKernelConsole(_ path: String) -> Bool {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let resolved = realpath(path, &buffer).map { String(cString: $0) } ?? path
        let name = resolved.split(separator: "/").last.map(String.init)
        let consoles = SystemFile.firstLine(of: "/sys/class/tty/console/active") ?? ""
        return name.map { consoles.split(separator: " ").map(String.init).contains($0) } ?? false
    }
}
