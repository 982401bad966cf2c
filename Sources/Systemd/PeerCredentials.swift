import CLinux
import CSystemd
import Glibc
import SystemCalls

/// Who is at the other end of a Unix socket: the kernel's word, taken when the connection was made (SO_PEERCRED, unix(7)).
public struct PeerCredentials: Sendable, Hashable {
    /// The user the program runs as.
    public var user: UInt32
    /// The program's primary group.
    public var group: UInt32
    /// The process; it may have ended and its number been given to another since.
    public var process: Int32
    /// The systemd unit of the process, "navigator.service"; `nil` where it has none or there is no systemd.
    public var unit: String?
    /// The unit of that user's own service manager, for a process below `user@1000.service`; `nil` for any other.
    public var userUnit: String?

    /// Credentials known from elsewhere.
    public init(user: UInt32, group: UInt32, process: Int32, unit: String? = nil, userUnit: String? = nil) {
        self.user = user
        self.group = group
        self.process = process
        self.unit = unit
        self.userUnit = userUnit
    }

    /// The credentials of whoever is connected to `socket`.
    ///
    /// - Throws: `SystemError` when it is not a connected Unix socket. A unit that cannot be found out is no error.
    public init(of socket: Int32) throws(SystemError) {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
        try systemCall("asking who is connected") { linux_peer_credentials(socket, &process, &user, &group) }
        let unit = Self.unit(of: socket)
        let isUsers = unit?.hasPrefix("user@") ?? false
        self.init(user: user, group: group, process: process, unit: unit, userUnit: isUsers ? Self.userUnit(of: socket) : nil)
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
