import CLinux
import Chronology
import Glibc
import SystemCalls

/// The only thread of the transport. It starts with the first call and then sleeps without a timer
/// whenever no call waits for something. See docs/decisions/0011-client-transport.md.
///
/// Sockets belong to the thread. Others only add to the list of its actions and wake it.
final class TransportThread: Sendable {
    /// Identifies an open call.
    struct CallID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    fileprivate enum Action: Sendable {
        case open(CallID, CallRequest, ReplyQueue)
        case resumeReading(CallID)
        case close(CallID)
    }

    private struct State {
        var actions: [Action] = []
        var callCount: UInt64 = 0
        /// The descriptor that wakes the thread; nil before its start.
        var waker: Int32?
    }

    static let shared = TransportThread()
    private let state = Locked(State())

    private init() {}

    /// Begins a call. A failure is reported to `queue`.
    func open(_ request: CallRequest, _ queue: ReplyQueue) -> CallID {
        let (id, failure) = state.withLock { state -> (CallID, SystemError?) in
            state.callCount += 1
            let id = CallID(number: state.callCount)
            do throws(SystemError) {
                if state.waker == nil { state.waker = try start() }
                state.actions.append(.open(id, request, queue))
                return (id, nil)
            } catch {
                return (id, error)
            }
        }
        if let failure { queue.finish(.noResources(reason: failure.description)) } else { wake() }
        return id
    }

    func resumeReading(_ id: CallID) { add(.resumeReading(id)) }

    func close(_ id: CallID) { add(.close(id)) }

    fileprivate func takeActions() -> [Action] {
        state.withLock { state in
            defer { state.actions = [] }
            return state.actions
        }
    }

    private func add(_ action: Action) {
        state.withLock { $0.actions.append(action) }
        wake()
    }

    private func wake() {
        guard let waker = state.withLock({ $0.waker }) else { return }
        var one: UInt64 = 1
        uninterrupted { write(waker, &one, MemoryLayout.size(ofValue: one)) }
    }

    /// Starts the thread and returns the descriptor that wakes it.
    private func start() throws(SystemError) -> Int32 {
        let epoll = FileDescriptor(
            owning: try systemCall("waiting for the location service") { linux_epoll_create() })
        let event = FileDescriptor(
            owning: try systemCall("waking the thread of the transport") { linux_event_descriptor() })
        let waker = event.number
        try systemCall("waiting for the location service") {
            linux_epoll_set(epoll.number, waker, EPOLL_CTL_ADD, EPOLLIN.rawValue, 0)
        }
        let start = Unmanaged.passRetained(ThreadStart(epoll: epoll.release(), waker: event.release(), owner: self))
        var thread = pthread_t()
        // Signals are for the threads of the program.
        var all = sigset_t()
        var previous = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        let code = pthread_create(&thread, nil, runTransport, start.toOpaque())
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard code == 0 else {
            let unused = start.takeRetainedValue()
            Glibc.close(unused.epoll)
            Glibc.close(unused.waker)
            throw SystemError(code: code, operation: "starting the thread of the transport")
        }
        pthread_detach(thread)
        return waker
    }
}

/// What the thread gets at its start.
private final class ThreadStart: Sendable {
    let epoll: Int32
    let waker: Int32
    let owner: TransportThread

    init(epoll: Int32, waker: Int32, owner: TransportThread) {
        self.epoll = epoll
        self.waker = waker
        self.owner = owner
    }
}

private func runTransport(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    linux_name_thread("sextant-client")
    let loop = TransportLoop(epoll: start.epoll, waker: start.waker)
    while true { loop.turn(start.owner) }
}

/// The state of the thread: all calls and what it waits for.
private final class TransportLoop {
    private let epoll: Int32
    private let waker: Int32
    private var calls: [TransportThread.CallID: CallConnection] = [:]
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    private var events = [epoll_event](repeating: epoll_event(), count: 64)

    init(epoll: Int32, waker: Int32) {
        self.epoll = epoll
        self.waker = waker
    }

    /// Waits until something is ready, and handles it.
    func turn(_ owner: TransportThread) {
        let count = epoll_wait(epoll, &events, Int32(events.count), millisecondsLeft)
        let now = HostClock.now
        for event in events.prefix(Int(max(0, count))) {
            let number = event.data.u64
            guard number != 0 else {
                clearWaker()
                continue
            }
            update(TransportThread.CallID(number: number)) { $0.ready(at: now, into: &buffer) }
        }
        for action in owner.takeActions() { perform(action, at: now) }
        for (id, call) in calls where call.deadline.map({ $0 <= now }) ?? false { update(id) { $0.tick(at: now) } }
    }

    private func perform(_ action: TransportThread.Action, at now: Instant) {
        switch action {
        case .open(let id, let request, let queue):
            calls[id] = CallConnection(request, queue, at: now)
            update(id) { _ in }
        case .resumeReading(let id): update(id) { $0.resumeReading(at: now) }
        case .close(let id):
            // Releasing the call closes its socket, which epoll then forgets.
            calls[id] = nil
        }
    }

    /// Changes a call, then watches what it waits for.
    private func update(_ id: TransportThread.CallID, _ change: (CallConnection) -> Void) {
        guard let call = calls[id] else { return }
        change(call)
        let (old, new) = (call.watched, call.interest)
        guard old != new else { return }
        call.watched = new
        let isSameSocket = old?.connection == new?.connection
        if let new {
            let events = (new.reads ? EPOLLIN.rawValue : 0) | (new.writes ? EPOLLOUT.rawValue : 0)
            let operation = isSameSocket ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
            if linux_epoll_set(epoll, new.descriptor, operation, events, id.number) != 0 {
                call.failToWait(String(cString: strerror(errno)), at: HostClock.now)
            }
        } else if let old, call.connectionCount == old.connection, call.isConnected {
            linux_epoll_set(epoll, old.descriptor, EPOLL_CTL_DEL, 0, 0)
        }
    }

    private func clearWaker() {
        var count: UInt64 = 0
        uninterrupted { read(waker, &count, MemoryLayout.size(ofValue: count)) }
    }

    /// The time until the next deadline, rounded up; -1 without one.
    private var millisecondsLeft: Int32 {
        var next: Instant?
        for call in calls.values { next = earliest(next, call.deadline) }
        guard let next else { return -1 }
        return Int32(clamping: max(0, ((next - HostClock.now).nanoseconds + 999_999) / 1_000_000))
    }
}
