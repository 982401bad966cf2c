import Bridges
import Chronology
import ServiceRuntime
import SextantAPI
import SystemCalls
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

/// The role `inlet`: passes sentences of a source outside to the daemon, as a receiver.
final class InletBridge {
    private let loop: EventLoop
    private let log: ProgramLog
    private var sentences: SentenceSources<InletPeer>
    private let feed: FeedConnection
    private var source: (any InletSource)?
    private var problem = RepeatedProblem()

    /// Creates the bridge.
    ///
    /// - Parameters:
    ///   - receiver: The receiver as the daemon shows it.
    ///   - socket: The path of the daemon's socket.
    ///   - sentences: Joins the sentences of the senders.
    ///   - makeSource: Opens the source with the handler of its events.
    init(
        _ receiver: FeedParameters, socket: String, sentences: SentenceSources<InletPeer>, loop: EventLoop,
        log: ProgramLog,
        makeSource: (@escaping (InletEvent) -> Void) throws -> any InletSource
    ) throws {
        self.loop = loop
        self.log = log
        self.sentences = sentences
        feed = FeedConnection(receiver, to: socket, in: loop, log: log)
        source = try makeSource { [weak self] in self?.handle($0) }
        loop.onDeadline = { [unowned self] now in
            feed.tick(at: now)
            source?.tick(at: now)
        }
        // Without a timer nothing is opened again; a later turn sets it.
        loop.afterEachIteration = { [unowned self] in try? loop.setDeadline(deadline) }
        try loop.setDeadline(deadline)
    }

    private var deadline: Instant? { earliest(feed.deadline, source?.deadline) }

    private func handle(_ event: InletEvent) {
        switch event {
        case .received(let bytes, let peer, let isPacket):
            let whole = sentences.receive(bytes, from: peer, isPacket: isPacket, at: loop.now)
            if !whole.isEmpty { problem.reset() }
            source?.recordSentences(whole.count { $0 == UInt8(ascii: "\n") })
            feed.send(whole)
        case .ended(let peer): sentences.remove(peer)
        case .problem(let reason):
            if problem.shouldLog(reason) { log.write("\(reason); trying again", priority: .warning) }
        case .finished: loop.exit(0)
        }
    }
}
