import Bridges
import Chronology
import ServiceRuntime
import SystemCalls
import Varlink
import Wire

/// The connection on which the daemon gets the sentences of a receiver
/// (`io.sextant.Receiver.Feed`). It connects again by itself. Sentences that arrive meanwhile are
/// dropped: they would be old.
final class FeedConnection {
    private typealias Connection = DaemonConnection<FeedParameters, NoParameters>

    private enum State {
        case closed
        /// The call is sent.
        case waiting(Connection)
        /// Sentences may follow.
        case open(Connection)
    }

    /// The time between attempts to connect.
    private static let firstDelay = Instant.Span.milliseconds(100)
    private static let maxDelay = Instant.Span.seconds(5)

    private let path: String
    private let parameters: FeedParameters
    private let loop: EventLoop
    private let log: ProgramLog
    private var state = State.closed
    private var backoff = ExponentialBackoff()
    private var problem = RepeatedProblem()
    /// When to connect again; nil while connected.
    private(set) var deadline: Instant?

    /// Connects to the daemon at once.
    init(_ parameters: FeedParameters, to path: String, in loop: EventLoop, log: ProgramLog) {
        self.path = path
        self.parameters = parameters
        self.loop = loop
        self.log = log
        connect()
    }

    /// Passes whole sentences on.
    func send(_ sentences: [UInt8]) {
        guard case .open(let connection) = state, !sentences.isEmpty else { return }
        connection.send(sentences)
    }

    /// Connects again if it is time.
    func tick(at now: Instant) {
        if let deadline, now >= deadline { connect() }
    }

    private func connect() {
        deadline = nil
        do {
            let connection = try Connection(ReceiverMethods.feed, at: path, in: loop) { [weak self] event in
                self?.handle(event)
            }
            state = .waiting(connection)
            try connection.call(parameters, mode: .upgrade)
        } catch {
            fail("\(error)")
        }
    }

    private func handle(_ event: Connection.Event) {
        switch event {
        case .reply:
            guard case .waiting(let connection) = state else { return }
            state = .open(connection)
            backoff.reset()
            problem.reset()
        case .refused(let failure): fail("the service does not accept the receiver: \(failure)")
        case .ended(let reason): fail(reason)
        }
    }

    /// Logs each reason once, and tries again later.
    private func fail(_ reason: String) {
        state = .closed
        deadline = loop.now + backoff.next(from: FeedConnection.firstDelay, max: FeedConnection.maxDelay)
        if problem.shouldLog(reason) { log.write("\(reason); trying again", priority: .warning) }
    }
}
