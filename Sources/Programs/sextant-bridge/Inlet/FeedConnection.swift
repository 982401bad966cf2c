import Chronology
import ServiceRuntime
import SextantAPI
import Varlink

/// The connection on which the daemon gets the sentences of a receiver
/// (`io.sextant.Receiver.Feed`). It connects again by itself. Sentences that arrive meanwhile are
/// dropped: they would be old.
final class FeedConnection {
    /// The time between attempts to connect.
    private static let firstDelay = Instant.Span.milliseconds(100)
    private static let maxDelay = Instant.Span.seconds(5)

    private let path: String
    private let parameters: FeedParameters
    private let loop: EventLoop
    private let log: ProgramLog
    private var client: LoopClient?
    /// Whether the daemon has accepted the receiver, so that sentences may follow.
    private var isAccepted = false
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
        // While the daemon does not read, none are added to those that wait: they would be old.
        guard isAccepted, let client, !client.wantsOutput, !sentences.isEmpty else { return }
        do throws(Outbox.Overflow) { try client.send(sentences) } catch {
            fail("\(sentences.count) bytes of sentences came at once, at most \(error.limit) are sent")
        }
    }

    /// Connects again if it is time.
    func tick(at now: Instant) {
        if let deadline, now >= deadline { connect() }
    }

    private func connect() {
        deadline = nil
        do {
            let client = try LoopClient(to: path, in: loop) { [weak self] event in self?.handle(event) }
            self.client = client
            try client.send(ReceiverMethods.feed.call(with: parameters, mode: .upgrade))
        } catch {
            fail("\(error)")
        }
    }

    private func handle(_ event: LoopClient.Event) {
        switch event {
        case .ended(let failure): fail("the service has ended the connection (\(failure))")
        case .reply(let match):
            if let failure = match.reply.failure {
                return fail("the service does not accept the receiver: \(failure)")
            }
            isAccepted = true
            backoff.reset()
            problem.reset()
        }
    }

    /// Logs each reason once, and tries again later.
    private func fail(_ reason: String) {
        client?.close()
        client = nil
        isAccepted = false
        deadline = loop.now + backoff.next(from: FeedConnection.firstDelay, max: FeedConnection.maxDelay)
        if problem.shouldLog(reason) { log.write("\(reason); trying again", priority: .warning) }
    }
}
