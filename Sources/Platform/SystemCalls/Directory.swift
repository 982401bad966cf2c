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
    /// - Throws: `SystemError` if the directory cannot be read.
    package static func names(in path: String) throws(SystemError) -> [String] {
        guard let stream = opendir(path) else { throw SystemError(code: errno, operation: "reading \(path)") }
        return try names(closing: stream, of: path)
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
        return try names(closing: stream, of: "a directory")
    }

    private static func names(closing stream: OpaquePointer, of path: String) throws(SystemError) -> [String] {
        defer { closedir(stream) }
        var names: [String] = []
        // Only `errno` tells an error from the end (readdir(3)).
        errno = 0
        while let entry = readdir(stream) {
            // The kernel ends names with a zero byte, after at most 255 others (readdir(3)).
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw SystemError(code: errno, operation: "reading \(path)") }
        return names.sorted()
    }

    /// Creates the directory of a file and its missing parents unless it exists.
    package static func makeParent(of path: String, mode: mode_t = 0o755) throws(SystemError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        try make(String(path[..<slash]), mode: mode)
    }
}
