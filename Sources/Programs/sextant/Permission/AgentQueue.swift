import Chronology
import SextantAPI
import SextantServiceAPI

/// The programs that wait for an answer of the user, one at a time and in order. It is a value
/// without terminal or process.
struct AgentQueue {
    /// The time after which the user is asked again about a program without an answer.
    static let retryInterval = Instant.Span.seconds(60)

    /// The program that the user is asked about now.
    private(set) var current: AgentRequest?
    private var waiting: [AgentRequest] = []
    /// The programs without an answer, and when to ask again.
    private var postponed: [(asked: AgentRequest, until: Instant)] = []

    /// The number of programs that wait behind the current one.
    var waitingCount: Int { waiting.count }

    /// When ``beginNext(at:)`` may have a postponed program; nil if none is postponed.
    var deadline: Instant? { postponed.map(\.until).min() }

    /// Adds a program. Ignores one that is already known: the daemon asks again after a
    /// reconnection.
    mutating func add(_ asked: AgentRequest) {
        let known = [current].compactMap { $0 } + waiting + postponed.map(\.asked)
        guard !known.contains(where: { $0.number == asked.number }) else { return }
        waiting.append(asked)
    }

    /// Asks about a program again after ``retryInterval``: the daemon asks each agent once.
    mutating func postpone(_ asked: AgentRequest, at now: Instant) {
        postponed.append((asked, until: now + AgentQueue.retryInterval))
    }

    /// Begins with the next program if there is no current one, and returns it.
    mutating func beginNext(at now: Instant) -> AgentRequest? {
        waiting += postponed.filter { $0.until <= now }.map(\.asked)
        postponed.removeAll { $0.until <= now }
        guard current == nil, !waiting.isEmpty else { return nil }
        current = waiting.removeFirst()
        return current
    }

    mutating func finish() -> AgentRequest? {
        defer { current = nil }
        return current
    }

    /// Removes a program that needs no answer any more. Returns it if it was the current one.
    mutating func withdraw(_ number: Int) -> AgentRequest? {
        waiting.removeAll { $0.number == number }
        postponed.removeAll { $0.asked.number == number }
        return current?.number == number ? finish() : nil
    }

    /// Removes all programs, because the daemon has ended. Returns the current one.
    mutating func removeAll() -> AgentRequest? {
        (waiting, postponed) = ([], [])
        return finish()
    }
}

/// An answer of the user about a program.
struct AgentAnswer: Equatable {
    var authorization: AuthorizationChoice
    /// The accuracy; nil for the default of the program.
    var accuracy: AccuracyAuthorization?
    /// Whether the answer ends with the last session of the program.
    var isTemporary = false

    /// Parses the first line of a command: `always`, `whenInUse` or `denied`, then optionally
    /// `reduced` or `full`, and `temporary`, separated by commas. Returns nil for any other text.
    init?(words line: String) {
        var words = line.split(separator: ",", omittingEmptySubsequences: false).map(AgentAnswer.trimmed)
        guard let choice = words.first.flatMap(AuthorizationChoice.init(rawValue:)) else { return nil }
        authorization = choice
        words.removeFirst()
        guard Set(words).count == words.count, words.allSatisfy(["reduced", "full", "temporary"].contains) else {
            return nil
        }
        isTemporary = words.contains("temporary")
        let accuracies = words.compactMap(AccuracyAuthorization.init(rawValue:))
        // Nothing to reduce: the command means something else.
        guard accuracies.isEmpty || accuracies.count == 1 && choice != .denied else { return nil }
        accuracy = accuracies.first
    }

    /// Parses letters that the user typed: one of `a` (always), `u` (while in use) and `d` (deny),
    /// with `r` (reduced) and `t` (only this time). Returns nil for any other text.
    init?(letters text: String) {
        let letters = AgentAnswer.trimmed(text[...]).lowercased().filter { $0 != " " }
        guard Set(letters).count == letters.count, letters.allSatisfy({ "audrt".contains($0) })
        else { return nil }
        let choices: [Character: AuthorizationChoice] = ["a": .always, "u": .whenInUse, "d": .denied]
        let chosen = letters.compactMap { choices[$0] }
        // "r" alone may mean "refuse".
        guard chosen.count == 1, let choice = chosen.first else { return nil }
        authorization = choice
        isTemporary = letters.contains("t")
        guard letters.contains("r") else { return }
        guard authorization != .denied else { return nil }
        accuracy = .reduced
    }

    private static func trimmed(_ text: Substring) -> String {
        let blanks: Set<Character> = [" ", "\t", "\r", "\r\n"]
        return String(text.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
    }

    /// The answer as text, such as "while in use, reduced to an area, only this time".
    var displayText: String {
        let choice =
            switch authorization {
            case .denied, .unknown: "denied"
            case .whenInUse: "while in use"
            case .always: "always"
            }
        return choice + (accuracy == .reduced ? ", reduced to an area" : "") + (isTemporary ? ", only this time" : "")
    }
}
