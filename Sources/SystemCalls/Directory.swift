import Glibc

/// Creation of directories.
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

    /// Creates the directory of a file and its missing parents unless it exists.
    package static func makeParent(of path: String, mode: mode_t = 0o755) throws(SystemError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        try make(String(path[..<slash]), mode: mode)
    }
}
