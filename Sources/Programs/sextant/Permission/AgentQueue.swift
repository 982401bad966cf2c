import Chronology
import SextantAPI

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

    /// Ends the current program and returns it.
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
