import Permission

/// The numbers of events that were sent to programs, until the record of use includes them.
final class SentEvents {
    /// The programs of a number of events.
    struct Parties: Hashable {
        /// The program that owns the monitor.
        var owner: ProgramID
        /// The program that has it open.
        var client: ProgramID
    }

    private var counts: [Parties: Int] = [:]

    /// Adds events of a monitor that a client has open. The owner may have a namespace.
    func add(_ count: Int, of owner: ProgramID, to client: ProgramID) {
        if count > 0 { counts[Parties(owner: owner.withoutNamespace, client: client), default: 0] += count }
    }

    /// Removes and returns the numbers.
    func take() -> [Parties: Int] {
        guard !counts.isEmpty else { return [:] }
        defer { counts = [:] }
        return counts
    }
}
