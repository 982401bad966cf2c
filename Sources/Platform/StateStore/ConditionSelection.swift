import Chronology
import Geodesy
import Geofencing
import SQLite

/// The selection of the conditions to monitor: those of a program in the order added, without
/// expired ones.
package struct ConditionSelection {
    let database: Database

    /// Returns the next conditions of a program over all its monitors.
    ///
    /// - Returns: At most `limit` conditions in order, without unreadable ones.
    package func unexpired(of program: String, after ordinal: ConditionOrdinal, limit: Int) throws(StoreError)
        -> [SelectedCondition]
    {
        let select = try database.prepare(
            """
            SELECT id, monitor, shape, assuming, dwell, expiry, state, since, dwelt, coalesce(ordinal, id) AS position
            FROM condition
            WHERE monitor IN (SELECT id FROM monitor WHERE program = ?1) AND position > ?2 AND state <> 'unmonitored'
            ORDER BY position LIMIT ?3
            """, for: "reading conditions from")
        let start = SQLValue.integer(ordinal.rawValue)
        return try select.rows(.text(program), start, .integer(Int64(max(0, limit)))) { row throws(StoreError) in
            guard let condition = FenceCondition(row, at: 2), let state = ConditionState(rawValue: row.text(6)) else {
                return nil
            }
            let snapshot = StoredConditionState(
                state: state, since: row.integerIfAny(7).map { UTCTime(milliseconds: $0) },
                hasDwelt: row.integer(8) != 0)
            return SelectedCondition(
                id: ConditionID(row.integer(0)), ordinal: ConditionOrdinal(row.integer(9)),
                monitor: MonitorID(row.integer(1)), condition: condition, snapshot: snapshot,
                place: condition.shape == nil ? try place(of: ConditionID(row.integer(0))) : nil)
        }
    }

    /// Returns the position of the last event of a condition, acknowledged or not.
    private func place(of condition: ConditionID) throws(StoreError) -> ConditionPlace? {
        let columns = "sequence, latitude, longitude, horizontal_accuracy AS radius, date"
        let select = try database.prepare(
            """
            SELECT latitude, longitude, radius, date FROM (
                SELECT \(columns) FROM event WHERE condition = ?1
                UNION ALL SELECT \(columns) FROM handled WHERE condition = ?1)
            WHERE latitude IS NOT NULL ORDER BY sequence DESC LIMIT 1
            """, for: "reading an event from")
        return try select.first(.integer(condition.rawValue)) { row in
            guard let latitude = row.realIfAny(0), let longitude = row.realIfAny(1),
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            else { return nil }
            return ConditionPlace(
                coordinate: coordinate, radius: row.realIfAny(2) ?? 0,
                date: row.integerIfAny(3).map { UTCTime(milliseconds: $0) })
        } ?? nil
    }

    /// Returns the ordinals of conditions among those of their programs, without removed ones.
    package func ordinals(of conditions: [ConditionID]) throws(StoreError) -> [ConditionID: ConditionOrdinal] {
        let select = try database.prepare(
            "SELECT coalesce(ordinal, id) FROM condition WHERE id = ?1", for: "reading a condition from")
        var ordinals: [ConditionID: ConditionOrdinal] = [:]
        for id in conditions {
            ordinals[id] = try select.first(.integer(id.rawValue)) { ConditionOrdinal($0.integer(0)) }
        }
        return ordinals
    }

    /// Returns the number of a program's unexpired conditions up to and including `ordinal`.
    package func unexpiredCount(of program: String, upTo ordinal: ConditionOrdinal) throws(StoreError) -> Int {
        let select = try database.prepare(
            """
            SELECT count(*) FROM condition
            WHERE monitor IN (SELECT id FROM monitor WHERE program = ?1) AND coalesce(ordinal, id) <= ?2
                AND state <> 'unmonitored'
            """, for: "counting conditions in")
        return try select.first(.text(program), .integer(ordinal.rawValue)) { Int(clamping: $0.integer(0)) } ?? 0
    }

    /// Returns the number of a program's unexpired conditions after `ordinal`.
    package func unexpiredCount(of program: String, after ordinal: ConditionOrdinal) throws(StoreError) -> Int {
        let select = try database.prepare(
            """
            SELECT count(*) FROM condition
            WHERE monitor IN (SELECT id FROM monitor WHERE program = ?1) AND coalesce(ordinal, id) > ?2
                AND state <> 'unmonitored'
            """, for: "counting conditions in")
        return try select.first(.text(program), .integer(ordinal.rawValue)) { Int(clamping: $0.integer(0)) } ?? 0
    }

    /// Returns the number of a monitor's conditions that have expired or come after `ordinal`.
    package func unmonitoredCount(of monitor: MonitorID, after ordinal: ConditionOrdinal) throws(StoreError) -> Int {
        let select = try database.prepare(
            """
            SELECT count(*) FROM condition
            WHERE monitor = ?1 AND (coalesce(ordinal, id) > ?2 OR state = 'unmonitored')
            """, for: "counting conditions in")
        let key = SQLValue.integer(ordinal.rawValue)
        return try select.first(.integer(monitor.rawValue), key) { Int(clamping: $0.integer(0)) } ?? 0
    }
}

/// A condition to monitor, with the data that the core needs.
package struct SelectedCondition: Sendable, Equatable {
    package var id: ConditionID
    /// The ordinal among the conditions of the program.
    package var ordinal: ConditionOrdinal
    package var monitor: MonitorID
    package var condition: FenceCondition
    package var snapshot: StoredConditionState
    /// The position of the last event; nil for areas, and if there was none.
    package var place: ConditionPlace?
}

/// The ordinal of a condition among all conditions of its program, in the order added. The first
/// ones are monitored if the program exceeds its limit.
///
/// A condition that replaces an unexpired one takes over its ordinal.
package struct ConditionOrdinal: Sendable, Hashable, Comparable {
    /// The row of the first condition with this ordinal, 1 or more; 0 precedes all conditions.
    package var rawValue: Int64
    /// Creates the ordinal of the condition that was first stored in this row.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    /// Returns whether `a` comes before `b`.
    package static func < (a: ConditionOrdinal, b: ConditionOrdinal) -> Bool { a.rawValue < b.rawValue }
}
