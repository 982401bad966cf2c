import Chronology

/// Identifies a declared session, a lease, a stream or a monitor between the caller and the table.
package struct PermissionClientID: Sendable, Hashable {
    /// A number the caller chooses, unique for the lifetime of the process.
    package var rawValue: Int
    package init(_ rawValue: Int) { self.rawValue = rawValue }
}

extension SessionRequirement: Comparable {
    /// Returns whether the first needs less than the second.
    public static func < (a: SessionRequirement, b: SessionRequirement) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .whenInUse: 1
        case .always: 2
        case .unknown: 3
        }
    }
}

/// A lease: the program counts as in use while it holds one, and for a grace period after its
/// connection ended, so that it survives a restart of the program.
struct Lease: Sendable, Equatable {
    /// The connection that holds it; `nil` in the grace period.
    var holder: PermissionClientID?
    /// The end of the grace period; `nil` while it is held.
    var end: Instant?
    /// When the lease began, by the host's clock.
    var since: UTCTime
}

/// The leases of programs that must count as in use without a user in front of them.
///
/// A lease ends a grace period after its connection, so that a program that restarts keeps it.
struct LeaseTable: Sendable {
    /// The grace period. systemd restarts a failed service after 100 ms, and a package upgrade
    /// takes less than a minute.
    static let gracePeriod = Instant.Span.seconds(60)

    private var leases: [ProgramID: [Lease]] = [:]

    /// When the next grace period ends.
    var deadline: Instant? { leases.values.lazy.flatMap { $0 }.compactMap(\.end).min() }
    /// The programs that hold a lease or are in the grace period, with the start of their first.
    var programs: [(program: ProgramID, since: UTCTime)] {
        leases.compactMap { program, leases in leases.map(\.since).min().map { (program, $0) } }
            .sorted { $0.program < $1.program }
    }

    func contains(_ program: ProgramID) -> Bool { leases[program] != nil }

    /// Returns whether a program has a lease that a connection holds.
    func isHeld(by program: ProgramID) -> Bool { leases[program]?.contains { $0.holder != nil } ?? false }

    /// Begins a lease. It continues one of the same program that is in the grace period.
    mutating func begin(_ holder: PermissionClientID, of program: ProgramID, date: UTCTime) {
        var held = leases[program] ?? []
        let previous = held.firstIndex { $0.holder == nil }
        let since = previous.map { held.remove(at: $0).since } ?? date
        held.append(Lease(holder: holder, end: nil, since: since))
        leases[program] = held
    }

    /// Starts the grace period of a lease whose connection ended.
    mutating func release(_ holder: PermissionClientID, of program: ProgramID, at now: Instant) {
        guard var held = leases[program], let index = held.firstIndex(where: { $0.holder == holder }) else { return }
        let since = held.remove(at: index).since
        // One lease in the grace period is enough to continue.
        held.removeAll { $0.holder == nil }
        held.append(Lease(holder: nil, end: now + LeaseTable.gracePeriod, since: since))
        leases[program] = held
    }

    /// Continues the leases of the previous run of the daemon, each in its grace period.
    mutating func restore(_ program: ProgramID, since: UTCTime, at now: Instant) {
        leases[program, default: []].append(Lease(holder: nil, end: now + LeaseTable.gracePeriod, since: since))
    }

    /// Ends the grace period of a program. Returns whether that was all it had.
    mutating func endGrace(of program: ProgramID) -> Bool {
        guard let held = leases[program]?.filter({ $0.holder != nil }) else { return false }
        leases[program] = held.isEmpty ? nil : held
        return held.isEmpty
    }

    mutating func revoke(_ program: ProgramID) { leases[program] = nil }

    /// Ends the leases whose grace period is over, and returns their programs.
    mutating func tick(at now: Instant) -> [ProgramID] {
        guard let deadline, deadline <= now else { return [] }
        var ended: [ProgramID] = []
        for (program, held) in leases {
            let left = held.filter { $0.end.map { $0 > now } ?? true }
            guard left.count < held.count else { continue }
            leases[program] = left.isEmpty ? nil : left
            if left.isEmpty { ended.append(program) }
        }
        return ended.sorted()
    }
}
