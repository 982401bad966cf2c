import CSQLite
import Chronology
import Geofencing
import SQLite

/// Records of conditions for their program.
extension MonitorStore {
    /// Returns conditions of a monitor by identifier, in byte order.
    ///
    /// - Parameters:
    ///   - after: The identifier after which to begin; nil to begin at the first.
    ///   - limit: The largest number of records to return.
    ///   - size: Returns the size of a record. Reading ends with the record that reaches `maxSize`.
    ///   - maxSize: The size at which reading ends.
    /// - Returns: The records, and whether there may be more.
    package func records(
        of monitor: MonitorID, after: String? = nil, limit: Int, maxSize: Int = .max,
        size: (StoredCondition) -> Int = { _ in 0 }
    ) throws(StoreError) -> (records: [StoredCondition], hasMore: Bool) {
        let select = try database.prepare(
            RecordReader.columns
                + " WHERE monitor = ?1 AND (?2 IS NULL OR identifier > ?2) ORDER BY identifier LIMIT ?3",
            for: "listing conditions in")
        // One row more than wanted shows that there are more.
        try select.bind(.integer(monitor.rawValue), .text(after), .integer(Int64(max(0, limit)) + 1))
        let reader = try RecordReader(database)
        var records: [StoredCondition] = []
        var total = 0
        while try select.step() {
            if records.count >= limit || total >= maxSize { return (records, true) }
            let record = try reader.record(select)
            total += size(record)
            records.append(record)
        }
        return (records, false)
    }

    /// Returns the record of one condition; nil if the identifier is unknown.
    package func record(for identifier: String, of monitor: MonitorID) throws(StoreError) -> StoredCondition? {
        let select = try database.prepare(
            RecordReader.columns + " WHERE monitor = ?1 AND identifier = ?2", for: "reading a condition from")
        return try select.first(.integer(monitor.rawValue), .text(identifier)) { row throws(StoreError) in
            try RecordReader(database).record(row)
        }
    }

    /// Returns the name and the stored form of a condition and its monitor; nil if the condition
    /// was removed.
    package func added(_ id: ConditionID) throws(StoreError) -> (condition: NewCondition, monitor: MonitorID)? {
        let select = try database.prepare(
            "SELECT identifier, shape, assuming, dwell, expiry, metadata, monitor FROM condition WHERE id = ?1",
            for: "reading a condition from")
        try select.bind(.integer(id.rawValue))
        guard try select.step(), let condition = FenceCondition(select, at: 1) else { return nil }
        return (NewCondition(select.text(0), condition, metadata: select.textIfAny(5)), MonitorID(select.integer(6)))
    }

    /// Returns the size of a condition in the file; nil if the identifier is unknown.
    package func bytes(of identifier: String, in monitor: MonitorID) throws(StoreError) -> Int? {
        let select = try database.prepare(
            "SELECT \(StorageUse.conditionBytes) FROM condition WHERE monitor = ?1 AND identifier = ?2",
            for: "measuring")
        return try select.first(.integer(monitor.rawValue), .text(identifier)) { Int(clamping: $0.integer(0)) }
    }

    /// Returns the identifier, metadata and monitor of a condition; nil if the condition was
    /// removed.
    package func name(of condition: ConditionID) throws(StoreError) -> (
        identifier: String, metadata: String?, monitor: MonitorID
    )? {
        let select = try database.prepare(
            "SELECT identifier, metadata, monitor FROM condition WHERE id = ?1", for: "reading a condition from")
        return try select.first(.integer(condition.rawValue)) {
            ($0.text(0), $0.textIfAny(1), MonitorID($0.integer(2)))
        }
    }
}

/// The statements for reading records, compiled once per page.
private final class RecordReader {
    static let columns =
        """
        SELECT id, identifier, shape, assuming, dwell, expiry, metadata, state, since, dwelt, coalesce(ordinal, id),
            added
        FROM condition
        """

    let path: String
    let pendingCount: Statement
    let firstPending: Statement
    let handled: Statement

    init(_ database: Database) throws(StoreError) {
        path = database.path
        pendingCount = try database.prepare(
            "SELECT count(*) FROM event WHERE condition = ?1", for: "counting events in")
        firstPending = try database.prepare(RecordReader.event(in: "event"), for: "reading an event from")
        handled = try database.prepare(RecordReader.event(in: "handled"), for: "reading an event from")
    }

    private static func event(in table: String) -> String {
        """
        SELECT sequence, condition, (SELECT identifier FROM condition WHERE id = ?1), \(EventColumns.names)
        FROM \(table)
        WHERE condition = ?1 ORDER BY sequence LIMIT 1
        """
    }

    func record(_ row: borrowing Statement) throws(StoreError) -> StoredCondition {
        let id = SQLValue.integer(row.integer(0))
        guard let condition = FenceCondition(row, at: 2), let state = ConditionState(rawValue: row.text(7)) else {
            throw StoreError(
                "reading condition \(row.text(1)) from \(path)", reason: "the stored condition is invalid",
                code: SQLITE_CORRUPT
            )
        }
        let snapshot = StoredConditionState(
            state: state, since: row.integerIfAny(8).map { UTCTime(milliseconds: $0) }, hasDwelt: row.integer(9) != 0)
        let count = try pendingCount.first(id) { Int(clamping: $0.integer(0)) } ?? 0
        let lastAcknowledged = try handled.first(id) { row throws(StoreError) in try EventColumns.event(row) }
        let next =
            count == 0 ? nil : try firstPending.first(id) { row throws(StoreError) in try EventColumns.event(row) }
        return StoredCondition(
            id: ConditionID(row.integer(0)), ordinal: ConditionOrdinal(row.integer(10)),
            added: NewCondition(row.text(1), condition, metadata: row.textIfAny(6)),
            date: row.integerIfAny(11).map { UTCTime(milliseconds: $0) }, snapshot: snapshot,
            lastAcknowledged: lastAcknowledged, nextEvent: next, furtherPending: max(0, count - 1))
    }
}
