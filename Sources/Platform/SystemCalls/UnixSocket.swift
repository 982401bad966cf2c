import CLinux
import Glibc

/// Unix sockets of services on this machine. Every program connects to one here.
package enum UnixSocket {
    /// What a socket carries.
    package enum Kind { case stream, datagrams }

    /// Returns a connected socket that does not block.
    ///
    /// - Parameter timeout: How long to wait while the queue of the service is full; nil: not at
    ///   all.
    /// - Throws: `SystemError`: with EAGAIN if the queue is full, and ENAMETOOLONG for a path that
    ///   no socket can have.
    package static func connect(
        to path: String, _ kind: Kind = .stream, timeout: Duration? = nil
    ) throws(SystemError) -> FileDescriptor {
        let socket = FileDescriptor(
            owning: try systemCall("creating a socket") {
                kind == .stream ? linux_unix_stream_socket() : linux_unix_datagram_socket()
            })
        let number = socket.number
        if let timeout { try limitWaiting(number, to: timeout) }
        try systemCall("connecting to \(path)") { linux_unix_connect(number, path, path.utf8.count) }
        if timeout != nil { try setBlocking(number, false) }
        return socket
    }

    private static func limitWaiting(_ number: Int32, to timeout: Duration) throws(SystemError) {
        let (seconds, attoseconds) = timeout.components
        var limit = timeval()
        limit.tv_sec = Int(max(0, min(seconds, 1_000_000)))
        // 0 means no timeout here.
        limit.tv_usec = Int(max(limit.tv_sec == 0 ? 1 : 0, attoseconds / 1_000_000_000_000))
        try systemCall("setting a timeout") {
            setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        try setBlocking(number, true)
    }

    /// Sets whether calls on a descriptor wait.
    package static func setBlocking(_ number: Int32, _ isBlocking: Bool) throws(SystemError) {
        let flags = try systemCall("reading the flags of a socket") { fcntl(number, F_GETFL) }
        try systemCall("setting the flags of a socket") {
            fcntl(number, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
        }
    }

    /// Sends as many bytes as a socket accepts.
    ///
    /// - Returns: As send(2): their number, or -1 with `errno`.
    package static func send(_ bytes: UnsafeRawBufferPointer, to number: Int32) -> Int {
        uninterrupted { Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) }
    }
}

/// The paths of the services' sockets.
package enum ServiceSocket {
    /// The daemon's, which its unit creates.
    package static let daemon = "/run/sextant/io.sextant"
    /// That of `sextant-places`, which its unit creates.
    package static let places = "/run/sextant/io.sextant.Places"

    /// The socket of `sextant-places` beside a socket of the daemon; nil is the default one.
    package static func places(beside daemon: String?) -> String {
        let folder = (daemon ?? ServiceSocket.daemon).split(separator: "/", omittingEmptySubsequences: false)
        return (folder.dropLast() + ["io.sextant.Places"]).joined(separator: "/")
    }

    /// The path that SEXTANT_SOCKET names; nil if it is not set or empty.
    package static var named: String? {
        getenv("SEXTANT_SOCKET").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
