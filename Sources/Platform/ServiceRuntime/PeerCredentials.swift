import CLinux
import CSystemd
import Glibc
import SystemCalls

/// The credentials of the process at the other end of a Unix socket. The kernel records them at
/// connection time (SO_PEERCRED, unix(7)).
package struct PeerCredentials: Sendable, Hashable {
    /// The user ID of the process.
    package var user: UInt32
    /// The primary group ID of the process.
    package var group: UInt32
    /// The process ID; the process may have ended since, and another may have its ID.
    package var process: Int32
    /// The systemd unit of the process, for example "navigator.service"; `nil` without a unit or
    /// without systemd.
    package var unit: String?
    /// The unit in the user's service manager, for a process below `user@1000.service`; `nil` for
    /// any other process.
    package var userUnit: String?

    /// Creates credentials from known values.
    package init(user: UInt32, group: UInt32, process: Int32, unit: String? = nil, userUnit: String? = nil) {
        self.user = user
        self.group = group
        self.process = process
        self.unit = unit
        self.userUnit = userUnit
    }

    /// Reads only the user of the process connected to `socket`, which costs one system call.
    ///
    /// - Throws: `SystemError` if `socket` is not a connected Unix socket.
    package static func user(of socket: Int32) throws(SystemError) -> UInt32 {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
        try systemCall("reading the peer's credentials") { linux_peer_credentials(socket, &process, &user, &group) }
        return user
    }

    /// Reads the credentials of the process connected to `socket`. Returns `nil` if the process has
    /// ended: the unit is looked up by its ID, which another process may have since.
    ///
    /// - Throws: `SystemError` if `socket` is not a connected Unix socket. An unknown unit is not
    ///   an error.
    package init?(of socket: Int32) throws(SystemError) {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
        try systemCall("reading the peer's credentials") { linux_peer_credentials(socket, &process, &user, &group) }
        let unit = Self.unit(of: socket)
        let isInUserManager = unit?.hasPrefix("user@") ?? false
        let userUnit = isInUserManager ? Self.userUnit(of: socket) : nil
        // After the look-up: a process that lives now had its ID during the look-up.
        guard try Self.isAlive(process, user: user, of: socket) else { return nil }
        self.init(user: user, group: group, process: process, unit: unit, userUnit: userUnit)
    }

    /// Returns whether the process that opened `socket` lives. Before Linux 6.5 the kernel does not
    /// report that; then the process with its ID must belong to `user`.
    ///
    /// - Throws: `SystemError` if that cannot be found out, such as without free descriptors.
    private static func isAlive(_ process: Int32, user: UInt32, of socket: Int32) throws(SystemError) -> Bool {
        // The process is in a PID namespace that is not visible from here: it has no unit either.
        guard process > 0 else { return true }
        let descriptor = linux_peer_process(socket)
        if descriptor >= 0 {
            let file = FileDescriptor(owning: descriptor)
            // The descriptor of a process becomes readable when it ends (pidfd_open(2)).
            var request = pollfd(fd: file.number, events: Int16(POLLIN), revents: 0)
            return poll(&request, 1, 0) == 0
        }
        switch errno {
        case ESRCH: return false
        case ENOPROTOOPT: return try users(of: process).contains(user)
        case let code: throw SystemError(code: code, operation: "identifying the peer")
        }
    }

    /// The maximum number of bytes of `/proc/PID/status` before its user IDs: a few short lines.
    private static let maxStatusLength = 1024

    /// Returns the real, effective, saved and file system user IDs of a process (proc(5)); none if
    /// there is no such process.
    private static func users(of process: Int32) throws(SystemError) -> [UInt32] {
        let number = open("/proc/\(process)/status", O_RDONLY | O_CLOEXEC)
        guard number >= 0 else {
            guard errno == ENOENT || errno == ESRCH else {
                throw SystemError(code: errno, operation: "identifying the peer")
            }
            return []
        }
        let file = FileDescriptor(owning: number)
        return withUnsafeTemporaryAllocation(byteCount: maxStatusLength, alignment: 1) { bytes in
            let count = uninterrupted { read(file.number, bytes.baseAddress, bytes.count) }
            let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
            let users = lines.first { $0.hasPrefix("Uid:") }?.split(separator: "\t").dropFirst()
            return users?.compactMap { UInt32($0) } ?? []
        }
    }

    /// The maximum number of groups that are read. A process with more is a member of none of them.
    private static let maxGroups: Int32 = 1024

    /// Reads the primary and supplementary groups of the process connected to `socket`, as they
    /// were at connection time. The result is empty if the kernel cannot report them.
    package static func groups(of socket: Int32) -> Set<UInt32> {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
        guard linux_peer_credentials(socket, &process, &user, &group) == 0 else { return [] }
        var groups = [UInt32](repeating: 0, count: Int(maxGroups))
        let count = linux_peer_groups(socket, &groups, maxGroups)
        return Set(groups.prefix(max(0, Int(count)))).union([group])
    }

    private static func unit(of socket: Int32) -> String? {
        var name: UnsafeMutablePointer<CChar>?
        guard sd_peer_get_unit(socket, &name) >= 0, let name else { return nil }
        defer { free(name) }
        return String(cString: name)
    }

    private static func userUnit(of socket: Int32) -> String? {
        var name: UnsafeMutablePointer<CChar>?
        guard sd_peer_get_user_unit(socket, &name) >= 0, let name else { return nil }
        defer { free(name) }
        return String(cString: name)
    }
}
