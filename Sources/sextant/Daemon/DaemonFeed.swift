import Chronology
import Serial
import Varlink
import Wire

/// What the daemon tells, as it comes: the position, the receivers, or both; connected again by itself when the daemon was away.
///
/// Each stream is a connection of its own: on one, the second would wait behind the first for ever.
struct DaemonFeed {
    /// What is to be followed.
    struct Wishes {
        var updates: SubscribeParameters?
        var receivers: WatchParameters?
        var visits = false

        /// In the order in which they are opened.
        fileprivate var methods: [String] {
            [
                updates.map { _ in DaemonMethod.subscribe }, visits ? DaemonMethod.watchVisits : nil,
                receivers.map { _ in DaemonMethod.watchReceivers },
            ].compactMap(\.self)
        }
    }

    /// What has happened.
    enum Event {
        case connected
        case update(SubscribeReply)
        case receivers([ReceiverMessage])
        /// One that begins or ends; nil when there is none at first.
        case visit(VisitMessage?)
        /// The daemon is away; the next attempt is made at that instant.
        case lost(CommandError, retry: Instant)
    }

    private enum State {
        case connected([ReplyStream])
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
        if case .connected(let streams) = state { streams.map(\.fileDescriptor) } else { [] }
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

    private mutating func take(from streams: [ReplyStream], at now: Instant) throws(CommandError) -> [Event] {
        var streams = streams
        var events: [Event] = []
        let methods = wishes.methods
        for at in streams.indices {
            do throws(ClientError) {
                try DaemonFeed.drain(&streams[at], of: methods[at], into: &events)
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

    private static func open(_ options: DaemonOptions, _ wishes: Wishes) throws(CommandError) -> [ReplyStream] {
        var streams: [ReplyStream] = []
        do throws(ClientError) {
            if let updates = wishes.updates {
                streams.append(try Client.connect(path: options.socket).stream(DaemonMethod.subscribe, updates))
            }
            if wishes.visits { streams.append(try Client.connect(path: options.socket).stream(DaemonMethod.watchVisits)) }
            if let receivers = wishes.receivers {
                streams.append(try Client.connect(path: options.socket).stream(DaemonMethod.watchReceivers, receivers))
            }
        } catch {
            throw CommandError(daemon: error)
        }
        return streams
    }

    private static func drain(_ stream: inout ReplyStream, of method: String, into events: inout [Event]) throws(ClientError) {
        while case .reply(let reply) = try stream.arrival() {
            do throws(UnexpectedParameters) {
                switch method {
                case DaemonMethod.subscribe: events.append(.update(try reply.decode(SubscribeReply.self)))
                case DaemonMethod.watchVisits: events.append(.visit(try reply.decode(WatchVisitsReply.self).visit))
                default: events.append(.receivers(try reply.decode(ReceiversReply.self).receivers))
                }
            } catch {
                throw .unexpectedReply(method: method, error)
            }
            if !reply.continues { throw .disconnected(method: method) }
        }
    }
}
