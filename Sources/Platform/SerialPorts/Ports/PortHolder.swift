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
    /// Best effort: without privileges, only processes of the same user can be inspected (proc(5)).
    /// It reads all of /proc, so call it only after an error. It also finds processes that opened
    /// the port without claiming it, which open(2) never reports.
    package static func holders(of path: String) -> [PortHolder] {
        var status = stat()
        guard stat(path, &status) == 0, linux_is_character_device(status.st_mode) else { return [] }
        return processes().filter { $0 != getpid() && hasOpen(status.st_rdev, process: $0) }
            .map { PortHolder(process: $0, command: command(of: $0)) }
    }

    /// Returns the processes that have the regular file at an absolute path open, as far as this
    /// user may see their files.
    package static func holders(ofFile path: String) -> [PortHolder] {
        processes().filter { process in
            process != getpid()
                && entries(of: "/proc/\(process)/fd").contains { target(of: "/proc/\(process)/fd/\($0)") == path }
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
            guard target(of: link)?.hasPrefix("/dev/") == true else { return false }
            var status = stat()
            return stat(link, &status) == 0 && linux_is_character_device(status.st_mode) && status.st_rdev == device
        }
    }

    private static func command(of process: Int32) -> String {
        SystemFile.firstLine(of: "/proc/\(process)/comm") ?? "?"
    }

    private static func target(of link: String) -> String? { SystemFile.target(of: link) }

    private static func entries(of directory: String) -> [String] { (try? Directory.names(in: directory)) ?? [] }
}
