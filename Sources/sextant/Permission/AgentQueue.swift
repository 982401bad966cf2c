import Wire

/// The programs that wait for an answer of the user, one at a time and in order. It is a value
/// without terminal or process.
struct AgentQueue {
    /// The program that the user is asked about now.
    private(set) var current: AuthorizationRequestMessage?
    private var waiting: [AuthorizationRequestMessage] = []

    /// The number of programs that wait behind the current one.
    var waitingCount: Int { waiting.count }

    /// Adds a program. Ignores one that is already known: the daemon asks again after a
    /// reconnection.
    mutating func add(_ asked: AuthorizationRequestMessage) {
        guard current?.number != asked.number, !waiting.contains(where: { $0.number == asked.number }) else { return }
        waiting.append(asked)
    }

    /// Begins with the next program if there is no current one, and returns it.
    mutating func beginNext() -> AuthorizationRequestMessage? {
        guard current == nil, !waiting.isEmpty else { return nil }
        current = waiting.removeFirst()
        return current
    }

    /// Ends the current program and returns it.
    mutating func finish() -> AuthorizationRequestMessage? {
        defer { current = nil }
        return current
    }

    /// Removes a program that needs no answer any more. Returns it if it was the current one.
    mutating func withdraw(_ number: Int) -> AuthorizationRequestMessage? {
        waiting.removeAll { $0.number == number }
        return current?.number == number ? finish() : nil
    }

    /// Removes all programs, because the daemon has ended. Returns the current one.
    mutating func removeAll() -> AuthorizationRequestMessage? {
        waiting = []
        return finish()
    }
}
