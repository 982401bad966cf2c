import SextantAPI

extension Invariant {
    /// The state on disk.
    static let store = [
        Invariant(38, "only a file whose durable bytes are damaged is moved aside"),
        Invariant(39, "after a power cut the database is intact"),
        Invariant(40, "a refused call changed nothing, an unanswered one everything or nothing"),
        Invariant(41, "an error is logged once when it begins and once when it ends"),
        Invariant(32, "no byte is written to a passive receiver"),
        Invariant(43, "the heap is within 128 kB of its size at the start"),
        Invariant(42, "bytes, connections, descriptors and disk of a user are within limits"),
        Invariant(49, "no two turns at one instant without progress"),
    ]
}

extension Invariant {
    /// The quiet end of a run.
    static let recovery = [
        Invariant(50, "each present receiver has fixes within 30 s"),
        Invariant(51, "each allowed stream gets updates within its interval and 10 s"),
        Invariant(52, "exactly the allowed, unexpired conditions within limits are monitored within 60 s"),
        Invariant(53, "leases, decisions and events on disk equal those in memory after 10 min"),
        Invariant(54, "the state can be saved after 10 min"),
        Invariant(55, "a further restart changes nothing that clients see"),
    ]
}

/// Compares what is on the disk with what the daemon has confirmed.
enum StoreJudge {
    /// - Parameter grants: the decisions that the daemon lists.
    static func judge(_ grants: [Grant], in world: World) {
        let decisions = grants.map { [$0.program, $0.authorization.rawValue, $0.accuracy.rawValue] }
        compare("SELECT program, authorization, accuracy FROM permission ORDER BY program", in: world) { rows in
            let listed = decisions.sorted { $0[0] < $1[0] }
            return rows == listed ? nil : "the decisions \(rows) are stored, and \(listed) are listed"
        }
        for case let lease as LeaseProgram in world.actors where lease.isConfirmed { judgeLease(in: world) }
        for case let fences as FenceProgram in world.actors {
            let query =
                "SELECT event.sequence FROM event JOIN monitor ON id = monitor WHERE name = '\(fences.model.name)'"
            compare(query, in: world) { fences.model.problem(of: Set($0.compactMap { Int($0[0]) })) }
        }
    }

    /// The confirmed lease is on the disk.
    static func judgeLease(in world: World) {
        compare("SELECT program FROM lease", in: world) { rows in
            rows.contains([LeaseProgram.program]) ? nil : "the lease of \(LeaseProgram.program) is not stored"
        }
    }

    private static func compare(_ query: String, in world: World, _ problem: ([[String]]) -> String?) {
        switch DatabaseCheck.rows(of: query, from: world.machine.database, in: world.machine.folder) {
        case .success(let rows):
            if let problem = problem(world.breaks(53) ? [] : rows) { world.report(53, problem) }
        case .failure(let failure): world.report(53, "the database cannot be read: \(failure)")
        }
    }
}

extension MonitorModel {
    /// Returns what is wrong with the stored events; nil if nothing.
    fileprivate func problem(of stored: Set<Int>) -> String? {
        for (id, known) in events.sorted(by: { $0.key < $1.key }) where exists(known.event.identifier) {
            if known.acknowledgement == .none, !stored.contains(id) { return "\(name): event \(id) is not stored" }
            if known.acknowledgement == .confirmed, stored.contains(id) {
                return "\(name): event \(id) was acknowledged and is stored"
            }
        }
        return nil
    }
}
