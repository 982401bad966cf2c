import CSQLite
import Chronology
import Geofencing

/// Conditions come and go.
extension MonitorStore {
    /// Adds conditions, all or none.
    ///
    /// One whose identifier is there takes the place of the old one, and events of that which were not acknowledged are dropped with it, as
    /// `CLMonitor.add` replaces the record. One that is the same as the old one is left alone: programs that add their conditions at each
    /// start lose nothing by it, and wear no flash.
    ///
    /// - Returns: for each of the batch, what became of it.
    /// - Throws: `StoreError`, ``StoreError/Trouble/refused`` for metadata that are too long or a monitor that is not there.
    public func add(_ batch: [NewCondition], to monitor: MonitorID) throws(StoreError) -> [Addition] {
        for new in batch where (new.metadata?.utf8.count ?? 0) > MonitorStore.mostMetadata {
            throw StoreError("adding \(new.identifier)", "its metadata are longer than \(MonitorStore.mostMetadata) bytes")
        }
        guard !batch.isEmpty else { return [] }
        return try database.transaction("adding conditions to") { () throws(StoreError) in
            let writer = try ConditionWriter(database, monitor)
            var additions: [Addition] = []
            additions.reserveCapacity(batch.count)
            for new in batch { additions.append(try writer.add(new)) }
            return additions
        }
    }

    /// Removes conditions and what waits of them; those that are not there are no error.
    ///
    /// - Returns: those that were there.
    public func remove(_ identifiers: [String], from monitor: MonitorID) throws(StoreError) -> [ConditionID] {
        let select = try database.prepare("SELECT id FROM condition WHERE monitor = ?1 AND identifier = ?2", "removing conditions from")
        var ids: Set<ConditionID> = []
        for identifier in identifiers {
            if let id = try select.first(.integer(monitor.rawValue), .text(identifier), read: { ConditionID($0.integer(0)) }) {
                ids.insert(id)
            }
        }
        guard !ids.isEmpty else { return [] }
        try database.transaction("removing conditions from") { () throws(StoreError) in
            let delete = try database.prepare("DELETE FROM condition WHERE id = ?1", "removing conditions from")
            for id in ids { try delete.run(.integer(id.rawValue)) }
        }
        return ids.sorted()
    }

    /// Writes down how conditions stand where there was no event, as after a first determination that agrees with what was assumed.
    public func remember(_ standings: [(ConditionID, StoredStanding)]) throws(StoreError) {
        guard !standings.isEmpty else { return }
        try database.transaction("writing states to") { () throws(StoreError) in try writeStandings(standings) }
    }

    /// Within a transaction.
    func writeStandings(_ standings: [(ConditionID, StoredStanding)]) throws(StoreError) {
        guard !standings.isEmpty else { return }
        let update = try database.prepare(
            "UPDATE condition SET state = ?2, since = ?3, dwelt = ?4 WHERE id = ?1 AND (state, since, dwelt) IS NOT (?2, ?3, ?4)",
            "writing states to")
        for (id, standing) in standings {
            try update.run(
                .integer(id.rawValue), .text(standing.state.rawValue), .integer(standing.since?.milliseconds),
                .integer(standing.hasDwelt ? 1 : 0))
        }
    }

    /// Hands over every condition of every monitor, in the order in which they were added, one after the other: for the start.
    ///
    /// - Returns: identifiers of those that could not be read, with the row; they stay where they are.
    public func forEachCondition(_ body: (WatchedCondition) -> Void) throws(StoreError) -> [(ConditionID, identifier: String)] {
        let select = try database.prepare(
            "SELECT id, monitor, identifier, shape, assuming, dwell, expiry, state, since, dwelt FROM condition ORDER BY id",
            "reading conditions from")
        defer { database.releaseMemory() }
        var unread: [(ConditionID, identifier: String)] = []
        while try select.step() {
            let id = ConditionID(select.integer(0))
            guard let condition = Condition(select, at: 3), let state = ConditionState(rawValue: select.text(7)) else {
                unread.append((id, select.text(2)))
                continue
            }
            let standing = StoredStanding(
                state: state, since: select.integerIfAny(8).map { UTCTime(milliseconds: $0) }, hasDwelt: select.integer(9) != 0)
            body(WatchedCondition(id: id, monitor: MonitorID(select.integer(1)), condition: condition, standing: standing))
        }
        return unread
    }
}

/// Compiled once for a batch.
private final class ConditionWriter {
    let database: Database
    let monitor: SQLValue
    let select: Statement
    let delete: Statement
    let insert: Statement
    let update: Statement

    init(_ database: Database, _ monitor: MonitorID) throws(StoreError) {
        let action: StaticString = "adding conditions to"
        self.database = database
        self.monitor = .integer(monitor.rawValue)
        select = try database.prepare(
            "SELECT id, shape, assuming, dwell, expiry, metadata FROM condition WHERE monitor = ?1 AND identifier = ?2", action)
        delete = try database.prepare("DELETE FROM condition WHERE id = ?1", action)
        insert = try database.prepare(
            """
            INSERT INTO condition (monitor, identifier, shape, assuming, dwell, expiry, metadata, state)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'unknown')
            """, action)
        update = try database.prepare("UPDATE condition SET metadata = ?2 WHERE id = ?1", action)
    }

    func add(_ new: NewCondition) throws(StoreError) -> Addition {
        let old = try select.first(monitor, .text(new.identifier)) { row in
            (id: ConditionID(row.integer(0)), isSame: Condition(row, at: 1) == new.condition, metadata: row.textIfAny(5))
        }
        if let old, old.isSame {
            if old.metadata != new.metadata { try update.run(.integer(old.id.rawValue), .text(new.metadata)) }
            return .kept(old.id)
        }
        if let old { try delete.run(.integer(old.id.rawValue)) }
        let condition = new.condition
        try insert.run(
            monitor, .text(new.identifier), .bytes(condition.shape.bytes), .text(condition.assuming.rawValue),
            .integer(condition.dwell?.nanoseconds), .integer(condition.expiry?.milliseconds), .text(new.metadata))
        let id = ConditionID(database.lastRow)
        return if let old { .replaced(old.id, id) } else { .added(id) }
    }
}

extension Condition {
    /// From the columns `shape`, `assuming`, `dwell` and `expiry`; nil when they are not what was written.
    init?(_ row: borrowing Statement, at first: Int32) {
        guard let shape = row.withBytes(first, { FenceShape(bytes: $0) }), let assuming = ConditionState(rawValue: row.text(first + 1))
        else {
            return nil
        }
        self.init(
            shape: shape, assuming: assuming, dwell: row.integerIfAny(first + 2).map { Instant.Span(nanoseconds: $0) },
            expiry: row.integerIfAny(first + 3).map { UTCTime(milliseconds: $0) })
    }
}
