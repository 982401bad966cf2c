import Bridges
import CLinux
import Chronology
import Glibc
import ServiceRuntime
import SystemCalls

/// A connected stream socket, of a client, of the daemon or of a host, with a queue of output.
final class PeerConnection {
    /// What the owner must know.
    enum Event {
        /// The peer has sent these bytes.
        case received(ArraySlice<UInt8>)
        /// The peer has read what waited for it.
        case drained
        /// The connection is over: the peer has ended it, or it has failed with this error. The
        /// owner releases this object.
        case ended(SystemError?)
    }

    private let socket: FileDescriptor
    private let loop: EventLoop
    private let closesStalled: Bool
    private let keepsHalfClosed: Bool
    private let handler: (Event) -> Void
    private var source: IOSource?
    private var queue = OutputQueue()
    private var awaitsSpace = false
    private var hasEnded = false
    /// Whether the peer sends no more, and may still read.
    private var inputHasEnded = false

    /// Watches a connection, which may still be opening.
    ///
    /// - Parameters:
    ///   - closesStalled: Whether to end the connection of a client that has read nothing for long.
    ///   - keepsHalfClosed: Whether a client that ends only its output, such as `nc` without input,
    ///     still gets data. One that has ended both is noticed when data is sent.
    ///   - handler: Captures its owner unowned or weakly.
    init(
        _ socket: consuming FileDescriptor, in loop: EventLoop, closesStalled: Bool, keepsHalfClosed: Bool,
        handler: @escaping (Event) -> Void
    ) throws(SystemError) {
        self.socket = socket
        self.loop = loop
        self.closesStalled = closesStalled
        self.keepsHalfClosed = keepsHalfClosed
        self.handler = handler
        linux_tcp_set_interactive(self.socket.number)
        source = try loop.watch(self.socket.number, for: .readable) { [weak self] in self?.handle($0) }
    }

    deinit { source?.remove() }

    /// The descriptor, which this object closes.
    var descriptor: Int32 { socket.number }

    /// Whether bytes wait for a peer that does not read.
    var isBlocked: Bool { awaitsSpace }

    /// Whether to leave what the peer sends in the kernel's buffer.
    var isPaused = false {
        didSet { if isPaused != oldValue { updateEvents() } }
    }

    /// Sends a piece, or queues it.
    func send(_ piece: [UInt8], at now: Instant) {
        guard !hasEnded else { return }
        queue.append(piece, at: now)
        if closesStalled, queue.isStalled(at: now) { return end() }
        if !awaitsSpace { flush(at: now) }
    }

    private func handle(_ events: IOEvents) {
        if events.contains(.writable) { flush(at: loop.now) }
        if !events.isDisjoint(with: [.readable, .hangup, .failure]) { read() }
    }

    private func read() {
        guard !hasEnded else { return }
        guard !inputHasEnded else { return end() }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
            let count = uninterrupted { recv(socket.number, buffer.baseAddress, buffer.count, 0) }
            if count > 0 {
                handler(.received(Array(buffer[..<count])[...]))
            } else if count == 0, keepsHalfClosed {
                inputHasEnded = true
                updateEvents()
            } else if count == 0 {
                end()
            } else if errno != EAGAIN {
                end(SystemError(code: errno, operation: "receiving"))
            }
        }
    }

    private func flush(at now: Instant) {
        do throws(SystemError) {
            try queue.write(at: now) { bytes throws(SystemError) in
                let count = uninterrupted {
                    Glibc.send(socket.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                }
                guard count < 0 else { return count }
                guard errno == EAGAIN else { throw SystemError(code: errno, operation: "sending") }
                return 0
            }
            if awaitsSpace == queue.isEmpty {
                awaitsSpace = !queue.isEmpty
                updateEvents()
                if !awaitsSpace { handler(.drained) }
            }
        } catch {
            end(error)
        }
    }

    /// While a client reads no answers, its requests wait: each would cost time, and its answer
    /// would be dropped.
    private func updateEvents() {
        var events: IOEvents = inputHasEnded || isPaused || awaitsSpace && closesStalled ? [] : .readable
        if awaitsSpace { events.insert(.writable) }
        do throws(SystemError) { try source?.setEvents(events) } catch { end(error) }
    }

    private func end(_ error: SystemError? = nil) {
        guard !hasEnded else { return }
        hasEnded = true
        source?.remove()
        source = nil
        handler(.ended(error))
    }
}
