import Chronology

/// A sequence of commands, written one at a time. Each waits for its reply, or for a pause if none
/// is expected.
struct CommandSequence: Sendable {
    /// A command and its purpose.
    struct Step: Sendable, Equatable {
        var purpose: Purpose
        var command: Command
    }

    /// The purpose of a command.
    enum Purpose: Sendable, Hashable {
        /// Identifies the receiver; the value is the index in the order of probes.
        case probe(Int)
        /// Ends a power saving mode that may still be active.
        case endPowerSave
        case period, errorEstimate, dynamics, powerSave
        /// Gives the time, the place or data of satellites before the first fix.
        case assistance
        /// Makes the receiver predict orbits.
        case prediction
        /// Asks for the navigation database, and waits for all of it.
        case database
        case sleep, resume
        /// A wrapper command: keeps the receiver's command processor awake, or lets it sleep again.
        case wrapper
    }

    /// The result of a step.
    enum Outcome: Sendable, Equatable {
        case accepted, refused
        /// No reply to any attempt.
        case unanswered
        /// Written; such a command has no reply.
        case written
    }

    private var steps: [Step] = []
    private var next = 0
    /// Attempts made with the current step; 0 before the first.
    private var attempts = 0
    private(set) var deadline: Instant?
    /// Outcomes since the last ``takeOutcomes()``, in order.
    private var outcomes: [(Step, Outcome)] = []
    /// Whether to wait at most 50 ms after each command instead of for replies; used when the
    /// program ends.
    private var skipsReplies = false

    init() {}

    /// Whether every step is finished.
    var isDone: Bool { next >= steps.count }

    /// Whether the current command is repeated at short intervals, below 500 ms, until it is
    /// replied to.
    var repeatsRapidly: Bool {
        !isDone && steps[next].command.expectedReply != .none && steps[next].command.timeout < .milliseconds(500)
    }

    /// Creates a sequence of these steps that starts at `now`.
    init(_ steps: [Step], at now: Instant, skipsReplies: Bool = false) {
        self.steps = steps
        self.skipsReplies = skipsReplies
        deadline = steps.isEmpty ? nil : now
    }

    /// Returns and removes the outcomes since the last call.
    mutating func takeOutcomes() -> [(step: Step, outcome: Outcome)] {
        defer { outcomes.removeAll() }
        return outcomes.map { ($0.0, $0.1) }
    }

    /// Performs the work that is due.
    ///
    /// - Returns: The bytes to write, one array per command.
    mutating func advance(to now: Instant) -> [[UInt8]] {
        var writes: [[UInt8]] = []
        while !isDone, let due = deadline, due <= now {
            let step = steps[next]
            if attempts >= attemptsAllowed(step) {
                finish(step.command.expectedReply == .none ? .written : .unanswered, at: now)
            } else {
                writes.append(step.command.bytes)
                attempts += 1
                let isBrief = skipsReplies && step.purpose != .database
                deadline = now + (isBrief ? min(step.command.timeout, .milliseconds(50)) : step.command.timeout)
                // The pause after a command without a reply only separates it from a following
                // command.
                if step.command.expectedReply == .none, next == steps.count - 1, attempts >= attemptsAllowed(step) {
                    finish(.written, at: now)
                }
            }
        }
        return writes
    }

    mutating func process(_ message: ReceivedMessage, at now: Instant) {
        guard !isDone, attempts > 0, let reply = steps[next].command.reply(on: message) else { return }
        finish(reply == .accepted ? .accepted : .refused, at: now)
    }

    /// Returns how often a step may be written. A sequence that skips replies writes each command
    /// once, but a wrapper command up to 6 times, the minimum for the receiver to process it
    /// ([ME]).
    private func attemptsAllowed(_ step: Step) -> Int {
        skipsReplies ? (step.purpose == .wrapper ? min(step.command.attempts, 6) : 1) : step.command.attempts
    }

    private mutating func finish(_ outcome: Outcome, at now: Instant) {
        outcomes.append((steps[next], outcome))
        next += 1
        attempts = 0
        deadline = isDone ? nil : now
    }
}
