import Chronology
import SextantAPI
import SextantServiceAPI
import SystemCalls
import Varlink
import VarlinkClient

/// The live data from the daemon: locations, receivers, sentences, the events of a monitor and the
/// work of an agent. It reconnects by itself when the daemon was unavailable.
///
/// Each stream has its own connection: on a shared connection the second call would wait for the
/// first, which never ends.
struct DaemonFeed {
    /// The streams to subscribe to.
    struct Subscriptions {
        var updates: SubscribeParameters?
        var receivers: WatchParameters?
        var monitor: OpenParameters?
        var sentences: SentencesParameters?
        var visits = false
        var heading: WatchHeadingParameters?
        var beacons: RangeParameters?
        /// Whether the other streams continue without the heading, such as with an earlier daemon.
        var isHeadingOptional = false
        var agent = false

        /// Whether a configuration may require a session for the streams.
        fileprivate var needLocation: Bool {
            updates != nil || receivers != nil || monitor != nil || visits || heading != nil || sentences != nil
                || beacons != nil
        }
    }

    /// An event of the feed.
    enum Event {
        case connected
        case update(SubscribeReply)
        case receivers([Receiver])
        case monitor(OpenReply)
        case sentences(SentencesReply)
        /// A visit that begins or ends, or why there are none.
        case visit(VisitUpdate)
        /// A heading, or why there is none.
        case heading(HeadingUpdate)
        /// The beacons in range, or why none are known.
        case beacons(BeaconsInRange)
        /// A program that an agent must ask the user about, or that needs no answer any more.
        case agent(ServeReply)
        /// The connection to the daemon is lost; the next attempt is at `retry`.
        case disconnected(CommandError, retry: Instant)
        /// The daemon has the connections and does not reply any more.
        case hung(CommandError)
        /// It replies again.
        case replied
    }

    /// The replies of one stream and the conversion of a reply to an event.
    private struct OpenStream {
        let method: String
        var replies: ReplyStream
        /// Whether the feed continues when this stream fails.
        var isOptional = false
        let event: (Reply) throws(UnexpectedParameters) -> Event
    }

    private enum State {
        case connected([OpenStream])
        case waiting(until: Instant)
    }

    private let options: DaemonOptions
    private let subscriptions: Subscriptions
    private var state: State
    private var silence: SilenceCheck
    private var backoff = ExponentialBackoff()
    /// Whether a reply has arrived. Before the first reply, an error is a wrong call or a missing
    /// daemon and ends the command. A refusal always ends it.
    private var hasReceivedReply = false

    /// Connects to the daemon, also while it starts, and subscribes.
    init(_ options: DaemonOptions, subscribingTo subscriptions: Subscriptions) throws(CommandError) {
        self.options = options
        self.subscriptions = subscriptions
        silence = SilenceCheck(of: options.socket, at: HostClock.now)
        do {
            state = .connected(
                try DaemonOptions.waitForStart { () throws(ClientError) in
                    try DaemonFeed.open(subscriptions, at: options)
                })
        } catch {
            throw CommandError(daemon: error)
        }
    }

    /// The file descriptors to poll for input.
    var descriptors: [Int32] {
        guard case .connected(let streams) = state else { return [] }
        return streams.map(\.replies.fileDescriptor) + (silence.descriptor.map { [$0] } ?? [])
    }

    /// When to call ``receiveEvents(at:)`` even without input.
    ///
    /// Not inlined: the optimizer of Swift 6.3.1 inlines it into ``LiveSession`` incorrectly and
    /// aborts with "Found ownership error".
    @inline(never) var deadline: Instant? {
        if case .waiting(let until) = state { until } else { silence.deadline }
    }

    /// Returns all events that have arrived, without waiting.
    ///
    /// - Throws: An error that ends the command.
    mutating func receiveEvents(at now: Instant) throws(CommandError) -> [Event] {
        switch state {
        case .connected(let streams): return try receiveEvents(from: streams, at: now)
        case .waiting(let until): return now >= until ? try reconnect(at: now) : []
        }
    }

    private mutating func receiveEvents(from streams: [OpenStream], at now: Instant) throws(CommandError) -> [Event] {
        var streams = streams
        var events: [Event] = []
        var index = 0
        while index < streams.count {
            do throws(ClientError) {
                try DaemonFeed.drain(&streams[index], into: &events)
                index += 1
            } catch {
                if streams[index].isOptional {
                    streams.remove(at: index)
                    continue
                }
                if !events.isEmpty { recordReply() }
                // A stream without a first reply may have been right: a receiver that sleeps sends
                // no sentence.
                if subscriptions.sentences != nil, case .disconnected = error { hasReceivedReply = true }
                return events + [try disconnect(after: CommandError(daemon: error), at: now)]
            }
        }
        state = .connected(streams)
        if !events.isEmpty { recordReply() }
        switch events.isEmpty ? silence.advance(to: now) : silence.recordData(at: now) {
        case .hung?: return [.hung(HungDaemon(at: options.socket).error(at: options.socket))]
        case .replied?: return [.replied] + events
        case nil: return events
        }
    }

    private mutating func recordReply() {
        hasReceivedReply = true
        backoff.reset()
    }

    private mutating func disconnect(after error: CommandError, at now: Instant) throws(CommandError) -> Event {
        guard hasReceivedReply, error.exitStatus != .notPermitted else { throw error }
        let retry = now + backoff.next(from: .milliseconds(250), max: .seconds(4))
        state = .waiting(until: retry)
        return .disconnected(error, retry: retry)
    }

    private mutating func reconnect(at now: Instant) throws(CommandError) -> [Event] {
        do throws(ClientError) {
            state = .connected(try DaemonFeed.open(subscriptions, at: options))
            silence = SilenceCheck(of: options.socket, at: now)
            return [.connected]
        } catch {
            return [try disconnect(after: CommandError(daemon: error), at: now)]
        }
    }

    private static func open(_ subscriptions: Subscriptions, at options: DaemonOptions) throws(ClientError)
        -> [OpenStream]
    {
        if subscriptions.needLocation { try options.tryToDeclareSession() }
        var streams: [OpenStream] = []
        func open<Parameters, Output>(
            _ method: Method<Parameters, Output>, with parameters: Parameters, event: @escaping (Output) -> Event
        ) throws(ClientError) {
            let replies = try BlockingClient.connect(path: options.socket).stream(method, with: parameters)
            streams.append(
                OpenStream(method: method.name, replies: replies) { reply throws(UnexpectedParameters) in
                    event(try reply.parameters(of: method))
                })
        }
        if let updates = subscriptions.updates {
            try open(LocationMethods.subscribe, with: updates) { .update($0) }
        }
        if subscriptions.visits { try open(LocationMethods.watchVisits, with: NoParameters()) { .visit($0) } }
        if let heading = subscriptions.heading {
            try open(LocationMethods.watchHeading, with: heading) { .heading($0) }
            streams[streams.count - 1].isOptional = subscriptions.isHeadingOptional
        }
        if let beacons = subscriptions.beacons { try open(BeaconMethods.range, with: beacons) { .beacons($0) } }
        if subscriptions.agent { try open(AgentMethods.serve, with: NoParameters()) { .agent($0) } }
        if let receivers = subscriptions.receivers {
            try open(ReceiverMethods.watch, with: receivers) { .receivers($0.receivers) }
        }
        if let monitor = subscriptions.monitor { try open(MonitorMethods.open, with: monitor) { .monitor($0) } }
        if let sentences = subscriptions.sentences {
            try open(ReceiverMethods.sentences, with: sentences) { .sentences($0) }
        }
        return streams
    }

    private static func drain(_ stream: inout OpenStream, into events: inout [Event]) throws(ClientError) {
        while case .reply(let reply) = try stream.replies.nextIfAvailable() {
            do throws(UnexpectedParameters) {
                events.append(try stream.event(reply))
            } catch {
                throw .unexpectedReply(method: stream.method, error)
            }
            if !reply.continues { throw .disconnected(method: stream.method) }
        }
    }
}
