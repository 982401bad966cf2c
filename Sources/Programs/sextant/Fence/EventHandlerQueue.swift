import Chronology
import SextantAPI

/// A queue of events that a command handles one at a time, in order, with retries. It is a value
/// without clock or process.
struct EventHandlerQueue {
    /// The event and the attempt number that the command runs with.
    struct Run: Equatable {
        var event: Event
        var attempt: Int
    }

    /// The next action.
    enum Step: Equatable {
        /// Run the command now.
        case run(Run)
        /// Terminate the command: it exceeded its time limit.
        case terminate
        /// Kill the command: it still runs, although it was terminated.
        case kill
        /// The command has handled this event.
        case handled(Int)
        /// The command failed for this reason; the next attempt is `retry` later.
        case failed(Run, reason: String, retry: Instant.Span)
    }

    private enum State {
        case idle
        /// The command runs; `until` is when the next signal is due, which `signal` names.
        case running(attempt: Int, until: Instant?, signal: Signal)
        case waiting(attempt: Int, until: Instant)
    }

    private enum Signal { case terminate, kill }

    let command: String
    let monitor: String
    /// The time limit of the command.
    let timeout: Instant.Span
    private var queue: [Event] = []
    /// The events that were handled last, the oldest first.
    private var handled: [Event] = []
    private var state = State.idle

    private var backoff = ExponentialBackoff()

    /// The pause after the first failed attempt; it doubles with each further one.
    private static let firstPause = Instant.Span.seconds(1)
    /// The maximum pause between two attempts, so that a corrected command is tried again soon.
    private static let maxPause = Instant.Span.seconds(300)
    /// The time between terminating and killing a command.
    private static let terminationTime = Instant.Span.seconds(10)
    /// The number of handled events that are remembered: as many as can be pending in a monitor.
    private static let maxHandled = 4096

    init(command: String, monitor: String, timeout: Instant.Span) {
        self.command = command
        self.monitor = monitor
        self.timeout = timeout
    }

    /// When to call ``advance(to:)``; nil if nothing is due.
    var deadline: Instant? {
        switch state {
        case .idle: nil
        case .running(_, let until, _): until
        case .waiting(_, let until): until
        }
    }

    /// Adds an event, unless it is queued or was handled: the daemon delivers an event again after
    /// a reconnection until it has recorded the acknowledgement.
    ///
    /// - Returns: Whether the command has handled the event, so that only its acknowledgement is
    ///   due.
    mutating func add(_ event: Event) -> Bool {
        // A daemon that has lost its file begins with the same numbers again.
        func isSame(_ other: Event) -> Bool { other.id == event.id && other.recorded == event.recorded }
        if handled.contains(where: isSame) { return true }
        if !queue.contains(where: isSame) { queue.append(event) }
        return false
    }

    /// Advances to the current time and returns the action that is due.
    mutating func advance(to now: Instant) -> Step? {
        switch state {
        case .idle: return queue.isEmpty ? nil : start(attempt: 1, at: now)
        case .running(let attempt, let until?, let signal) where now >= until:
            let killTime = signal == .terminate ? now + EventHandlerQueue.terminationTime : nil
            state = .running(attempt: attempt, until: killTime, signal: .kill)
            return signal == .terminate ? .terminate : .kill
        case .waiting(let attempt, let until) where now >= until: return start(attempt: attempt, at: now)
        default: return nil
        }
    }

    /// Processes the end of the command; `failure` is nil if it succeeded.
    mutating func commandEnded(failure: String?, at now: Instant) -> Step? {
        guard case .running(let attempt, _, let signal) = state, let event = queue.first else { return nil }
        guard let failure else {
            state = .idle
            backoff.reset()
            handled = handled.suffix(EventHandlerQueue.maxHandled - 1) + [queue.removeFirst()]
            return .handled(event.id)
        }
        let pause = backoff.next(from: EventHandlerQueue.firstPause, max: EventHandlerQueue.maxPause)
        state = .waiting(attempt: attempt + 1, until: now + pause)
        let reason = signal == .kill ? "took longer than \(TimeText.span(timeout.seconds))" : failure
        return .failed(Run(event: event, attempt: attempt), reason: reason, retry: pause)
    }

    private mutating func start(attempt: Int, at now: Instant) -> Step? {
        guard let event = queue.first else {
            state = .idle
            return nil
        }
        state = .running(attempt: attempt, until: now + timeout, signal: .terminate)
        return .run(Run(event: event, attempt: attempt))
    }
}
