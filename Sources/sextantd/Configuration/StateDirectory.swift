import Glibc
import SystemCalls

/// The directory for what is remembered from one run to the next.
enum StateDirectory {
    /// Makes the directory, and those missing above it, unless it is there. A service manager has made it already; a person who only named it
    /// by flag has not.
    static func make(_ path: String) throws(SystemError) {
        guard access(path, F_OK) != 0, let slash = path.lastIndex(of: "/") else { return }
        if slash != path.startIndex { try make(String(path[..<slash])) }
        do throws(SystemError) {
            try systemCall("making the directory \(path)") { mkdir(path, 0o755) }
        } catch  where error.code == EEXIST {}
    }
}
