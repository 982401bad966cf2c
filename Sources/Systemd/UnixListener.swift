import CLinux
import Glibc
import SystemCalls

/// A Unix stream socket that waits for connections: made at a path, or taken over from the service manager.
///
/// A socket it made is removed from the file system when the listener goes, unless somebody has put another in its place.
public final class UnixListener {
    /// Bytes of a path at most (unix(7): sun_path without its final zero).
    public static let longestPath = 107

    /// The listening descriptor, for the event loop.
    public var descriptor: Int32 { socket.number }
    /// The path it was made at; `nil` for one that was taken over.
    public let path: String?

    private let socket: FileDescriptor
    private let identity: FileIdentity?
    private var spare: FileDescriptor?

    /// Listens on a socket the service manager made, which also removes it.
    public init(adopting socket: consuming FileDescriptor) {
        self.socket = socket
        path = nil
        identity = nil
        spare = Self.openSpare()
    }

    /// Makes a socket at `path` and listens on it. Missing directories above it are made (mode 0755).
    ///
    /// A socket that was left behind by a process that died is removed: one that refuses a connection has nobody behind it.
    /// - Parameter mode: permissions of the socket; who may connect needs write permission.
    /// - Throws: ``ListenerError``.
    public init(path: String, mode: UInt32 = 0o666) throws(ListenerError) {
        guard (1...Self.longestPath).contains(path.utf8.count) else { throw .unusablePath(path: path) }
        do throws(SystemError) {
            try Self.makeDirectories(above: path)
            guard try Self.clearStaleSocket(at: path) else { throw SystemError(code: EADDRINUSE, doing: "listening on \(path)") }
            socket = try Self.listeningSocket(at: path, mode: mode)
        } catch {
            switch error.code {
            case EADDRINUSE: throw .inUse(path: path)
            case ENOTSOCK, EPROTOTYPE: throw .notASocket(path: path)
            default: throw .system(error)
            }
        }
        self.path = path
        identity = FileIdentity(path: path)
        spare = Self.openSpare()
    }

    /// The next waiting connection, non-blocking and closed on exec; `nil` when none waits.
    ///
    /// - Throws: `SystemError` with EMFILE or ENFILE when no descriptors are left: the connection was closed unserved, so that the loop
    ///   does not spin on it. Other codes as in accept(2); a connection that was given up meanwhile (ECONNABORTED) is passed over.
    public func accept() throws(SystemError) -> FileDescriptor? {
        while true {
            do throws(SystemError) {
                return FileDescriptor(owning: try systemCall("accepting a connection") { linux_accept(descriptor) })
            } catch {
                switch error.code {
                case EAGAIN: return nil
                case ECONNABORTED: continue
                case EMFILE, ENFILE:
                    refuseOne()
                    throw error
                default: throw error
                }
            }
        }
    }

    /// Gives up the descriptor kept for this, so that the connection can be taken and closed.
    private func refuseOne() {
        spare = nil
        let refused = linux_accept(descriptor)
        if refused >= 0 { _ = close(refused) }
        spare = Self.openSpare()
    }

    private static func openSpare() -> FileDescriptor? {
        let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
        return number >= 0 ? FileDescriptor(owning: number) : nil
    }

    deinit {
        if let path, let identity, FileIdentity(path: path) == identity { _ = unlink(path) }
    }
}

extension UnixListener {
    private static func makeDirectories(above path: String) throws(SystemError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let directory = String(path[..<slash])
        guard FileIdentity(path: directory) == nil else { return }
        try makeDirectories(above: directory)
        do throws(SystemError) {
            try systemCall("making the directory \(directory)") { mkdir(directory, 0o755) }
        } catch  where error.code == EEXIST {}
    }

    /// - Returns: false when somebody answers there.
    private static func clearStaleSocket(at path: String) throws(SystemError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return true }
        guard linux_is_socket(status.st_mode) else { throw SystemError(code: ENOTSOCK, doing: "listening on \(path)") }
        let probe = FileDescriptor(owning: try systemCall("making a socket") { linux_unix_stream_socket() })
        do throws(SystemError) {
            // EAGAIN, a full backlog, is an answer too, and is thrown as any other that is not a refusal.
            try systemCall("trying \(path)") { linux_unix_connect(probe.number, path, path.utf8.count) }
            return false
        } catch {
            guard error.code == ECONNREFUSED else { throw error.code == EAGAIN ? SystemError(code: EADDRINUSE, doing: error.doing) : error }
        }
        try systemCall("removing the abandoned socket \(path)") { unlink(path) }
        return true
    }

    /// Nobody can connect before listen(2), so the permissions are right from the first connection on.
    private static func listeningSocket(at path: String, mode: UInt32) throws(SystemError) -> FileDescriptor {
        let socket = FileDescriptor(owning: try systemCall("making a socket") { linux_unix_stream_socket() })
        let number = socket.number
        try systemCall("binding \(path)") { linux_unix_bind(number, path, path.utf8.count) }
        try systemCall("setting the permissions of \(path)") { chmod(path, mode) }
        try systemCall("listening on \(path)") { listen(number, SOMAXCONN) }
        return socket
    }
}

/// Which file a path leads to: names can be given anew, this pair cannot while the file exists.
private struct FileIdentity: Equatable {
    let device: UInt
    let inode: UInt

    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
    }
}
