import CSQLite
import Chronology
import Geofencing

/// Records of conditions for their program.
extension MonitorStore {
    /// Returns the conditions of a monitor by identifier, in byte order.
    ///
    /// - Parameters:
    ///   - after: The identifier after which to begin; nil to begin at the first.
    ///   - limit: The largest number of records to return.
    package func records(of monitor: MonitorID, after: String? = nil, limit: Int) throws(StoreError)
        -> [ConditionRecord]
    {
        let select = try database.prepare(
            MonitorStore.record
                + " WHERE monitor = ?1 AND (?2 IS NULL OR identifier > ?2) ORDER BY identifier LIMIT ?3",
            "listing conditions in")
        try select.bind(.integer(monitor.rawValue), .text(after), .integer(Int64(max(0, limit))))
        var records: [ConditionRecord] = []
        while try select.step() { records.append(try record(select)) }
        return records
    }

    /// Returns the record of one condition; nil if the identifier is unknown.
    package func record(for identifier: String, of monitor: MonitorID) throws(StoreError) -> ConditionRecord? {
        let select = try database.prepare(
            MonitorStore.record + " WHERE monitor = ?1 AND identifier = ?2", "reading a condition from")
        return try select.first(.integer(monitor.rawValue), .text(identifier)) { row throws(StoreError) in
            try record(row)
        }
    }

    /// Returns the identifier, metadata and monitor of a condition; nil if the condition was
    /// removed.
    package func name(of condition: ConditionID) throws(StoreError) -> (
        identifier: String, metadata: String?, monitor: MonitorID
    )? {
        let select = try database.prepare(
            "SELECT identifier, metadata, monitor FROM condition WHERE id = ?1", "reading a condition from")
        return try select.first(.integer(condition.rawValue)) {
            ($0.text(0), $0.textIfAny(1), MonitorID($0.integer(2)))
        }
    }

    private static let record =
        """
        SELECT id, identifier, shape, assuming, dwell, expiry, metadata, state, since, dwelt, coalesce(ordinal, id)
        FROM condition
        """

    private func record(_ row: borrowing Statement) throws(StoreError) -> ConditionRecord {
        let id = ConditionID(row.integer(0))
        guard let condition = Condition(row, at: 2), let state = ConditionState(rawValue: row.text(7)) else {
            throw StoreError(
                "reading condition \(row.text(1)) from \(database.path)", "the stored condition is invalid",
                code: SQLITE_CORRUPT)
        }
        let snapshot = StoredConditionState(
            state: state, since: row.integerIfAny(8).map { UTCTime(milliseconds: $0) }, hasDwelt: row.integer(9) != 0)
        let count =
            try database.prepare("SELECT count(*) FROM event WHERE condition = ?1", "counting events in")
            .first(.integer(id.rawValue)) { Int(clamping: $0.integer(0)) } ?? 0
        return ConditionRecord(
            id: id, ordinal: ConditionOrdinal(row.integer(10)),
            added: NewCondition(row.text(1), condition, metadata: row.textIfAny(6)), snapshot: snapshot,
            lastHandled: try event(of: id, in: "handled"), nextEvent: count == 0 ? nil : try event(of: id, in: "event"),
            waiting: max(0, count - 1))
    }

    private func event(of id: ConditionID, in table: String) throws(StoreError) -> StoredEvent? {
        let select = try database.prepare(
            """
            SELECT sequence, condition, (SELECT identifier FROM condition WHERE id = ?1), \(EventColumns.names) FROM \(table)
            WHERE condition = ?1 ORDER BY sequence LIMIT 1
            """, "reading an event from")
        return try select.first(.integer(id.rawValue)) { row throws(StoreError) in try EventColumns.event(row) }
    }
}
