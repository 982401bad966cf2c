import CSQLite
import Chronology
import Geofencing

/// Events on their way to those who wait for them.
extension MonitorStore {
    /// Writes events down, in this order, and how their conditions stand by them; all or none. Those of conditions that are gone are not
    /// written.
    ///
    /// - Parameter recorded: now, by the host's clock.
    /// - Returns: the monitors that have news.
    public func append(_ events: [ConditionEvent], recorded: UTCTime) throws(StoreError) -> Set<MonitorID> {
        try append(events.map { PendingEvent($0, recorded: recorded) }, standings: [])
    }

    /// The same, with what was held and how conditions stand that changed afterwards without an event.
    func append(_ events: [PendingEvent], standings: [(ConditionID, StoredStanding)]) throws(StoreError) -> Set<MonitorID> {
        guard !events.isEmpty else {
            try remember(standings)
            return []
        }
        return try database.transaction("writing events to") { () throws(StoreError) in
            let writer = try EventWriter(database)
            var sequences: [MonitorID: Int64] = [:]
            for event in events { try writer.write(event, &sequences) }
            try writer.write(sequences)
            try writeStandings(standings)
            for monitor in sequences.keys.sorted() { try foldIfNeeded(monitor) }
            return Set(sequences.keys)
        }
    }

    /// Events of a monitor that may be delivered, in order: of each condition the first that has not been acknowledged. Those behind it wait
    /// until it has been.
    ///
    /// - Parameters:
    ///   - after: the sequence after which to begin.
    ///   - limit: how many at most.
    public func outstanding(of monitor: MonitorID, after: Int64 = 0, limit: Int) throws(StoreError) -> [StoredEvent] {
        let select = try database.prepare(
            """
            SELECT sequence, condition, (SELECT identifier FROM condition WHERE id = e.condition), \(EventColumns.names) FROM event e
            WHERE monitor = ?1 AND sequence > ?2
                AND NOT EXISTS (SELECT 1 FROM event WHERE condition = e.condition AND sequence < e.sequence)
            ORDER BY sequence LIMIT ?3
            """, "reading events from")
        try select.bind(.integer(monitor.rawValue), .integer(after), .integer(Int64(max(0, limit))))
        var events: [StoredEvent] = []
        while try select.step() { events.append(try EventColumns.event(select)) }
        return events
    }

    /// What an acknowledgement has done.
    public struct Acknowledgement: Sendable, Equatable {
        /// How many had not been acknowledged before.
        public var count: Int
        /// What waited behind them and may be delivered now, in order. A server that reads on with ``MonitorStore/outstanding(of:after:limit:)``
        /// meets those that come after its mark again, and has to send only the others from here.
        public var next: [StoredEvent]
    }

    /// These events have been dealt with; those that are not known are no error. Each becomes the last handled one of its condition.
    ///
    /// Only what may be delivered can be acknowledged: a number that stands for an event behind another one is not taken.
    public func acknowledge(_ sequences: [Int64], of monitor: MonitorID) throws(StoreError) -> Acknowledgement {
        let action: StaticString = "acknowledging events in"
        let heads = try outstandingHeads(among: sequences, of: monitor)
        guard !heads.isEmpty else { return Acknowledgement(count: 0, next: []) }
        try database.transaction(action) { () throws(StoreError) in
            let keep = try database.prepare(
                """
                REPLACE INTO handled (condition, sequence, \(EventColumns.names))
                SELECT condition, sequence, \(EventColumns.names) FROM event WHERE monitor = ?1 AND sequence = ?2
                """, action)
            let delete = try database.prepare("DELETE FROM event WHERE monitor = ?1 AND sequence = ?2", action)
            for head in heads {
                try keep.run(.integer(monitor.rawValue), .integer(head.sequence))
                try delete.run(.integer(monitor.rawValue), .integer(head.sequence))
            }
        }
        foldAgain[monitor] = nil
        let first = try database.prepare(
            """
            SELECT sequence, condition, (SELECT identifier FROM condition WHERE id = ?1), \(EventColumns.names) FROM event
            WHERE condition = ?1 ORDER BY sequence LIMIT 1
            """, action)
        var next: [StoredEvent] = []
        for head in heads {
            let row = try first.first(.integer(head.condition)) { row throws(StoreError) in try EventColumns.event(row) }
            if let row { next.append(row) }
        }
        return Acknowledgement(count: heads.count, next: next.sorted { $0.sequence < $1.sequence })
    }

    private func outstandingHeads(
        among sequences: [Int64], of monitor: MonitorID
    ) throws(StoreError) -> [(sequence: Int64, condition: Int64)] {
        let select = try database.prepare(
            """
            SELECT condition FROM event e WHERE monitor = ?1 AND sequence = ?2
                AND NOT EXISTS (SELECT 1 FROM event WHERE condition = e.condition AND sequence < e.sequence)
            """, "acknowledging events in")
        var heads: [(Int64, Int64)] = []
        for sequence in Set(sequences).sorted() {
            let condition = try select.first(.integer(monitor.rawValue), .integer(sequence)) { $0.integer(0) }
            if let condition { heads.append((sequence, condition)) }
        }
        return heads
    }
}

/// Compiled once for the events of a turn.
private final class EventWriter {
    let condition: Statement
    let monitor: Statement
    let insert: Statement
    let stand: Statement
    let advance: Statement

    init(_ database: Database) throws(StoreError) {
        let action: StaticString = "writing events to"
        condition = try database.prepare("SELECT monitor, folded FROM condition WHERE id = ?1", action)
        monitor = try database.prepare("SELECT sequence FROM monitor WHERE id = ?1", action)
        insert = try database.prepare(
            """
            INSERT INTO event (monitor, sequence, condition, \(EventColumns.names))
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)
            """, action)
        // Dwelling changes no state. A coming in that is new may be dwelt upon anew; one that only seemed to end may not.
        stand = try database.prepare(
            """
            UPDATE condition SET state = ?2, since = CASE ?3 WHEN 'dwelt' THEN since ELSE ?4 END, folded = 0,
                dwelt = CASE ?3 WHEN 'dwelt' THEN 1 WHEN 'entered' THEN 0 WHEN 'determined' THEN 0 ELSE dwelt END
            WHERE id = ?1
            """, action)
        advance = try database.prepare("UPDATE monitor SET sequence = ?2 WHERE id = ?1", action)
    }

    func write(_ pending: PendingEvent, _ sequences: inout [MonitorID: Int64]) throws(StoreError) {
        let event = pending.event
        let id = SQLValue.integer(event.condition.rawValue)
        guard let (owner, folded) = try condition.first(id, read: { (MonitorID($0.integer(0)), $0.integer(1)) }) else { return }
        let key = SQLValue.integer(owner.rawValue)
        let last: Int64
        if let known = sequences[owner] { last = known } else { last = try monitor.first(key) { $0.integer(0) } ?? 0 }
        sequences[owner] = last &+ 1
        try insert.run(
            [key, .integer(last &+ 1), id]
                + EventColumns.values(of: event, recorded: pending.recorded, folded: folded &+ Int64(pending.folded)))
        try stand.run(id, .text(event.state.rawValue), .text(event.kind.rawValue), .integer(event.date?.milliseconds))
    }

    func write(_ sequences: [MonitorID: Int64]) throws(StoreError) {
        for (monitor, sequence) in sequences { try advance.run(.integer(monitor.rawValue), .integer(sequence)) }
    }
}
