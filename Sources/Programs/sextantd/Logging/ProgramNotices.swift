import Chronology
import Permission

/// Limits messages about programs in the log to one per program, kind and hour. A program can ask
/// for the location any number of times.
struct ProgramNotices {
    /// What a message is about.
    enum Kind: Hashable {
        /// The program got no location, or a reduced one.
        case refusal
        /// The program began a lease.
        case lease
        /// The program was refused a lease.
        case leaseRefusal
        /// The program ended a lease at once.
        case briefLease
    }

    private struct Subject: Hashable {
        var program: ProgramID
        var kind: Kind
    }

    /// The time between two messages about the same.
    private static let interval = Instant.Span.seconds(3600)
    /// The maximum number of messages about the programs of a user in this time: a user can have
    /// any number of programs.
    private static let maxPerUser = 64
    private static let maxOfAll = 4096

    private var last: [Subject: Instant] = [:]

    /// Whether to write a message now. It counts as written.
    mutating func admits(_ kind: Kind, about program: ProgramID, at now: Instant) -> Bool {
        let subject = Subject(program: program, kind: kind)
        if let written = last[subject], now - written < ProgramNotices.interval { return false }
        last = last.filter { now - $0.value < ProgramNotices.interval }
        guard last.count < ProgramNotices.maxOfAll,
            last.keys.count(where: { $0.program.user == program.user }) < ProgramNotices.maxPerUser
        else { return false }
        last[subject] = now
        return true
    }
}
