import CLinux
import Glibc

/// A connected, non-blocking Unix stream socket. It contains all system calls of this module.
///
/// ``wait(toWrite:until:)`` waits for readiness. Destroying the value closes the descriptor.
struct ClientSocket: ~Copyable {
    /// A system call failed.
    struct Failure: Error {
        let errno: CInt

        /// Whether the peer has closed its end.
        var isPeerGone: Bool { errno == EPIPE || errno == ECONNRESET }
    }

    let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// Takes ownership of a connected descriptor.
    static func adopting(_ descriptor: CInt) -> ClientSocket {
        let socket = ClientSocket(descriptor)
        // If this fails, the first use of the descriptor fails too, with a more useful error.
        try? socket.makeNonBlocking()
        return socket
    }

    /// Connects to the socket at `path`. Throws `ETIMEDOUT` when the listener's queue stays full
    /// for `timeout`.
    static func connecting(to path: String, timeout: Duration) throws(Failure) -> ClientSocket {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let new = ClientSocket(try check(socket(AF_UNIX, type, 0)))
        // Connecting to a Unix socket either succeeds immediately or waits for space in the
        // listener's queue. This timeout limits the wait.
        var limit = timeval(timeout)
        try check(setsockopt(new.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size)))
        try new.connect(to: path)
        try new.makeNonBlocking()
        return new
    }

    deinit {
        close(descriptor)
    }

    /// The maximum length of a socket path in bytes.
    static var maxPathLength: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }

    /// Sends as many bytes as the socket accepts and returns their number, which is 0 when the
    /// socket buffer is full.
    func send(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Int {
        try orWouldBlock { Self.retry { systemSend(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) } }
            ?? 0
    }

    /// Reads available bytes into `buffer`. Returns their number, 0 at the end of the stream, or
    /// nil when none are available.
    func receive(into buffer: inout [UInt8]) throws(Failure) -> Int? {
        try orWouldBlock { Self.retry { recv(descriptor, &buffer, buffer.count, 0) } }
    }

    /// Waits until the socket is readable, or writable when `toWrite` is set. Returns false at the
    /// deadline.
    func wait(toWrite: Bool, until deadline: MonotonicTime) throws(Failure) -> Bool {
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN) | (toWrite ? Int16(POLLOUT) : 0), revents: 0)
            let ready = poll(&entry, 1, deadline.millisecondsLeft)
            if ready > 0 { return true }
            if ready == 0, deadline.isPast { return false }
            if ready < 0, errno != EINTR { throw Failure(errno: errno) }
        }
    }

    private func orWouldBlock(_ call: () -> Int) throws(Failure) -> Int? {
        let result = call()
        if result >= 0 { return result }
        if errno == EAGAIN || errno == EWOULDBLOCK { return nil }
        throw Failure(errno: errno)
    }

    private func connect(to path: String) throws(Failure) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(Self.maxPathLength)) }
        let result = Self.retry {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Int(systemConnect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)))
                }
            }
        }
        guard result >= 0 else { throw Failure(errno: errno == EAGAIN ? ETIMEDOUT : errno) }
    }

    private func makeNonBlocking() throws(Failure) {
        let flags = try Self.check(fcntl(descriptor, F_GETFL))
        try Self.check(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK))
    }

    @discardableResult
    private static func check(_ result: CInt) throws(Failure) -> CInt {
        guard result >= 0 else { throw Failure(errno: errno) }
        return result
    }

    private static func retry(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

private func systemSend(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: CInt) -> Int {
    send(descriptor, bytes, count, flags)
}

private func systemConnect(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
    connect(descriptor, address, length)
}

extension timeval {
    /// Creates a value of at least 1 µs, because 0 means no timeout here.
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init()
        tv_sec = Int(max(0, min(seconds, 1_000_000)))
        tv_usec = Int(max(tv_sec == 0 ? 1 : 0, attoseconds / 1_000_000_000_000))
    }
}

/// A point in time of the monotonic clock.
struct MonotonicTime {
    private let nanoseconds: Int64

    /// Creates the time `duration` from now.
    init(after duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let farthest: Int64 = 1_000_000_000
        nanoseconds = Self.now + min(max(seconds, 0), farthest) * 1_000_000_000 + max(attoseconds, 0) / 1_000_000_000
    }

    var isPast: Bool { Self.now >= nanoseconds }

    /// The remaining time for `poll`, rounded up so that the deadline has passed when `poll` times
    /// out.
    fileprivate var millisecondsLeft: CInt {
        CInt(clamping: max(0, (nanoseconds - Self.now + 999_999) / 1_000_000))
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// Returns the system's message for an error number.
func systemMessage(_ number: CInt) -> String {
    String(cString: strerror(number))
}
