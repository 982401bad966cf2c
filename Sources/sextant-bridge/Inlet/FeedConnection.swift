import Bridges
import CLinux
import Chronology
import SystemCalls
import Systemd
import Varlink
import Wire

/// The connection on which the daemon gets the sentences of a receiver
/// (`io.sextant.Receiver.Feed`). It connects again by itself. Sentences that arrive meanwhile are
/// dropped: they would be old.
final class FeedConnection {
    private enum State {
        case closed
        /// The call is sent.
        case waiting(PeerConnection, MessageFramer)
        /// Sentences may follow.
        case open(PeerConnection)
    }

    /// The time between attempts to connect.
    private static let firstDelay = Instant.Span.milliseconds(100)
    private static let maxDelay = Instant.Span.seconds(5)

    private let path: String
    private let call: [UInt8]
    private let loop: EventLoop
    private let log: BridgeLog
    private var state = State.closed
    private var backoff = ExponentialBackoff()
    private var lastProblem: String?
    /// When to connect again; nil while connected.
    private(set) var deadline: Instant?

    /// Connects to the daemon at once.
    init(_ feed: FeedParameters, to path: String, in loop: EventLoop, log: BridgeLog) {
        self.path = path
        self.loop = loop
        self.log = log
        var parameters: [String: JSONValue] = ["name": .string(feed.name)]
        parameters["product"] = feed.product.map { .string($0) }
        call = Call(method: ReceiverMethods.feed.name, parameters: parameters, mode: .upgrade).encoded()
        connect()
    }

    /// Passes whole sentences on.
    func send(_ sentences: [UInt8]) {
        guard case .open(let connection) = state, !sentences.isEmpty else { return }
        connection.send(sentences, at: loop.now)
    }

    /// Connects again if it is time.
    func tick(at now: Instant) {
        if let deadline, now >= deadline { connect() }
    }

    private func connect() {
        deadline = nil
        do throws(SystemError) {
            let socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
            let number = socket.number
            try systemCall("connecting to \(path)") { linux_unix_connect(number, path, path.utf8.count) }
            let connection = try PeerConnection(socket, in: loop, closesStalled: false, keepsHalfClosed: false) {
                [weak self] event in
                switch event {
                case .received(let bytes): self?.receive(bytes)
                case .ended: self?.fail("the service has ended the connection")
                }
            }
            state = .waiting(connection, MessageFramer())
            connection.send(call, at: loop.now)
        } catch {
            fail("\(error)")
        }
    }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        guard case .waiting(let connection, var framer) = state else { return }
        framer.append(Array(bytes))
        do {
            guard let message = try framer.next() else {
                state = .waiting(connection, framer)
                return
            }
            if let failure = try Reply(parsing: message).failure {
                return fail("the service does not accept the receiver: \(failure)")
            }
            state = .open(connection)
            backoff.reset()
            lastProblem = nil
        } catch {
            fail("\(error)")
        }
    }

    /// Logs each reason once, and tries again later.
    private func fail(_ problem: String) {
        state = .closed
        deadline = loop.now + backoff.next(from: FeedConnection.firstDelay, max: FeedConnection.maxDelay)
        if problem != lastProblem { log.write("\(problem); trying again", priority: .warning) }
        lastProblem = problem
    }
}
