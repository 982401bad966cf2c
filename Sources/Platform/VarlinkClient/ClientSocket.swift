import Glibc
import SystemCalls

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

    private let socket: FileDescriptor

    private init(_ socket: consuming FileDescriptor) { self.socket = socket }

    /// Takes ownership of a connected descriptor.
    static func adopting(_ descriptor: CInt) -> ClientSocket {
        // If this fails, the first use of the descriptor fails too, with a more useful error.
        try? UnixSocket.setBlocking(descriptor, false)
        return ClientSocket(FileDescriptor(owning: descriptor))
    }

    /// Connects to the socket at `path`. Throws `ETIMEDOUT` when the listener's queue stays full
    /// for `timeout`.
    static func connecting(to path: String, timeout: Duration) throws(Failure) -> ClientSocket {
        do throws(SystemError) { return ClientSocket(try UnixSocket.connect(to: path, timeout: timeout)) } catch {
            throw Failure(errno: error.code == EAGAIN ? ETIMEDOUT : error.code)
        }
    }

    var descriptor: CInt { socket.number }

    /// The maximum length of a socket path in bytes.
    static var maxPathLength: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }

    /// Sends as many bytes as the socket accepts and returns their number, which is 0 when the
    /// socket buffer is full.
    func send(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Int {
        try orWouldBlock { UnixSocket.send(bytes, to: descriptor) } ?? 0
    }

    /// Reads available bytes into `buffer`. Returns their number, 0 at the end of the stream, or
    /// nil when none are available.
    func receive(into buffer: inout [UInt8]) throws(Failure) -> Int? {
        try orWouldBlock { uninterrupted { recv(descriptor, &buffer, buffer.count, 0) } }
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

func systemMessage(_ number: CInt) -> String {
    String(cString: strerror(number))
}
