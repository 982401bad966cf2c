import CLinux
import Glibc
import SystemCalls

/// A stream socket that accepts connections: a Unix socket created at a path, or a socket of any
/// family that was opened elsewhere.
///
/// The listener removes a socket that it created from the file system on deinitialization, unless
/// another file has replaced it.
package final class StreamListener {
    /// The maximum length of a path in bytes (unix(7): sun_path without its final zero).
    package static let maxPathLength = 107

    /// The listening descriptor, for the event loop.
    package var descriptor: Int32 { socket.number }
    /// The path of a socket that this listener created; `nil` for an adopted one.
    package let path: String?

    private let socket: FileDescriptor
    private let identity: FileIdentity?
    private var reservedDescriptor: FileDescriptor?

    /// Returns the socket that the service manager has passed under a name, or else creates one.
    ///
    /// - Throws: ``ListenSockets/Failure``, ``ListenerError``.
    package static func claimed(as name: String, orAt path: String) throws -> StreamListener {
        if let passed = try ListenSockets.claim(named: name) { return StreamListener(adopting: passed) }
        return try StreamListener(path: path)
    }

    /// Adopts a listening socket, of the service manager for example. The path of a Unix socket is
    /// not removed.
    package init(adopting socket: consuming FileDescriptor) {
        self.socket = socket
        path = nil
        identity = nil
        reservedDescriptor = Self.openReservedDescriptor()
    }

    /// Creates a socket at `path` and listens on it. Creates missing parent directories (mode
    /// 0755).
    ///
    /// Removes the stale socket of a process that died: a socket that refuses connections has no
    /// listener.
    ///
    /// - Parameter mode: The permissions of the socket; clients need write permission to connect.
    /// - Throws: ``ListenerError``.
    package init(path: String, mode: UInt32 = 0o666) throws(ListenerError) {
        guard (1...Self.maxPathLength).contains(path.utf8.count) else { throw .invalidPathLength(path: path) }
        do throws(SystemError) {
            try Directory.makeParent(of: path)
            guard try Self.removeStaleSocket(at: path) else {
                throw SystemError(code: EADDRINUSE, operation: "listening on \(path)")
            }
            socket = try Self.listeningSocket(at: path, mode: mode)
        } catch {
            switch error.code {
            case EADDRINUSE: throw .inUse(path: path)
            case ENOTSOCK, EPROTOTYPE: throw .notASocket(path: path)
            default: throw .system(error)
            }
        }
        self.path = path
        identity = FileIdentity(path: path, followsLink: false)
        reservedDescriptor = Self.openReservedDescriptor()
    }

    /// Accepts the next pending connection, non-blocking and close-on-exec; returns `nil` if there
    /// is none.
    ///
    /// - Throws: `SystemError` with EMFILE or ENFILE if there are no free descriptors. The listener
    ///   then closes the connection, so that the loop does not spin. Other codes as in accept(2),
    ///   except ECONNABORTED: aborted connections are skipped.
    package func accept() throws(SystemError) -> FileDescriptor? {
        while true {
            do throws(SystemError) {
                return FileDescriptor(owning: try systemCall("accepting a connection") { linux_accept(descriptor) })
            } catch {
                switch error.code {
                case EAGAIN: return nil
                case ECONNABORTED: continue
                case EMFILE, ENFILE:
                    refuseNextConnection()
                    throw error
                default: throw error
                }
            }
        }
    }

    /// Frees the reserved descriptor to accept the next connection, and closes that connection.
    private func refuseNextConnection() {
        reservedDescriptor = nil
        let refused = uninterrupted { linux_accept(descriptor) }
        if refused >= 0 { _ = close(refused) }
        reservedDescriptor = Self.openReservedDescriptor()
    }

    private static func openReservedDescriptor() -> FileDescriptor? {
        let number = uninterrupted { open("/dev/null", O_RDONLY | O_CLOEXEC) }
        return number >= 0 ? FileDescriptor(owning: number) : nil
    }

    deinit {
        guard let path, let identity else { return }
        if FileIdentity(path: path, followsLink: false) == identity { _ = unlink(path) }
    }
}

extension StreamListener {
    /// Removes a stale socket at `path`.
    ///
    /// - Returns: False if a process accepts connections there.
    private static func removeStaleSocket(at path: String) throws(SystemError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return true }
        guard linux_is_socket(status.st_mode) else {
            throw SystemError(code: ENOTSOCK, operation: "listening on \(path)")
        }
        do throws(SystemError) {
            // EAGAIN means a full backlog: a process is listening. Throw it like all other errors
            // except a refusal.
            _ = try UnixSocket.connect(to: path)
            return false
        } catch {
            guard error.code == ECONNREFUSED else {
                throw error.code == EAGAIN ? SystemError(code: EADDRINUSE, operation: error.operation) : error
            }
        }
        try systemCall("removing the stale socket \(path)") { unlink(path) }
        return true
    }

    /// Creates the socket, binds it and listens on it. Clients cannot connect before listen(2), so
    /// the permissions apply from the first connection.
    private static func listeningSocket(at path: String, mode: UInt32) throws(SystemError) -> FileDescriptor {
        let socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
        let number = socket.number
        try systemCall("binding \(path)") { linux_unix_bind(number, path, path.utf8.count) }
        try systemCall("setting the permissions of \(path)") { chmod(path, mode) }
        try systemCall("listening on \(path)") { listen(number, SOMAXCONN) }
        return socket
    }
}

/// Why a ``StreamListener`` cannot listen.
package enum ListenerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process accepts connections at this path.
    case inUse(path: String)
    /// The path names a file that is not a stream socket. The listener does not remove it.
    case notASocket(path: String)
    /// The path is empty or longer than 107 bytes, the limit of a Unix socket address.
    case invalidPathLength(path: String)
    /// A system call failed.
    case system(SystemError)

    /// The reason and how to fix it.
    package var description: String { description(option: nil) }

    /// The reason and how to fix it.
    ///
    /// - Parameter option: The option of the program with which its user chooses the path.
    package func description(option: String?) -> String {
        let choice = "choose another path" + (option.map { " with \($0)" } ?? "")
        return switch self {
        case .inUse(let path): "another program already listens on \(path); stop it or \(choice)"
        case .notASocket(let path): "\(path) exists and is not a Unix stream socket; remove it or \(choice)"
        case .invalidPathLength(let path):
            "the socket path has \(path.utf8.count) bytes but must have 1 to 107: \(path); \(choice)"
        case .system(let error) where error.code == EACCES: "\(error); run this program as root or \(choice)"
        case .system(let error): "\(error)"
        }
    }
}
