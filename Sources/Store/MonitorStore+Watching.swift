import Chronology
import Geofencing

/// What a program's share of the watch is made up from: its conditions in the order in which they were added, without those that have expired.
extension MonitorStore {
    /// The next of a program's conditions, all its monitors together.
    ///
    /// - Returns: at most `limit`, in order; what cannot be read is left out.
    public func unexpired(of program: String, after id: ConditionID, limit: Int) throws(StoreError) -> [WatchedCondition] {
        let select = try database.prepare(
            """
            SELECT id, monitor, shape, assuming, dwell, expiry, state, since, dwelt FROM condition
            WHERE monitor IN (SELECT id FROM monitor WHERE program = ?1) AND id > ?2 AND state <> 'unmonitored' ORDER BY id LIMIT ?3
            """, "reading conditions from")
        try select.bind(.text(program), .integer(id.rawValue), .integer(Int64(max(0, limit))))
        var conditions: [WatchedCondition] = []
        while try select.step() {
            guard let condition = Condition(select, at: 2), let state = ConditionState(rawValue: select.text(6)) else { continue }
            let standing = StoredStanding(
                state: state, since: select.integerIfAny(7).map { UTCTime(milliseconds: $0) }, hasDwelt: select.integer(8) != 0)
            conditions.append(
                WatchedCondition(
                    id: ConditionID(select.integer(0)), monitor: MonitorID(select.integer(1)), condition: condition, standing: standing))
        }
        return conditions
    }

    /// How many of a program's conditions that have not expired were added no later than `id`.
    public func unexpiredCount(of program: String, upTo id: ConditionID) throws(StoreError) -> Int {
        let select = try database.prepare(
            """
            SELECT count(*) FROM condition
            WHERE monitor IN (SELECT id FROM monitor WHERE program = ?1) AND id <= ?2 AND state <> 'unmonitored'
            """, "counting conditions in")
        return try select.first(.text(program), .integer(id.rawValue)) { Int(clamping: $0.integer(0)) } ?? 0
    }

    /// How many conditions of a monitor have expired or were added after `id`.
    public func unwatchedCount(of monitor: MonitorID, after id: ConditionID) throws(StoreError) -> Int {
        let select = try database.prepare(
            "SELECT count(*) FROM condition WHERE monitor = ?1 AND (id > ?2 OR state = 'unmonitored')", "counting conditions in")
        return try select.first(.integer(monitor.rawValue), .integer(id.rawValue)) { Int(clamping: $0.integer(0)) } ?? 0
    }

    /// How many conditions there are, of all programs.
    public func conditionCount() throws(StoreError) -> Int {
        Int(clamping: try database.integer("SELECT count(*) FROM condition", "counting conditions in"))
    }
}
