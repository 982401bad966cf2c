import Chronology

/// What an actor does later, in the order of the times.
struct Agenda {
    private var entries: [(time: Instant, action: (World) -> Void)] = []

    /// When the next action is due.
    var deadline: Instant? { entries.first?.time }

    /// Does something at a time, after what is already planned for it.
    mutating func at(_ time: Instant, _ action: @escaping (World) -> Void) {
        let index = entries.firstIndex { $0.time > time } ?? entries.count
        entries.insert((time, action), at: index)
    }

    /// Removes and returns the next action that is due.
    mutating func next(at now: Instant) -> ((World) -> Void)? {
        guard let first = entries.first, first.time <= now else { return nil }
        entries.removeFirst()
        return first.action
    }

    /// Forgets everything.
    mutating func clear() { entries = [] }
}
