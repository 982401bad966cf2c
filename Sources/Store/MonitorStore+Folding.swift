import Geofencing

/// Folding of pending events beyond the limit.
///
/// If a program is away for a long time while the device crosses boundaries, its pending events
/// must not fill the disk. Beyond ``MonitorStore/maxWaiting`` events, the oldest runs that return a
/// condition to the state after its outstanding event are folded. Such a run is an entry and an
/// exit, or an exit and an entry, with any dwell event in between. The next event of the condition
/// carries their number (``StoredEvent/folded``). The outstanding event and the event behind the
/// current state are never folded. So at most four events per condition remain, and with very many
/// conditions the total can exceed the limit.
extension MonitorStore {
    /// Folds down to three quarters of the limit, so that not every event causes folding.
    func foldIfNeeded(_ monitor: MonitorID) throws(StoreError) {
        let key = SQLValue.integer(monitor.rawValue)
        let waiting =
            try database.prepare("SELECT count(*) FROM event WHERE monitor = ?1", "writing events to")
            .first(key) { Int(clamping: $0.integer(0)) } ?? 0
        guard waiting > maxWaiting, waiting >= foldAgain[monitor] ?? 0 else { return }
        var rest = waiting
        for run in try runs(of: key) where rest > maxWaiting / 4 * 3 {
            try fold(run, of: key)
            rest -= run.sequences.count
        }
        foldAgain[monitor] = rest > maxWaiting ? rest + maxWaiting / 16 : nil
    }

    /// Consecutive events of one condition that together change nothing.
    private struct Run {
        var condition: Int64
        var sequences: [Int64] = []
    }

    /// Returns the foldable runs, oldest first.
    private func runs(of monitor: SQLValue) throws(StoreError) -> [Run] {
        let select = try database.prepare(
            "SELECT condition, sequence, state FROM event WHERE monitor = ?1 ORDER BY sequence", "writing events to")
        try select.bind(monitor)
        var runs: [Run] = []
        // For each condition: the state after the outstanding event, and the events since the
        // condition was last in that state.
        var open: [Int64: (start: String, run: Run)] = [:]
        while try select.step() {
            let (condition, sequence, state) = (select.integer(0), select.integer(1), select.text(2))
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
        let earlier = try database.prepare("SELECT folded FROM event WHERE monitor = ?1 AND sequence = ?2", action)
        let delete = try database.prepare("DELETE FROM event WHERE monitor = ?1 AND sequence = ?2", action)
        var total = Int64(run.sequences.count)
        for sequence in run.sequences {
            total += try earlier.first(monitor, .integer(sequence)) { $0.integer(0) } ?? 0
            try delete.run(monitor, .integer(sequence))
        }
        let count = SQLValue.integer(total)
        let next = try database.prepare(
            "SELECT min(sequence) FROM event WHERE condition = ?1 AND sequence > ?2", action
        ).first(condition, .integer(run.sequences.last ?? 0)) { $0.integerIfAny(0) }
        if let next = next ?? nil {
            try database.prepare("UPDATE event SET folded = folded + ?3 WHERE monitor = ?1 AND sequence = ?2", action)
                .run(monitor, .integer(next), count)
        } else {
            try database.prepare("UPDATE condition SET folded = folded + ?2 WHERE id = ?1", action).run(
                condition, count)
        }
    }
}
