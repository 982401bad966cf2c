import CSQLite
import Chronology
import Geofencing
import SQLite

/// Adding and removing conditions.
extension MonitorStore {
    /// Adds all conditions of a batch, or none.
    ///
    /// A condition with a known identifier replaces the old condition and drops its unacknowledged
    /// events, as `CLMonitor.add` replaces the record. It keeps the old condition's place among
    /// those of the program, unless that has expired. A condition equal to the old one changes
    /// nothing. So programs that add their conditions at each start lose no events and cause no
    /// flash wear.
    ///
    /// - Parameter date: The host's time.
    /// - Returns: The result for each condition of the batch.
    /// - Throws: `StoreError`, ``StoreError/Kind/refused`` if metadata are too long or the
    ///   monitor does not exist.
    package func add(
        _ batch: [NewCondition], to monitor: MonitorID, at date: UTCTime? = nil
    ) throws(StoreError) -> [AdditionResult] {
        for new in batch where (new.metadata?.utf8.count ?? 0) > MonitorStore.maxMetadata {
            throw StoreError(
                "adding \(new.identifier)",
                reason: "its metadata exceed \(MonitorStore.maxMetadata) bytes; shorten them")
        }
        guard !batch.isEmpty else { return [] }
        let user = try user(of: monitor)
        let (additions, change) = try database.transaction("adding conditions to") { () throws(StoreError) in
            let writer = try ConditionWriter(database, monitor: monitor, date: date)
            var additions: [AdditionResult] = []
            additions.reserveCapacity(batch.count)
            for new in batch { additions.append(try writer.add(new)) }
            return (additions, writer.change)
        }
        accounts.add(change, of: user)
        return additions
    }

    /// Removes conditions and their pending events. Unknown identifiers are not an error.
    ///
    /// - Returns: The conditions that were removed.
    package func remove(_ identifiers: [String], from monitor: MonitorID) throws(StoreError) -> [ConditionID] {
        let select = try database.prepare(
            "SELECT id, \(StorageUse.conditionBytes) FROM condition WHERE monitor = ?1 AND identifier = ?2",
            for: "removing conditions from")
        var ids: Set<ConditionID> = []
        var change = StorageUse()
        for identifier in try known(among: identifiers, of: monitor) {
            let found = try select.first(.integer(monitor.rawValue), .text(identifier)) {
                (id: ConditionID($0.integer(0)), bytes: Int(clamping: $0.integer(1)))
            }
            guard let found, ids.insert(found.id).inserted else { continue }
            change.conditions -= 1
            change.bytes -= found.bytes
        }
        guard !ids.isEmpty else { return [] }
        let user = try user(of: monitor)
        try database.transaction("removing conditions from") { () throws(StoreError) in
            let delete = try database.prepare("DELETE FROM condition WHERE id = ?1", for: "removing conditions from")
            for id in ids { try delete.run(.integer(id.rawValue)) }
        }
        accounts.add(change, of: user)
        return ids.sorted()
    }
}

extension MonitorStore {
    /// Returns identifiers without those that the monitor does not have, if there are more of them
    /// than conditions. A call can name thousands.
    private func known(among identifiers: [String], of monitor: MonitorID) throws(StoreError) -> [String] {
        let select = try database.prepare(
            "SELECT identifier FROM condition WHERE monitor = ?1 LIMIT ?2", for: "removing conditions from")
        let known = Set(
            try select.rows(.integer(monitor.rawValue), .integer(Int64(identifiers.count))) { $0.text(0) })
        return known.count < identifiers.count ? identifiers.filter(known.contains) : identifiers
    }
}

/// The statements for adding conditions, compiled once per batch.
private final class ConditionWriter {
    let database: Database
    let monitor: SQLValue
    let date: SQLValue
    let select: Statement
    let delete: Statement
    let insert: Statement
    let update: Statement
    let size: Statement
    /// The change of the user's storage by the conditions added so far.
    private(set) var change = StorageUse()

    init(_ database: Database, monitor: MonitorID, date: UTCTime?) throws(StoreError) {
        let action: StaticString = "adding conditions to"
        self.database = database
        self.monitor = .integer(monitor.rawValue)
        self.date = .integer(date?.milliseconds)
        select = try database.prepare(
            """
            SELECT id, shape, assuming, dwell, expiry, metadata,
                CASE state WHEN 'unmonitored' THEN NULL ELSE coalesce(ordinal, id) END, \(StorageUse.conditionBytes)
            FROM condition WHERE monitor = ?1 AND identifier = ?2
            """, for: action)
        delete = try database.prepare("DELETE FROM condition WHERE id = ?1", for: action)
        insert = try database.prepare(
            """
            INSERT INTO condition (monitor, identifier, shape, assuming, dwell, expiry, metadata, ordinal, added, state)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'unknown')
            """, for: action)
        update = try database.prepare("UPDATE condition SET metadata = ?2 WHERE id = ?1", for: action)
        size = try database.prepare("SELECT \(StorageUse.conditionBytes) FROM condition WHERE id = ?1", for: action)
    }

    func add(_ new: NewCondition) throws(StoreError) -> AdditionResult {
        let old = try select.first(monitor, .text(new.identifier)) { row in
            (
                id: ConditionID(row.integer(0)), isSame: FenceCondition(row, at: 1) == new.condition,
                metadata: row.textIfAny(5), ordinal: row.integerIfAny(6), bytes: Int(clamping: row.integer(7))
            )
        }
        if let old, old.isSame {
            if old.metadata != new.metadata {
                try update.run(.integer(old.id.rawValue), .text(new.metadata))
                change.bytes += try bytes(of: old.id) - old.bytes
            }
            return .unchanged(old.id)
        }
        if let old { try delete.run(.integer(old.id.rawValue)) }
        let condition = new.condition
        try insert.run(
            monitor, .text(new.identifier), .bytes(condition.subject.bytes), .text(condition.assuming.rawValue),
            .integer(condition.dwell?.nanoseconds), .integer(condition.expiry?.milliseconds), .text(new.metadata),
            .integer(old?.ordinal ?? nil), date)
        let id = ConditionID(database.lastRow)
        change.conditions += old == nil ? 1 : 0
        change.bytes += try bytes(of: id) - (old?.bytes ?? 0)
        return if let old { .replaced(old.id, id) } else { .added(id) }
    }

    private func bytes(of id: ConditionID) throws(StoreError) -> Int {
        try size.first(.integer(id.rawValue)) { Int(clamping: $0.integer(0)) } ?? 0
    }
}

extension FenceCondition {
    /// Reads the columns `shape`, `assuming`, `dwell` and `expiry`; nil if they are invalid.
    init?(_ row: borrowing Statement, at first: Int32) {
        guard let subject = row.withBytes(first, { ConditionSubject(bytes: $0) }),
            let assuming = ConditionState(rawValue: row.text(first + 1))
        else {
            return nil
        }
        self.init(subject, expiry: row.integerIfAny(first + 3).map { UTCTime(milliseconds: $0) })
        self.assuming = assuming
        dwell = row.integerIfAny(first + 2).map { Instant.Span(nanoseconds: $0) }
    }
}
