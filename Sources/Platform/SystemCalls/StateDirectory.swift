import CLinux
import Glibc

/// The check of the directory in which a program keeps its state.
package enum StateDirectory {
    /// The state directory of the installed service.
    package static let standard = "/var/lib/sextant"

    /// Refuses a directory that another user could have filled, with links to files of this user or
    /// with a state of their choice.
    ///
    /// A directory that does not exist is accepted: the program creates it.
    package static func check(_ path: String) throws(UntrustedDirectory) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw UntrustedDirectory(path: path, reason: .owner(status.st_uid))
        }
        // With the sticky bit, as in a new tmpfs, nobody can replace the files of others.
        guard status.st_mode & S_IWOTH == 0 || status.st_mode & S_ISVTX != 0 else {
            throw UntrustedDirectory(path: path, reason: .writable)
        }
    }
}

/// A state directory that is not used, because other users could have filled it.
package struct UntrustedDirectory: Error, Equatable, CustomStringConvertible {
    /// Why other users could have filled it.
    package enum Reason: Equatable, Sendable {
        /// It belongs to this user.
        case owner(UInt32)
        /// Every user may write to it, and replace the files of others.
        case writable
    }

    package let path: String
    /// Why it is not used.
    package let reason: Reason

    /// Creates the error.
    package init(path: String, reason: Reason) { (self.path, self.reason) = (path, reason) }

    /// The problem and its remedy.
    package var description: String {
        switch reason {
        case .owner(let user):
            "the state directory \(path) belongs to user \(user), who may have put files into it; use a directory of "
                + "the user who runs this program, or of root"
        case .writable:
            "every user may replace files in the state directory \(path); use another one, or remove the permission "
                + "with chmod o-w"
        }
    }
}
