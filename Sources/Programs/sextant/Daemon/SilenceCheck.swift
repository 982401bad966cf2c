import Chronology
import SextantAPI
import Varlink
import VarlinkClient

/// Finds out whether a daemon that sends nothing still replies. One that hangs keeps its
/// connections, so that its streams do not end.
struct SilenceCheck {
    /// A change that users must know.
    enum Change {
        /// The daemon does not reply.
        case hung
        /// It replies again.
        case replied
    }

    private enum State {
        /// The daemon is not asked before this time.
        case quiet(until: Instant)
        /// It was asked, and has time to reply.
        case asked(ReplyStream, until: Instant)
        /// It has not replied in time.
        case hung(ReplyStream)
    }

    /// The time for the first reply of a stream. Most streams get one at once.
    private static let firstSilence = Instant.Span.seconds(5)
    /// The time without data after which the daemon is asked. While the device rests, there is
    /// none for minutes.
    private static let silence = Instant.Span.seconds(20)
    /// The longest such time. It doubles with each reply, so that a device at rest is hardly woken.
    private static let maxSilence = Instant.Span.seconds(600)
    private static let replyTime = Instant.Span.seconds(10)

    private let socket: String
    private var state: State
    private var pause = ExponentialBackoff()

    /// Begins to check a daemon to which streams were opened.
    init(of socket: String, at now: Instant) {
        self.socket = socket
        state = .quiet(until: now + SilenceCheck.firstSilence)
    }

    /// The descriptor to poll for the reply, while the daemon is asked.
    var descriptor: Int32? {
        switch state {
        case .quiet: nil
        case .asked(let replies, _), .hung(let replies): replies.fileDescriptor
        }
    }

    /// When to call ``advance(to:)`` even without input.
    var deadline: Instant? {
        switch state {
        case .quiet(let until), .asked(_, let until): until
        case .hung: nil
        }
    }

    /// Records that a stream has sent data.
    mutating func recordData(at now: Instant) -> Change? {
        pause.reset()
        return beQuiet(at: now)
    }

    private mutating func beQuiet(at now: Instant) -> Change? {
        defer {
            state = .quiet(until: now + pause.next(from: SilenceCheck.silence, max: SilenceCheck.maxSilence))
        }
        if case .hung = state { return .replied }
        return nil
    }

    /// Asks the daemon, or handles its reply or the lack of it.
    mutating func advance(to now: Instant) -> Change? {
        switch state {
        case .quiet(let until):
            guard now >= until else { return nil }
            ask(at: now)
            return nil
        case .asked(var replies, let until):
            if SilenceCheck.hasReply(&replies) { return beQuiet(at: now) }
            state = now >= until ? .hung(replies) : .asked(replies, until: until)
            return now >= until ? .hung : nil
        case .hung(var replies):
            if SilenceCheck.hasReply(&replies) { return beQuiet(at: now) }
            state = .hung(replies)
            return nil
        }
    }

    private mutating func ask(at now: Instant) {
        state = .quiet(until: now + SilenceCheck.silence)
        // Without a connection, the daemon has ended, and so have its streams.
        guard let client = try? BlockingClient.connect(path: socket, timeout: .seconds(1)),
            let replies = try? client.stream(ManagerMethods.getStatus, with: NoParameters(), timeout: .seconds(1))
        else { return }
        state = .asked(replies, until: now + SilenceCheck.replyTime)
    }

    /// Whether there is a reply. An error is one, as is the end of the connection.
    private static func hasReply(_ replies: inout ReplyStream) -> Bool {
        do throws(ClientError) { return try replies.nextIfAvailable() != .pending } catch { return true }
    }
}
