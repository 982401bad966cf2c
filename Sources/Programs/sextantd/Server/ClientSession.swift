import CLinux
import Glibc
import Locator
import Logging
import Permission
import Receivers
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// A client's connection: the socket of a ``ServerConnection``.
final class ClientSession {
    /// What the session is doing, with the data of the call that is open.
    enum Activity {
        /// No call is open, or it has been answered.
        case idle
        /// A stream of locations. The updates of a batched stream are sent in order, and the latest
        /// does not replace earlier ones.
        case stream(ActiveRequest, isBatched: Bool)
        /// A subscription to visits.
        case visits
        /// A subscription to the heading.
        case heading(ActiveRequest, HeadingRequest)
        /// A pending request for one location.
        case locationRequest(ActiveRequest, LocationParameters)
        /// A subscription to the receivers, all or the one that the request names.
        case receivers(ActiveRequest)
        /// A stream of sentences.
        case sentences
        /// A monitor that is open only on this connection.
        case monitor(MonitorKey)
        /// A declared session, a lease, or a subscription to the caller's permission.
        case permission(PermissionActivity)
        /// An agent.
        case agent
    }

    /// What a client of `io.sextant.Session` has open.
    enum PermissionActivity { case session, lease, authorization }

    /// The maximum number of unsent bytes the kernel holds for a client. Updates beyond it replace
    /// each other in a slot for the latest one. A slow reader's next update is thus at most as old
    /// as the few dozen that fit here.
    private static let sendBuffer: Int32 = 64 << 10

    let number: Int
    /// The client, or the one for which it acts; see ``act(for:groups:)``.
    private(set) var peer: PeerCredentials
    var connection = ServerConnection()
    private(set) var activity = Activity.idle
    /// The client's program.
    private(set) lazy var program = Program(peer)
    /// The owner of the client's monitors.
    private(set) lazy var owner = ProgramID(of: peer)
    /// The groups of the client's process.
    private(set) lazy var groups = PeerCredentials.groups(of: socket.number)
    /// The number of calls that were served.
    var callCount = 0
    private var receivedByteCount = 0
    /// The bytes held for this session that ``BufferedBytes`` includes.
    var countedBytes = 0
    /// Whether the connection uses another protocol since a call with `upgrade`.
    var isUpgraded = false
    /// A call that is served later, and the number of its bytes.
    private(set) var postponed: (call: Call, byteCount: Int)?
    /// Whether the client has replies to calls whose changes are not on disk yet.
    var awaitsDisk = false
    private let socket: FileDescriptor
    /// Whether the client may act for another program.
    let mayAct: Bool
    /// Whether the client acts for another program, which then owns the session.
    private(set) var actsForOther = false
    /// Whether descriptors are received. If not, the kernel closes those that the client passes.
    private var receivesDescriptors: Bool
    private var passed = PassedDescriptors()
    private var source: IOSource?
    /// Whether output is pending until the client has read more.
    private(set) var hasPendingOutput = false
    private var armed: IOEvents = .readable

    /// - Parameter mayAct: Whether the client may act for another program.
    init(number: Int, socket: consuming FileDescriptor, peer: PeerCredentials, mayAct: Bool) {
        self.number = number
        self.peer = peer
        self.socket = socket
        self.mayAct = mayAct
        receivesDescriptors = mayAct
        var size = ClientSession.sendBuffer
        setsockopt(self.socket.number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether the session has used memory for queues that is worth releasing when it ends: by many
    /// calls, long ones, or replies that were not read.
    var hasUsedMuchMemory: Bool { callCount >= 16 || receivedByteCount >= 8192 || bufferedByteCount > 0 }

    /// The number of bytes that the daemon holds for this session.
    var bufferedByteCount: Int { connection.bufferedByteCount + (postponed?.byteCount ?? 0) }

    /// Keeps a call that is served later.
    func postpone(_ call: Call, byteCount: Int) { postponed = (call, byteCount) }

    /// Returns the call that waits to be served.
    func takePostponed() -> (call: Call, byteCount: Int)? {
        defer { postponed = nil }
        return postponed
    }

    /// Begins an activity.
    func begin(_ activity: Activity) { self.activity = activity }

    /// Ends the activity: its call is answered.
    func end() { activity = .idle }

    /// Starts to watch the socket.
    func watch(on loop: EventLoop, _ handler: @escaping (ClientSession, IOEvents) -> Void) throws {
        source = try loop.watch(socket.number, for: .readable) { [unowned self] events in handler(self, events) }
    }

    /// Processes events of the socket: reads once, or records that the client has closed the
    /// connection. A client that only finished writing is still served.
    func process(_ events: IOEvents) {
        if events.contains(.readable) { receive() }
        if events.contains(.hangup) || events.contains(.failure) { hangUp() }
    }

    private func receive() {
        let outcome = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer -> Int in
            let count =
                receivesDescriptors
                ? passed.receive(from: socket.number, into: buffer)
                : uninterrupted { recv(socket.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) }
            if count > 0 {
                receivedByteCount += count
                connection.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return count
        }
        if outcome < 0, errno != EAGAIN { hangUp() }
        if outcome == 0 || outcome < 0 && connection.isHungUp { connection.receiveEnd() }
    }

    /// The socket is not watched any more: the hang-up would be reported in each turn.
    private func hangUp() {
        connection.receiveHangup()
        close()
    }

    /// Whether the client has closed the connection and its open call waits for something else than
    /// its turn. No one would read the reply.
    var isAbandoned: Bool { connection.isHungUp && connection.isServing && postponed == nil }

    /// Reads the bytes of another protocol once, so that a sender of many delays nobody. Returns
    /// `false` if the connection has ended, or `process` returns `false`.
    func receiveUpgraded(_ process: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
            let count = uninterrupted { recv(socket.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) }
            guard count > 0 else { return count < 0 && errno == EAGAIN && !connection.isHungUp }
            return process(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Sends pending output as far as the client reads.
    func send() {
        guard connection.wantsOutput else {
            // What was pending may have been discarded.
            hasPendingOutput = false
            return
        }
        var failed = false
        let isDone = connection.write { bytes -> Int in
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = uninterrupted { Glibc.send(socket.number, bytes.baseAddress, bytes.count, flags) }
            failed = count < 0 && errno != EAGAIN
            return max(count, 0)
        }
        hasPendingOutput = !isDone && !failed
        if failed { hangUp() }
    }

    /// Updates the watched events: input if it is accepted, and output space if output is pending.
    func updateWatchedEvents() throws {
        var events: IOEvents = []
        if connection.wantsInput || isUpgraded { events.insert(.readable) }
        if hasPendingOutput { events.insert(.writable) }
        guard events != armed else { return }
        armed = events
        try source?.setEvents(events)
    }

    /// Sends an error to a client that is not served, without waiting.
    static func reject(_ socket: borrowing FileDescriptor, with frame: [UInt8]) {
        let number = socket.number
        _ = frame.withUnsafeBytes { bytes in
            uninterrupted {
                Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
        }
    }

    /// Ends the watching of the socket.
    func close() {
        source?.remove()
        source = nil
    }
}

// MARK: Acting for another program
extension ClientSession {
    /// Returns the descriptor that came with the first call, if it was exactly one.
    func takePassedDescriptor() -> FileDescriptor? { passed.takeOnly() }

    /// Closes a descriptor that was not taken. None is received with later calls.
    func stopReceivingDescriptors() {
        guard receivesDescriptors else { return }
        receivesDescriptors = false
        _ = passed.takeOnly()
    }

    /// Makes this a session of another program, with the groups of its process.
    func act(for peer: PeerCredentials, groups: Set<UInt32>) {
        self.peer = peer
        self.groups = groups
        (program, owner) = (Program(peer), ProgramID(of: peer))
        actsForOther = true
    }

    /// Throws if a client that acts for another program may not call this.
    func checkActing(_ call: Call) throws(VarlinkError) {
        guard actsForOther, call.method != LocationMethods.getLocation.name else { return }
        throw SessionError.notAllowed(
            detail: "since \(SessionMethods.actFor.name), only \(LocationMethods.getLocation.name) may be called"
        ).reply
    }
}

// MARK: Replies
extension ClientSession {
    /// Answers the open call, which is a call of `method`. Every message can be encoded, because
    /// its numbers are finite.
    func reply<Parameters, Reply>(
        to method: Method<Parameters, Reply>, _ message: Reply, continues: Bool = false
    ) {
        do throws(EncodingFailure) {
            try connection.reply(to: method, message, continues: continues)
        } catch {
            Logger(label: "sextantd").error("cannot encode a reply to \(method.name): \(error)")
            connection.fail(ManagerError.internal.reply)
        }
    }

    /// Publishes an encoded message as the newest reply of the open call. It replaces one whose
    /// sending has not begun.
    func publish(_ text: EncodedObject) { connection.publish(text, counters: .none) }

    /// Publishes a message as the newest reply of a call of `method`. It replaces one whose sending
    /// has not begun.
    func publish<Parameters, Reply>(_ message: Reply, to method: Method<Parameters, Reply>) {
        do throws(EncodingFailure) {
            connection.publish(try method.encoded(message), counters: .none)
        } catch {
            Logger(label: "sextantd").error("cannot encode a reply to \(method.name): \(error)")
        }
    }
}

extension ClientSession.Activity {
    /// The active request of the session; `nil` if it has none.
    var request: ActiveRequest? {
        switch self {
        case .stream(let request, isBatched: _), .locationRequest(let request, _), .receivers(let request),
            .heading(let request, _):
            request
        case .idle, .visits, .sentences, .monitor, .permission, .agent: nil
        }
    }

    /// Whether the session has a stream of locations.
    var isStream: Bool { if case .stream = self { true } else { false } }

    /// Whether the session has a stream of locations or requests one.
    var requestsLocation: Bool {
        switch self {
        case .stream, .locationRequest: true
        case .idle, .visits, .heading, .receivers, .sentences, .monitor, .permission, .agent: false
        }
    }

    /// Whether the session has a stream of locations whose updates are batched.
    var isBatched: Bool { if case .stream(_, isBatched: true) = self { true } else { false } }

    /// Whether the session is an agent.
    var isAgent: Bool { if case .agent = self { true } else { false } }

    /// Whether the session has a monitor open.
    var isMonitor: Bool { if case .monitor = self { true } else { false } }

    /// Whether the session has a subscription to visits.
    var watchesVisits: Bool { if case .visits = self { true } else { false } }

    /// Whether the session has a subscription to the heading.
    var watchesHeading: Bool { if case .heading = self { true } else { false } }

    /// Whether the session has a stream of sentences.
    var watchesSentences: Bool { if case .sentences = self { true } else { false } }

    /// Whether the session has a subscription to the receivers.
    var watchesReceivers: Bool { if case .receivers = self { true } else { false } }
}
