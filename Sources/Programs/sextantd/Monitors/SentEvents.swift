import Permission

/// The numbers of events that were sent to programs, until the record of use includes them.
final class SentEvents {
    /// The owner of a monitor, and the program that has read its events.
    struct Programs: Hashable {
        /// The program that owns the monitor.
        var owner: ProgramID
        /// The program that has it open.
        var client: ProgramID
    }

    private var counts: [Programs: Int] = [:]

    /// Adds events of a monitor that a client has open. The owner may have a namespace.
    func add(_ count: Int, of owner: ProgramID, to client: ProgramID) {
        if count > 0 { counts[Programs(owner: owner.withoutNamespace, client: client), default: 0] += count }
    }

    /// Removes and returns the numbers.
    func take() -> [Programs: Int] {
        guard !counts.isEmpty else { return [:] }
        defer { counts = [:] }
        return counts
    }
}
