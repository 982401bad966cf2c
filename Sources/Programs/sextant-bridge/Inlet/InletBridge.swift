import Bridges
import Chronology
import ServiceRuntime
import SextantAPI

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
        loop.afterEachIteration = { [unowned self] in loop.setDeadline(deadline) }
        loop.setDeadline(deadline)
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
