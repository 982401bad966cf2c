import Chronology

/// Commands on their way to a receiver, one at a time: each waits for its answer, or for a pause where none is to be expected.
struct CommandScript: Sendable {
    /// A command and what it is for.
    struct Step: Sendable, Equatable {
        var purpose: Purpose
        var command: Command
    }

    /// What a command is for.
    enum Purpose: Sendable, Hashable {
        /// To learn who this is; the place in the order of questions.
        case question(Int)
        /// Ends what may have been left on.
        case full
        case period, errorSentence, dynamics, thrift
        case sleep, resume
        /// Keeps the receiver's ear open, or lets it close.
        case frame
    }

    /// What became of a step.
    enum Outcome: Sendable, Equatable {
        case accepted, refused
        /// Every attempt was made, and nothing said.
        case unanswered
        /// Written, and there is no answer to such a command.
        case written
    }

    private var steps: [Step] = []
    private var next = 0
    /// Attempts made with the present step; 0 before the first.
    private var attempts = 0
    private(set) var deadline: Instant?
    /// Outcomes since they were last taken, in order.
    private var outcomes: [(Step, Outcome)] = []
    /// Nothing is waited for but the pauses: for the end of the program.
    private var isHurried = false

    /// No commands.
    init() {}

    /// Whether every step has been dealt with.
    var isDone: Bool { next >= steps.count }

    /// Whether the present command is written again and again until it is answered.
    var isInHurry: Bool { !isDone && steps[next].command.answer != .none && steps[next].command.patience < .milliseconds(500) }

    /// Starts anew with these steps; those that were not yet done are forgotten.
    init(_ steps: [Step], at now: Instant, isHurried: Bool = false) {
        self.steps = steps
        self.isHurried = isHurried
        deadline = steps.isEmpty ? nil : now
    }

    /// What has been dealt with since the last call.
    mutating func takeOutcomes() -> [(step: Step, outcome: Outcome)] {
        defer { outcomes.removeAll() }
        return outcomes.map { ($0.0, $0.1) }
    }

    /// Does what is due.
    ///
    /// - Returns: What to write.
    mutating func advance(to now: Instant) -> [[UInt8]] {
        var writes: [[UInt8]] = []
        while !isDone, let due = deadline, due <= now {
            let step = steps[next]
            if attempts >= attemptsAllowed(step) {
                finish(step.command.answer == .none ? .written : .unanswered, at: now)
            } else {
                writes.append(step.command.bytes)
                attempts += 1
                deadline = now + (isHurried ? min(step.command.patience, .milliseconds(50)) : step.command.patience)
                // The pause after a command that has no answer is for the next one.
                if step.command.answer == .none, next == steps.count - 1, attempts >= attemptsAllowed(step) { finish(.written, at: now) }
            }
        }
        return writes
    }

    /// The receiver said something.
    mutating func hear(_ utterance: Utterance, at now: Instant) {
        guard !isDone, attempts > 0, let verdict = steps[next].command.verdict(on: utterance) else { return }
        finish(verdict == .accepted ? .accepted : .refused, at: now)
    }

    /// In a hurry everything is written once, but for what needs repeating to be heard at all (6 times at least: [ME]).
    private func attemptsAllowed(_ step: Step) -> Int {
        isHurried ? (step.purpose == .frame ? min(step.command.attempts, 6) : 1) : step.command.attempts
    }

    private mutating func finish(_ outcome: Outcome, at now: Instant) {
        outcomes.append((steps[next], outcome))
        next += 1
        attempts = 0
        deadline = isDone ? nil : now
    }
}
