import Chronology
import Wire

/// Events that wait for a command to deal with them: one at a time, in their order, again until it has; a value that knows neither clock
/// nor process.
struct EventErrands {
    /// What the command is run with.
    struct Run: Equatable {
        var event: EventMessage
        var attempt: Int
    }

    /// What is to be done.
    enum Step: Equatable {
        /// Run it now.
        case run(Run)
        /// It has run for too long: end it.
        case end
        /// This event was dealt with.
        case done(Int)
        /// It failed; the next attempt is so far off.
        case failed(Run, ended: String, retry: Instant.Span)
    }

    private enum State {
        case idle
        case running(attempt: Int, until: Instant, isOverdue: Bool)
        case waiting(attempt: Int, until: Instant)
    }

    let command: String
    let monitor: String
    /// How long the command may take.
    let patience: Instant.Span
    private var waiting: [EventMessage] = []
    private var state = State.idle

    /// The longest pause between two attempts: who mends the command wants to see it work before long.
    private static let longestPause = 300.0

    init(command: String, monitor: String, patience: Instant.Span) {
        (self.command, self.monitor, self.patience) = (command, monitor, patience)
    }

    /// When ``advance(to:)`` has something to do; nil while it has not.
    var deadline: Instant? {
        switch state {
        case .idle: nil
        case .running(_, let until, let isOverdue): isOverdue ? nil : until
        case .waiting(_, let until): until
        }
    }

    /// One more event; one that is here already came again because the daemon was away.
    mutating func add(_ event: EventMessage) {
        guard !waiting.contains(where: { $0.id == event.id }) else { return }
        waiting.append(event)
    }

    /// Lets time pass.
    mutating func advance(to now: Instant) -> Step? {
        switch state {
        case .idle: return waiting.isEmpty ? nil : start(attempt: 1, at: now)
        case .running(let attempt, let until, false) where now >= until:
            state = .running(attempt: attempt, until: until, isOverdue: true)
            return .end
        case .waiting(let attempt, let until) where now >= until: return start(attempt: attempt, at: now)
        default: return nil
        }
    }

    /// The command has ended: how, in words; nil when all was well.
    mutating func ended(_ failure: String?, at now: Instant) -> Step? {
        guard case .running(let attempt, _, let isOverdue) = state, let event = waiting.first else { return nil }
        guard let failure else {
            state = .idle
            waiting.removeFirst()
            return .done(event.id)
        }
        let pause = Instant.Span.seconds(min(Double(1 << min(attempt - 1, 10)), EventErrands.longestPause))
        state = .waiting(attempt: attempt + 1, until: now + pause)
        let words = isOverdue ? "took longer than \(TimeText.span(patience.seconds))" : failure
        return .failed(Run(event: event, attempt: attempt), ended: words, retry: pause)
    }

    private mutating func start(attempt: Int, at now: Instant) -> Step? {
        guard let event = waiting.first else {
            state = .idle
            return nil
        }
        state = .running(attempt: attempt, until: now + patience, isOverdue: false)
        return .run(Run(event: event, attempt: attempt))
    }
}
