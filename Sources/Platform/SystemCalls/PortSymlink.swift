import CLinux
import Glibc

/// A symbolic link that always points to the current pseudo-terminal.
package struct PortSymlink {
    package let path: String

    /// Names a link, which need not exist.
    package init(path: String) { self.path = path }

    /// Points the link to `target` atomically, so that no reader finds it missing or incomplete.
    ///
    /// - Throws: ``SystemError``; `EEXIST` if the path exists and is not a symbolic link.
    package func point(to target: String) throws(SystemError) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK {
            throw SystemError(code: EEXIST, operation: "creating the symbolic link \(path) in place of another file")
        }
        let temporaryPath = "\(path).\(getpid())"
        unlink(temporaryPath)
        try systemCall("creating the symbolic link \(path)") { symlink(target, temporaryPath) }
        do {
            try systemCall("creating the symbolic link \(path)") { rename(temporaryPath, path) }
        } catch {
            unlink(temporaryPath)
            throw error
        }
    }

    /// Removes the link if it still points to `target`; it leaves other links alone.
    package func remove(ifPointingTo target: String) {
        if SystemFile.target(of: path) == target { unlink(path) }
    }
}
