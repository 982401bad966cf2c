import Glibc
import SystemCalls

/// The directory for persistent state.
enum StateDirectory {
    /// Creates the directory and its missing parents unless it exists. A service manager creates it
    /// in advance; a path from a flag may not exist.
    static func make(_ path: String) throws(SystemError) {
        guard access(path, F_OK) != 0, let slash = path.lastIndex(of: "/") else { return }
        if slash != path.startIndex { try make(String(path[..<slash])) }
        do throws(SystemError) {
            try systemCall("creating the directory \(path)") { mkdir(path, 0o755) }
        } catch  where error.code == EEXIST {}
    }
}
