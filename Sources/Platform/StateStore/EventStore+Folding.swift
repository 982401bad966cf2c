import SQLite

/// Folding of pending events beyond the limits.
///
/// If a program is away for a long time while the device crosses boundaries, its pending events
/// must not fill the disk. Beyond ``EventStore/maxPending`` events of a monitor, or
/// ``EventStore/maxPendingPerUser`` of a user other than 0, the oldest runs that return a condition
/// to the state after its outstanding event are folded. Such a run is an entry and an exit, or an
/// exit and an entry, with any dwell event in between. The next event of the condition carries
/// their number (``StoredEvent/folded``). The outstanding event and the event behind the current
/// state are never folded. So at most four events per condition remain, and with very many
/// conditions the total can exceed the limit.
extension EventStore {
    /// What a limit of pending events applies to.
    enum FoldingScope: Hashable {
        case monitor(MonitorID)
        /// The user of the programs that own the monitors.
        case user(Int64)
    }

    /// A user can have at most this part of ``maxPendingPerUser`` in monitors with fewer events
    /// than this, so the count of the user's events is not needed before.
    private static let minPendingForUserLimit = 64

    /// Folds events of monitors that got new ones, down to three quarters of the limits, so that
    /// not every event causes folding.
    ///
    /// The limit per user does not apply to the administrator (user 0). Deleted monitors, which
    /// have no program, would also be counted as user 0.
    func foldIfNeeded(_ monitors: [MonitorID]) throws(StoreError) {
        var users: Set<Int64> = []
        for monitor in monitors {
            let pending = try pendingCount(of: monitor)
            if pending > maxPending, pending >= retryCounts[.monitor(monitor)] ?? 0 {
                let rest = pending - (try fold(monitor, atLeast: pending - maxPending / 4 * 3))
                retryCounts[.monitor(monitor)] = rest > maxPending ? rest + maxPending / 16 : nil
            }
            if pending >= min(EventStore.minPendingForUserLimit, maxPendingPerUser / 4),
                let user = try user(of: monitor), user != 0
            {
                users.insert(user)
            }
        }
        for user in users.sorted() { try foldIfNeeded(user: user) }
    }

    private func foldIfNeeded(user: Int64) throws(StoreError) {
        let counts = try pendingCounts(user: user)
        let pending = counts.reduce(0) { $0 + $1.count }
        guard pending > maxPendingPerUser, pending >= retryCounts[.user(user)] ?? 0 else { return }
        var rest = pending
        let target = maxPendingPerUser / 4 * 3
        for (monitor, _) in counts where rest > target { rest -= try fold(monitor, atLeast: rest - target) }
        retryCounts[.user(user)] = rest > maxPendingPerUser ? rest + maxPendingPerUser / 16 : nil
    }

    private func pendingCount(of monitor: MonitorID) throws(StoreError) -> Int {
        let select = try database.prepare("SELECT count(*) FROM event WHERE monitor = ?1", for: "writing events to")
        return try select.first(.integer(monitor.rawValue)) { Int(clamping: $0.integer(0)) } ?? 0
    }

    private func user(of monitor: MonitorID) throws(StoreError) -> Int64? {
        let select = try database.prepare(
            "SELECT \(StorageUse.user) FROM monitor WHERE id = ?1", for: "writing events to")
        return try select.first(.integer(monitor.rawValue)) { $0.integer(0) }
    }

    /// Returns the monitors of a user with their numbers of pending events, greatest first.
    private func pendingCounts(user: Int64) throws(StoreError) -> [(monitor: MonitorID, count: Int)] {
        let select = try database.prepare(
            """
            SELECT id, (SELECT count(*) FROM event WHERE monitor = monitor.id) AS pending FROM monitor
            WHERE \(StorageUse.user) = ?1 ORDER BY pending DESC, id
            """, for: "writing events to")
        return try select.rows(.integer(user)) { (MonitorID($0.integer(0)), Int(clamping: $0.integer(1))) }
    }

    /// Folds the oldest runs of a monitor until `count` events are folded, and returns the number
    /// of folded events.
    private func fold(_ monitor: MonitorID, atLeast count: Int) throws(StoreError) -> Int {
        let key = SQLValue.integer(monitor.rawValue)
        var folded = 0
        for run in try runs(of: key) where folded < count {
            try fold(run, of: key)
            folded += run.sequences.count
        }
        return folded
    }

    /// Folds the events of a monitor that newer events of the same condition supersede. The newest
    /// event of each condition remains, and the oldest if it was sent already.
    ///
    /// - Parameter sent: The sequence number up to which all deliverable events were sent.
    package func foldSuperseded(of monitor: MonitorID, sent: Int64) throws(StoreError) {
        let key = SQLValue.integer(monitor.rawValue)
        let select = try database.prepare(
            """
            SELECT condition, sequence FROM event e WHERE monitor = ?1
                AND EXISTS (SELECT 1 FROM event WHERE condition = e.condition AND sequence > e.sequence)
                AND (sequence > ?2
                    OR EXISTS (SELECT 1 FROM event WHERE condition = e.condition AND sequence < e.sequence))
            ORDER BY condition, sequence
            """, for: "folding events in")
        try select.bind(key, .integer(sent))
        var runs: [Run] = []
        while try select.step() {
            let condition = select.integer(0)
            if runs.last?.condition != condition { runs.append(Run(condition: condition)) }
            runs[runs.count - 1].sequences.append(select.integer(1))
        }
        guard !runs.isEmpty else { return }
        try database.transaction("folding events in") { () throws(StoreError) in
            for run in runs { try fold(run, of: key) }
        }
    }

    /// Consecutive events of one condition that together change nothing, or that a newer event
    /// supersedes.
    private struct Run {
        var condition: Int64
        var sequences: [Int64] = []
    }

    /// Returns the foldable runs, oldest first.
    private func runs(of monitor: SQLValue) throws(StoreError) -> [Run] {
        let select = try database.prepare(
            "SELECT condition, sequence, state FROM event WHERE monitor = ?1 ORDER BY sequence",
            for: "writing events to")
        try select.bind(monitor)
        var runs: [Run] = []
        // For each condition: the state after the outstanding event, and the events since the
        // condition was last in that state.
        var open: [Int64: (start: String, run: Run)] = [:]
        while try select.step() {
            let condition = select.integer(0)
            let sequence = select.integer(1)
            let state = select.text(2)
            guard case (let start, var run)? = open[condition] else {
                open[condition] = (state, Run(condition: condition))
                continue
            }
            run.sequences.append(sequence)
            if state == start {
                runs.append(run)
                run.sequences = []
            }
            open[condition] = (start, run)
        }
        return runs
    }

    private func fold(_ run: Run, of monitor: SQLValue) throws(StoreError) {
        let action: StaticString = "folding events in"
        let condition = SQLValue.integer(run.condition)
        let earlier = try database.prepare("SELECT folded FROM event WHERE monitor = ?1 AND sequence = ?2", for: action)
        let delete = try database.prepare("DELETE FROM event WHERE monitor = ?1 AND sequence = ?2", for: action)
        var total = Int64(run.sequences.count)
        for sequence in run.sequences {
            total += try earlier.first(monitor, .integer(sequence)) { $0.integer(0) } ?? 0
            try delete.run(monitor, .integer(sequence))
        }
        let count = SQLValue.integer(total)
        let next = try database.prepare(
            "SELECT min(sequence) FROM event WHERE condition = ?1 AND sequence > ?2", for: action
        ).first(condition, .integer(run.sequences.last ?? 0)) { $0.integerIfAny(0) }
        if let next = next ?? nil {
            try database.prepare(
                "UPDATE event SET folded = folded + ?3 WHERE monitor = ?1 AND sequence = ?2", for: action
            )
            .run(monitor, .integer(next), count)
        } else {
            try database.prepare("UPDATE condition SET folded = folded + ?2 WHERE id = ?1", for: action).run(
                condition, count)
        }
    }
}
