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

    /// Reads the credentials of the process connected to `socket`.
    ///
    /// - Throws: `SystemError` if `socket` is not a connected Unix socket. An unknown unit is not
    ///   an error.
    package init(of socket: Int32) throws(SystemError) {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
        try systemCall("reading the peer's credentials") { linux_peer_credentials(socket, &process, &user, &group) }
        let unit = Self.unit(of: socket)
        let isInUserManager = unit?.hasPrefix("user@") ?? false
        self.init(
            user: user, group: group, process: process, unit: unit,
            userUnit: isInUserManager ? Self.userUnit(of: socket) : nil)
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
