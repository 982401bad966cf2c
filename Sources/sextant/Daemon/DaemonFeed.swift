import Chronology
import Serial
import Varlink
import Wire

/// What the daemon tells, as it comes: the position, the receivers, a monitor's events; connected again by itself when the daemon was away.
///
/// Each stream is a connection of its own: on one, the second would wait behind the first for ever.
struct DaemonFeed {
    /// What is to be followed.
    struct Wishes {
        var updates: SubscribeParameters?
        var receivers: WatchParameters?
        var monitor: MonitorParameters?
        var visits = false
    }

    /// What has happened.
    enum Event {
        case connected
        case update(SubscribeReply)
        case receivers([ReceiverMessage])
        case monitor(OpenReply)
        /// One that begins or ends; nil when there is none at first.
        case visit(VisitMessage?)
        /// The daemon is away; the next attempt is made at that instant.
        case lost(CommandError, retry: Instant)
    }

    /// A stream and the method that it answers.
    private struct Line {
        var method: String
        var replies: ReplyStream
    }

    private enum State {
        case connected([Line])
        case waiting(until: Instant)
    }

    private let options: DaemonOptions
    private let wishes: Wishes
    private var state: State
    private var backoff = ReconnectBackoff()
    /// Before the first reply an error is the caller's mistake or a daemon that is not there, and ends the command.
    private var wasServed = false

    /// Connects.
    init(_ options: DaemonOptions, _ wishes: Wishes) throws(CommandError) {
        self.options = options
        self.wishes = wishes
        state = .connected(try DaemonFeed.open(options, wishes))
    }

    /// To be watched for input.
    var descriptors: [Int32] {
        if case .connected(let streams) = state { streams.map(\.replies.fileDescriptor) } else { [] }
    }

    /// When ``take(at:)`` wants to be called even without input.
    ///
    /// Not inlined: the optimiser of Swift 6.3.1 puts it into ``LiveSession`` wrongly and then aborts with "Found ownership error".
    @inline(never) var deadline: Instant? {
        if case .waiting(let until) = state { until } else { nil }
    }

    /// Everything that has come, without waiting. Throws what ends the command.
    mutating func take(at now: Instant) throws(CommandError) -> [Event] {
        switch state {
        case .connected(let streams): return try take(from: streams, at: now)
        case .waiting(let until): return now >= until ? try reconnect(at: now) : []
        }
    }

    private mutating func take(from streams: [Line], at now: Instant) throws(CommandError) -> [Event] {
        var streams = streams
        var events: [Event] = []
        for at in streams.indices {
            do throws(ClientError) {
                try DaemonFeed.drain(&streams[at], into: &events)
            } catch {
                if !events.isEmpty { noteServed() }
                return events + [try lose(CommandError(daemon: error), at: now)]
            }
        }
        state = .connected(streams)
        if !events.isEmpty { noteServed() }
        return events
    }

    private mutating func noteServed() {
        wasServed = true
        backoff.reset()
    }

    private mutating func lose(_ error: CommandError, at now: Instant) throws(CommandError) -> Event {
        guard wasServed else { throw error }
        let retry = now + backoff.next()
        state = .waiting(until: retry)
        return .lost(error, retry: retry)
    }

    private mutating func reconnect(at now: Instant) throws(CommandError) -> [Event] {
        do throws(CommandError) {
            state = .connected(try DaemonFeed.open(options, wishes))
            return [.connected]
        } catch {
            return [try lose(error, at: now)]
        }
    }

    private static func open(_ options: DaemonOptions, _ wishes: Wishes) throws(CommandError) -> [Line] {
        var streams: [Line] = []
        func open(_ method: String, _ parameters: some Encodable) throws(ClientError) {
            streams.append(Line(method: method, replies: try Client.connect(path: options.socket).stream(method, parameters)))
        }
        do throws(ClientError) {
            if let updates = wishes.updates { try open(DaemonMethod.subscribe, updates) }
            if wishes.visits { try open(DaemonMethod.watchVisits, Client.NoParameters()) }
            if let receivers = wishes.receivers { try open(DaemonMethod.watchReceivers, receivers) }
            if let monitor = wishes.monitor { try open(DaemonMethod.openMonitor, monitor) }
        } catch {
            throw CommandError(daemon: error)
        }
        return streams
    }

    private static func drain(_ stream: inout Line, into events: inout [Event]) throws(ClientError) {
        while case .reply(let reply) = try stream.replies.arrival() {
            do throws(UnexpectedParameters) {
                events.append(try event(of: reply, to: stream.method))
            } catch {
                throw .unexpectedReply(method: stream.method, error)
            }
            if !reply.continues { throw .disconnected(method: stream.method) }
        }
    }

    private static func event(of reply: Reply, to method: String) throws(UnexpectedParameters) -> Event {
        switch method {
        case DaemonMethod.subscribe: .update(try reply.decode(SubscribeReply.self))
        case DaemonMethod.watchVisits: .visit(try reply.decode(WatchVisitsReply.self).visit)
        case DaemonMethod.openMonitor: .monitor(try reply.decode(OpenReply.self))
        default: .receivers(try reply.decode(ReceiversReply.self).receivers)
        }
    }
}
