import CSQLite
import Chronology
import Geofencing
import SQLite

/// The events of all monitors that are not acknowledged yet.
///
/// Every operation is one transaction: when it returns, its changes are on disk, and when it
/// throws, nothing has changed.
package final class EventStore {
    /// The default limit of pending events per monitor, beyond which events are folded
    /// (`EventStore+Folding`).
    package static let maxPending = 4096
    /// The default limit of pending events of all monitors of one user, beyond which events are
    /// folded. Each occupies about 300 bytes.
    package static let maxPendingPerUser = 16_384

    package let database: Database
    /// The limit of pending events per monitor.
    let maxPending: Int
    /// The limit of pending events per user.
    let maxPendingPerUser: Int
    /// The number of pending events at which folding is tried again, for monitors and users for
    /// which it did not reach the limit.
    var retryCounts: [FoldingScope: Int] = [:]

    /// Creates a store on `database`.
    init(_ database: Database, maxPending: Int, maxPendingPerUser: Int) {
        self.database = database
        self.maxPending = maxPending
        self.maxPendingPerUser = maxPendingPerUser
    }
}

/// Recording, reading and acknowledging events.
extension EventStore {
    /// Records all events in this order with the new states of their conditions, or none. Events of
    /// removed conditions are skipped.
    ///
    /// - Parameter recorded: The host's time.
    /// - Returns: The monitors with new events.
    package func append(_ events: [ConditionEvent], recorded: UTCTime) throws(StoreError) -> Set<MonitorID> {
        try append(events.map { UnsavedEvent($0, recorded: recorded) }, snapshots: [])
    }

    /// Records events that were held in memory, and the states of conditions that changed later
    /// without an event.
    ///
    /// - Parameter mayBeStored: Whether an earlier attempt may have stored events, which are then
    ///   not stored again, even if they were sent and acknowledged since.
    func append(
        _ events: [UnsavedEvent], snapshots: [(ConditionID, StoredConditionState)], mayBeStored: Bool = false
    ) throws(StoreError) -> Set<MonitorID> {
        guard !events.isEmpty else {
            try saveStates(snapshots)
            return []
        }
        return try database.transaction("writing events to") { () throws(StoreError) in
            let writer = try EventWriter(database)
            var sequences: [MonitorID: Int64] = [:]
            // All are compared before one is written, because two of them may be equal. Before one
            // that is stored, all of its condition are, or were and are acknowledged.
            var new: [UnsavedEvent] = []
            var stored: Set<ConditionID> = []
            for event in events.reversed() {
                if mayBeStored, let (monitor, last) = try writer.stored(event) {
                    sequences[monitor] = last
                    stored.insert(event.event.condition)
                } else if !stored.contains(event.event.condition) {
                    new.append(event)
                }
            }
            for event in new.reversed() { try writer.write(event, advancing: &sequences) }
            try writer.save(sequences)
            try writeStates(snapshots)
            try foldIfNeeded(sequences.keys.sorted())
            return Set(sequences.keys)
        }
    }

    /// Returns the deliverable events of a monitor in order: the oldest unacknowledged event of
    /// each condition. Later events of a condition become deliverable once it is acknowledged.
    ///
    /// - Parameters:
    ///   - after: The sequence number after which to begin.
    ///   - limit: The largest number of events to return.
    package func deliverableEvents(of monitor: MonitorID, after: Int64 = 0, limit: Int) throws(StoreError)
        -> [StoredEvent]
    {
        let select = try database.prepare(
            """
            SELECT sequence, condition, (SELECT identifier FROM condition WHERE id = e.condition), \(EventColumns.names)
            FROM event e
            WHERE monitor = ?1 AND sequence > ?2
                AND NOT EXISTS (SELECT 1 FROM event WHERE condition = e.condition AND sequence < e.sequence)
            ORDER BY sequence LIMIT ?3
            """, for: "reading events from")
        return try select.rows(
            .integer(monitor.rawValue), .integer(after), .integer(Int64(max(0, limit))), read: EventColumns.event)
    }

    /// Returns the unacknowledged events of a monitor in order, deliverable or not, at most `limit`
    /// behind a number.
    package func events(of monitor: MonitorID, after: Int64, limit: Int) throws(StoreError) -> [StoredEvent] {
        let select = try database.prepare(
            """
            SELECT sequence, condition, (SELECT identifier FROM condition WHERE id = e.condition), \(EventColumns.names)
            FROM event e WHERE monitor = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3
            """, for: "reading events from")
        return try select.rows(
            .integer(monitor.rawValue), .integer(after), .integer(Int64(max(0, limit))), read: EventColumns.event)
    }

    /// Returns the number of the last event of a monitor, acknowledged or not; 0 without one.
    package func lastSequence(of monitor: MonitorID) throws(StoreError) -> Int64 {
        let select = try database.prepare("SELECT sequence FROM monitor WHERE id = ?1", for: "reading events from")
        return try select.first(.integer(monitor.rawValue)) { $0.integer(0) } ?? 0
    }

    /// Returns whether a monitor has an event that is not acknowledged.
    package func hasPending(of monitor: MonitorID) throws(StoreError) -> Bool {
        let select = try database.prepare(
            "SELECT 1 FROM event WHERE monitor = ?1 LIMIT 1", for: "reading events from")
        return try select.first(.integer(monitor.rawValue)) { _ in true } ?? false
    }

    /// Returns the programs and names of the monitors with an event that is not acknowledged.
    package func monitorsWithPending() throws(StoreError) -> [(program: String, name: String)] {
        let select = try database.prepare(
            """
            SELECT program, name FROM monitor
            WHERE program <> '' AND EXISTS (SELECT 1 FROM event WHERE monitor = monitor.id) ORDER BY program, name
            """, for: "reading events from")
        return try select.rows { ($0.text(0), $0.text(1)) }
    }

    /// The result of an acknowledgement.
    package struct Acknowledgement: Sendable, Equatable {
        /// The number of events that this call acknowledged for the first time.
        package var count: Int
        /// The events that became deliverable, in order. A server that continues with
        /// ``EventStore/deliverableEvents(of:after:limit:)`` also receives those after its cursor
        /// there. From this list it needs to send only the others.
        package var next: [StoredEvent]
    }

    /// Acknowledges events; unknown numbers are not an error. Each event becomes the last handled
    /// event of its condition.
    ///
    /// Only deliverable events can be acknowledged: the number of a later event of the same
    /// condition is ignored.
    package func acknowledge(_ sequences: [Int64], of monitor: MonitorID) throws(StoreError) -> Acknowledgement {
        let action: StaticString = "acknowledging events in"
        let heads = try deliverable(among: sequences, of: monitor)
        guard !heads.isEmpty else { return Acknowledgement(count: 0, next: []) }
        // The next events are read within the transaction: after it, a failed read would leave the
        // events acknowledged, and nobody would know which ones are next.
        let next = try database.transaction(action) { () throws(StoreError) in
            let keep = try database.prepare(
                """
                REPLACE INTO handled (condition, sequence, \(EventColumns.names))
                SELECT condition, sequence, \(EventColumns.names) FROM event WHERE monitor = ?1 AND sequence = ?2
                """, for: action)
            let delete = try database.prepare("DELETE FROM event WHERE monitor = ?1 AND sequence = ?2", for: action)
            for head in heads {
                try keep.run(.integer(monitor.rawValue), .integer(head.sequence))
                try delete.run(.integer(monitor.rawValue), .integer(head.sequence))
            }
            return try firstEvents(of: heads.map(\.condition))
        }
        retryCounts[.monitor(monitor)] = nil
        return Acknowledgement(count: heads.count, next: next.sorted { $0.sequence < $1.sequence })
    }

    /// Saves the states of conditions that changed without an event, such as after a first
    /// determination that matches the assumed state.
    package func saveStates(_ snapshots: [(ConditionID, StoredConditionState)]) throws(StoreError) {
        guard !snapshots.isEmpty else { return }
        try database.transaction("writing states to") { () throws(StoreError) in try writeStates(snapshots) }
    }

    /// Saves states within a transaction.
    private func writeStates(_ snapshots: [(ConditionID, StoredConditionState)]) throws(StoreError) {
        guard !snapshots.isEmpty else { return }
        let update = try database.prepare(
            """
            UPDATE condition SET state = ?2, since = ?3, dwelt = ?4
            WHERE id = ?1 AND (state, since, dwelt) IS NOT (?2, ?3, ?4)
            """, for: "writing states to")
        for (id, snapshot) in snapshots {
            try update.run(
                .integer(id.rawValue), .text(snapshot.state.rawValue), .integer(snapshot.since?.milliseconds),
                .integer(snapshot.hasDwelt ? 1 : 0))
        }
    }

    private func firstEvents(of conditions: [Int64]) throws(StoreError) -> [StoredEvent] {
        let first = try database.prepare(
            """
            SELECT sequence, condition, (SELECT identifier FROM condition WHERE id = ?1), \(EventColumns.names)
            FROM event
            WHERE condition = ?1 ORDER BY sequence LIMIT 1
            """, for: "acknowledging events in")
        var events: [StoredEvent] = []
        for condition in conditions {
            let event = try first.first(.integer(condition)) { row throws(StoreError) in try EventColumns.event(row) }
            if let event { events.append(event) }
        }
        return events
    }

    private func deliverable(
        among sequences: [Int64], of monitor: MonitorID
    ) throws(StoreError) -> [(sequence: Int64, condition: Int64)] {
        let select = try database.prepare(
            """
            SELECT condition FROM event e WHERE monitor = ?1 AND sequence = ?2
                AND NOT EXISTS (SELECT 1 FROM event WHERE condition = e.condition AND sequence < e.sequence)
            """, for: "acknowledging events in")
        // A call can name thousands of events that do not exist.
        let pending = try database.prepare(
            "SELECT sequence FROM event WHERE monitor = ?1 LIMIT ?2", for: "acknowledging events in")
        let known = Set(
            try pending.rows(.integer(monitor.rawValue), .integer(Int64(sequences.count))) { $0.integer(0) })
        let isComplete = known.count < sequences.count
        var heads: [(Int64, Int64)] = []
        for sequence in Set(sequences).sorted() where !isComplete || known.contains(sequence) {
            let condition = try select.first(.integer(monitor.rawValue), .integer(sequence)) { $0.integer(0) }
            if let condition { heads.append((sequence, condition)) }
        }
        return heads
    }
}

/// The statements for recording events, compiled once per turn.
private final class EventWriter {
    let condition: Statement
    let monitor: Statement
    let equal: Statement
    let insert: Statement
    let updateState: Statement
    let advance: Statement

    init(_ database: Database) throws(StoreError) {
        let action: StaticString = "writing events to"
        condition = try database.prepare("SELECT monitor, folded FROM condition WHERE id = ?1", for: action)
        monitor = try database.prepare("SELECT sequence FROM monitor WHERE id = ?1", for: action)
        equal = try database.prepare(
            """
            SELECT monitor, (SELECT sequence FROM monitor WHERE id = condition.monitor) FROM condition JOIN (
                SELECT kind, state, date, recorded, margin FROM event WHERE condition = ?1
                UNION ALL SELECT kind, state, date, recorded, margin FROM handled WHERE condition = ?1) e
            WHERE id = ?1 AND (e.kind, e.state, e.date, e.recorded, e.margin) IS (?2, ?3, ?4, ?5, ?6)
            """, for: action)
        insert = try database.prepare(
            """
            INSERT INTO event (monitor, sequence, condition, \(EventColumns.names))
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
                ?23, ?24, ?25, ?26, ?27)
            """, for: action)
        // A dwell event does not change the state. A new entry allows a new dwell event, but a
        // retracted exit does not.
        updateState = try database.prepare(
            """
            UPDATE condition SET state = ?2, since = CASE ?3 WHEN 'dwelt' THEN since ELSE ?4 END, folded = 0,
                dwelt = CASE ?3 WHEN 'dwelt' THEN 1 WHEN 'entered' THEN 0 WHEN 'determined' THEN 0 ELSE dwelt END
            WHERE id = ?1
            """, for: action)
        advance = try database.prepare("UPDATE monitor SET sequence = ?2 WHERE id = ?1", for: action)
    }

    func write(_ pending: UnsavedEvent, advancing sequences: inout [MonitorID: Int64]) throws(StoreError) {
        let event = pending.event
        let id = SQLValue.integer(event.condition.rawValue)
        guard let (owner, folded) = try condition.first(id, read: { (MonitorID($0.integer(0)), $0.integer(1)) }) else {
            return
        }
        let key = SQLValue.integer(owner.rawValue)
        let last: Int64
        if let known = sequences[owner] { last = known } else { last = try monitor.first(key) { $0.integer(0) } ?? 0 }
        // Cannot wrap: sequence numbers and counts of 64 bits never get that far.
        let next = last &+ 1
        sequences[owner] = next
        try insert.run(
            [key, .integer(next), id]
                // Cannot wrap, as above.
                + EventColumns.values(of: event, recorded: pending.recorded, folded: folded &+ Int64(pending.folded)))
        try updateState.run(
            id, .text(event.state.rawValue), .text(event.kind.rawValue), .integer(event.date?.milliseconds))
    }

    /// Returns the monitor of an event that is stored already, or was and is the last of its
    /// condition that was acknowledged, and the last number of the monitor.
    func stored(_ pending: UnsavedEvent) throws(StoreError) -> (monitor: MonitorID, last: Int64)? {
        let event = pending.event
        return try equal.first(
            .integer(event.condition.rawValue), .text(event.kind.rawValue), .text(event.state.rawValue),
            .integer(event.date?.milliseconds), .integer(pending.recorded.milliseconds), .real(event.margin)
        ) { (MonitorID($0.integer(0)), $0.integer(1)) }
    }

    func save(_ sequences: [MonitorID: Int64]) throws(StoreError) {
        for (monitor, sequence) in sequences { try advance.run(.integer(monitor.rawValue), .integer(sequence)) }
    }
}

/// An event on disk.
package struct StoredEvent: Sendable, Equatable {
    /// The number for acknowledging the event: 1 or more, increasing within a monitor, never
    /// reused.
    package var sequence: Int64
    /// The program's name for the condition.
    package var identifier: String
    package var event: ConditionEvent
    /// When the event was recorded, in the host's time.
    package var recorded: UTCTime
    /// The number of preceding events of the condition that were folded
    /// (``EventStore/maxPending``).
    package var folded = 0
}
