#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A connected stream socket of the Unix family: the one door to the system calls of this module.
///
/// Non-blocking; waiting is ``wait(toWrite:until:)``. The descriptor is closed with the value.
struct ClientSocket: ~Copyable {
    /// A system call failed.
    struct Failure: Error {
        let errno: CInt

        /// The other end is closed.
        var isPeerGone: Bool { errno == EPIPE || errno == ECONNRESET }
    }

    let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// Takes over a connected descriptor.
    static func adopting(_ descriptor: CInt) -> ClientSocket {
        let socket = ClientSocket(descriptor)
        // A descriptor that cannot be changed fails at its first use, which tells more.
        try? socket.makeNonBlocking()
        return socket
    }

    /// Connects to the socket at `path`; `ETIMEDOUT` when its queue stays full for as long as `timeout`.
    static func connecting(to path: String, timeout: Duration) throws(Failure) -> ClientSocket {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let new = ClientSocket(try check(socket(AF_UNIX, type, 0)))
        // A Unix socket connects at once or waits for room in the listener's queue; this bounds the wait.
        var limit = timeval(timeout)
        try check(setsockopt(new.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size)))
        try new.connect(to: path)
        try new.makeNonBlocking()
        return new
    }

    deinit {
        close(descriptor)
    }

    /// Longest path that fits an address, in bytes.
    static var longestPath: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }

    /// Sends what there is room for; 0 when there is none.
    func send(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Int {
        try orWouldBlock { Self.retry { systemSend(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) } } ?? 0
    }

    /// Receives what is there into `buffer`: its count, 0 at the end of the stream, nil when there is nothing now.
    func receive(into buffer: inout [UInt8]) throws(Failure) -> Int? {
        try orWouldBlock { Self.retry { recv(descriptor, &buffer, buffer.count, 0) } }
    }

    /// Waits until the socket can be read, or written when `toWrite`. False when the deadline comes first.
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
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(Self.longestPath)) }
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
    /// At least a microsecond, because zero means for ever here.
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init()
        tv_sec = Int(max(0, min(seconds, 1_000_000)))
        tv_usec = Int(max(tv_sec == 0 ? 1 : 0, attoseconds / 1_000_000_000_000))
    }
}

/// A moment on the clock that no one sets.
struct MonotonicTime {
    private let nanoseconds: Int64

    /// The moment that comes `duration` from now.
    init(after duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let farthest: Int64 = 1_000_000_000
        nanoseconds = Self.now + min(max(seconds, 0), farthest) * 1_000_000_000 + max(attoseconds, 0) / 1_000_000_000
    }

    var isPast: Bool { Self.now >= nanoseconds }

    /// For `poll`: rounded up so that the deadline has passed when it returns.
    fileprivate var millisecondsLeft: CInt {
        CInt(clamping: max(0, (nanoseconds - Self.now + 999_999) / 1_000_000))
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The system's words for an error number.
func systemMessage(_ number: CInt) -> String {
    String(cString: strerror(number))
}
