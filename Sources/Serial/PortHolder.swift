import CLinux
import Glibc

/// A process that has a device open.
public struct PortHolder: Sendable, Hashable, CustomStringConvertible {
    /// Its number.
    public var process: Int32
    /// Its name as the kernel keeps it, at most 15 bytes: "gpsd".
    public var command: String

    /// A holder known from elsewhere.
    public init(process: Int32, command: String) {
        self.process = process
        self.command = command
    }

    /// "gpsd (pid 812)".
    public var description: String { "\(command) (pid \(process))" }

    /// Every other process that has the device open, whatever name it opened it by.
    ///
    /// Best effort: without privileges only processes of the same user can be looked into (proc(5)). It reads all of /proc, so it is for the
    /// moment something is wrong. Also finds those that opened the port without claiming it, which no open(2) will ever report.
    public static func holding(_ path: String) -> [PortHolder] {
        var status = stat()
        guard stat(path, &status) == 0, linux_is_character_device(status.st_mode) else { return [] }
        return processes().filter { $0 != getpid() && has($0, open: status.st_rdev) }
            .map { PortHolder(process: $0, command: command(of: $0)) }
    }

    private static func processes() -> [Int32] {
        entries(of: "/proc").compactMap { Int32($0) }.sorted()
    }

    /// The link is read first: only what it says is under /dev is worth a stat(2), which goes straight to the open file.
    private static func has(_ process: Int32, open device: dev_t) -> Bool {
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

    private static func entries(of directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names
    }
}
