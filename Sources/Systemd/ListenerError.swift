import Glibc
import SystemCalls

/// Why a ``UnixListener`` could not begin to listen.
public enum ListenerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Somebody accepts connections at this path.
    case inUse(path: String)
    /// There is something at this path that is not a stream socket, and it is not ours to remove.
    case notASocket(path: String)
    /// The path is empty or longer than the 107 bytes a Unix socket's address holds.
    case unusablePath(path: String)
    /// A system call failed.
    case system(SystemError)

    /// The failure in words.
    public var description: String {
        switch self {
        case .inUse(let path): "another sextantd listens on \(path); end that one, or name another place with --socket"
        case .notASocket(let path): "\(path) exists and is not a socket to listen on; remove it, or name another place with --socket"
        case .unusablePath(let path):
            "a socket path has 1 to 107 bytes, this one has \(path.utf8.count): \(path); name a shorter one with --socket"
        case .system(let error) where error.code == EACCES: "\(error); run sextantd as root, or name another place with --socket"
        case .system(let error): "\(error)"
        }
    }
}
