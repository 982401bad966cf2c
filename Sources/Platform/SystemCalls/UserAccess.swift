import CLinux
import Glibc

/// Access of one more user to a directory, by a POSIX access control list (acl(5)).
package enum UserAccess {
    /// Lets a user list a directory; its owner keeps its access, and others get none.
    ///
    /// - Parameter path: The path of the directory, for errors.
    package static func grantReading(
        of directory: borrowing FileDescriptor, named path: String, to user: UInt32
    ) throws(SystemError) {
        guard user != 0, user != getuid() else { return }
        // The layout of linux/posix_acl_xattr.h: the version, then tag, permissions and user.
        let none = UInt32.max
        var list = bytes(of: 2)
        for (tag, permissions, id) in [(1, 7, none), (2, 5, user), (4, 0, none), (16, 5, none), (32, 0, none)] {
            list += bytes(of: UInt32(tag) | UInt32(permissions) << 16) + bytes(of: id)
        }
        let number = directory.number
        try systemCall("giving user \(user) access to \(path)") {
            fsetxattr(number, "system.posix_acl_access", list, list.count, 0)
        }
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

/// The users of `/etc/passwd`, where packages add theirs.
package enum LocalUser {
    /// Returns the ID of a user; nil if the file has none of this name.
    ///
    /// For a user that does not exist, `getpwnam` would load the libraries of all other sources of
    /// users: some 36 kB of private memory.
    package static func id(named name: String) -> UInt32? {
        guard let file = fopen("/etc/passwd", "re") else { return nil }
        defer { fclose(file) }
        while let entry = fgetpwent(file) {
            if let found = entry.pointee.pw_name, String(cString: found) == name { return entry.pointee.pw_uid }
        }
        return nil
    }
}

/// The name of this machine; nil if it has none (gethostname(2)).
package func hostName() -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
        guard let start = text.baseAddress, gethostname(start, text.count - 1) == 0, start[0] != 0 else { return nil }
        text[text.count - 1] = 0
        return String(cString: start)
    }
}
