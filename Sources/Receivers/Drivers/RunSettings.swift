import Chronology
import Delivery

/// What a receiver is set to while it works.
struct RunSettings: Sendable, Equatable {
    /// Milliseconds between fixes; nil when not known.
    var period: Int?
    /// Nil when not known.
    var dynamics: Dynamics? = .any
    var isThrifty = false
    /// Whether it was asked for a sentence that states the error.
    var statesError = false

    /// The receiver has started anew.
    mutating func forget() {
        self = RunSettings()
    }
}

/// What a receiver has been found not to do.
///
/// Settings are not tried again while the port is open; sleeps are, an hour later.
struct Shortcomings: Sendable, Equatable {
    /// Settings it refused, or that silenced it.
    var purposes: Set<CommandScript.Purpose> = []
    /// Periods it did not keep, milliseconds.
    var periods: Set<Int> = []
    /// Sleeps that did not come about, and until when they are not tried again: a night later the line may be a better one.
    private var failedSleeps: [SleepMethod.Name: Instant] = [:]
    /// Series of commands without any sign that they were heard.
    var unheard = 0

    /// How long a way of sleeping that failed is left alone.
    static let sleepBan = Instant.Span.seconds(3600)

    /// A way of sleeping has failed.
    mutating func sleepFailed(_ name: SleepMethod.Name, at now: Instant) { failedSleeps[name] = now + Shortcomings.sleepBan }

    /// Whether a way of sleeping may be tried.
    func allows(_ name: SleepMethod.Name, at now: Instant) -> Bool { failedSleeps[name].map { $0 <= now } ?? true }

    /// Nobody listens at the other end: the line to the receiver is not connected, or it is none of those it seemed to be.
    var isDeaf: Bool { unheard >= 2 }
}

/// Whether a series of commands was heard.
struct CommandSeries: Sendable {
    private var accepted: Set<CommandScript.Purpose> = []
    private(set) var refused: Set<CommandScript.Purpose> = []
    private var unanswered = 0
    /// Whether something was sent that can be seen by its effect.
    var isVisible = false

    /// Takes note of one command.
    mutating func note(_ step: CommandScript.Step, _ outcome: CommandScript.Outcome) {
        switch outcome {
        case .accepted, .written: accepted.insert(step.purpose)
        case .refused: refused.insert(step.purpose)
        case .unanswered:
            accepted.insert(step.purpose)
            unanswered += 1
            return
        }
        if outcome != .written { isAnswered = true }
    }

    /// Whether any command was answered.
    private(set) var isAnswered = false
    /// Whether an answer was to be expected, and none came.
    var isUnanswered: Bool { unanswered > 0 && !isAnswered }

    /// Whether nothing of a setting was taken. One of several commands for the same is enough.
    func failed(_ purpose: CommandScript.Purpose) -> Bool { refused.contains(purpose) && !accepted.contains(purpose) }
}
