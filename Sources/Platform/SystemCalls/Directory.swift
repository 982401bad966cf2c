import CLinux
import Glibc

/// Directories: creation and entries.
package enum Directory {
    /// Creates the directory and its missing parents unless it exists.
    ///
    /// - Parameters:
    ///   - path: The path; nothing is created for an empty one.
    ///   - mode: The permissions of each created directory.
    package static func make(_ path: String, mode: mode_t = 0o755) throws(SystemError) {
        guard !path.isEmpty, access(path, F_OK) != 0 else { return }
        try makeParent(of: path, mode: mode)
        do throws(SystemError) {
            try systemCall("creating the directory \(path)") { mkdir(path, mode) }
        } catch  where error.code == EEXIST {}
    }

    /// Returns the names of the entries in order, without `.` and `..`.
    ///
    /// - Throws: `SystemError` if the directory cannot be opened.
    package static func names(in path: String) throws(SystemError) -> [String] {
        guard let stream = opendir(path) else { throw SystemError(code: errno, operation: "reading \(path)") }
        return names(closing: stream)
    }

    /// Returns the names of the entries of an open directory, whose position does not change.
    package static func names(of directory: borrowing FileDescriptor) throws(SystemError) -> [String] {
        // The stream owns its descriptor.
        let number = directory.number
        let copy = try systemCall("opening a directory") { openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(copy) else {
            let code = errno
            close(copy)
            throw SystemError(code: code, operation: "reading a directory")
        }
        return names(closing: stream)
    }

    private static func names(closing stream: OpaquePointer) -> [String] {
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // The kernel ends names with a zero byte, after at most 255 others (readdir(3)).
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Creates the directory of a file and its missing parents unless it exists.
    package static func makeParent(of path: String, mode: mode_t = 0o755) throws(SystemError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        try make(String(path[..<slash]), mode: mode)
    }
}

/// A symbolic link that always points to the current pseudo-terminal.
package struct PortSymlink {
    /// The path of the link.
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
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(path, &buffer, buffer.count)
        guard length > 0 else { return }
        if buffer[..<length].map({ UInt8(bitPattern: $0) }).elementsEqual(target.utf8) { unlink(path) }
    }
}

/// The check of the directory in which a program keeps its state.
package enum StateDirectory {
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

    /// The path of the directory.
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
