import Chronology
import Delivery

/// Somebody waits for a position.
struct Question: Sendable {
    let id: StreamID
    let receiver: String?
    let deadline: Instant
}

/// Everybody who waits for one.
struct QuestionTable: Sendable {
    private var waiting: [Question] = []

    var isEmpty: Bool { waiting.isEmpty }
    var all: [Question] { waiting }
    var deadline: Instant? { waiting.map(\.deadline).min() }

    mutating func add(_ question: Question) { waiting.append(question) }
    mutating func remove(_ id: StreamID) { waiting.removeAll { $0.id == id } }

    /// Answers those whom a new position concerns.
    ///
    /// - Returns: whether there were any.
    mutating func answer(_ location: Location, _ effects: inout [Effect], where concerned: (String?) -> Bool) -> Bool {
        guard !waiting.isEmpty else { return false }
        let before = waiting.count
        for question in waiting where concerned(question.receiver) { effects.append(.answer(question.id, location, age: .zero)) }
        waiting.removeAll { concerned($0.receiver) }
        return waiting.count < before
    }

    /// Whether one is about a receiver.
    func contains(where concerned: (String?) -> Bool) -> Bool { waiting.contains { concerned($0.receiver) } }

    /// Takes out those whose time is up.
    mutating func expire(at now: Instant) -> [Question] {
        guard let deadline, deadline <= now else { return [] }
        let late = waiting.filter { $0.deadline <= now }
        waiting.removeAll { $0.deadline <= now }
        return late
    }
}
