import Geofencing

/// The store of monitors, their conditions, and events that are not acknowledged yet.
///
/// Every operation is one transaction: when it returns, its changes are on disk, and when it
/// throws, nothing has changed. An operation without changes does not write.
package final class MonitorStore {
    /// The default limit of pending events per monitor, beyond which events are folded
    /// (`MonitorStore+Folding`).
    package static let maxWaiting = 4096
    /// The largest size of a condition's metadata, in bytes.
    package static let maxMetadata = 4096

    /// The database with the tables.
    package let database: Database
    /// The limit of pending events per monitor.
    let maxWaiting: Int
    /// The number of pending events at which folding is tried again, for monitors in which it did
    /// not reach the limit.
    var foldAgain: [MonitorID: Int] = [:]

    /// Creates a store on `database`.
    package init(_ database: Database, maxWaiting: Int = maxWaiting) {
        (self.database, self.maxWaiting) = (database, maxWaiting)
    }

    /// Returns the monitor of this name, creating it if necessary.
    package func openMonitor(_ name: String, of program: String) throws(StoreError) -> MonitorID {
        if let id = try monitor(name, of: program) { return id }
        let insert = try database.prepare(
            "INSERT INTO monitor (program, name) VALUES (?1, ?2)", "creating a monitor in")
        try insert.run(.text(program), .text(name))
        return MonitorID(database.lastRow)
    }

    /// Returns the monitor of this name; nil if there is none.
    package func monitor(_ name: String, of program: String) throws(StoreError) -> MonitorID? {
        let select = try database.prepare(
            "SELECT id FROM monitor WHERE program = ?1 AND name = ?2", "reading a monitor from")
        return try select.first(.text(program), .text(name)) { MonitorID($0.integer(0)) }
    }

    /// Removes a monitor with its conditions and events.
    ///
    /// - Returns: The conditions of the monitor.
    @discardableResult
    package func delete(_ monitor: MonitorID) throws(StoreError) -> [ConditionID] {
        let ids = try conditions(of: monitor)
        let delete = try database.prepare("DELETE FROM monitor WHERE id = ?1", "removing a monitor from")
        try delete.run(.integer(monitor.rawValue))
        return ids
    }

    /// Returns the monitors of one program, or all monitors, in order of program and name.
    package func monitors(of program: String? = nil) throws(StoreError) -> [StoredMonitor] {
        let select = try database.prepare(
            """
            SELECT id, program, name, (SELECT count(*) FROM condition WHERE monitor = m.id), (SELECT count(*) FROM event WHERE monitor = m.id)
            FROM monitor m WHERE ?1 IS NULL OR program = ?1 ORDER BY program, name
            """, "listing monitors in")
        try select.bind(.text(program))
        var monitors: [StoredMonitor] = []
        while try select.step() {
            monitors.append(
                StoredMonitor(
                    id: MonitorID(select.integer(0)), program: select.text(1), name: select.text(2),
                    conditions: Int(clamping: select.integer(3)), waiting: Int(clamping: select.integer(4))))
        }
        return monitors
    }

    /// Returns the number of a program's conditions over all its monitors.
    package func conditionCount(of program: String) throws(StoreError) -> Int {
        let select = try database.prepare(
            "SELECT count(*) FROM condition WHERE monitor IN (SELECT id FROM monitor WHERE program = ?1)",
            "counting conditions in")
        return try select.first(.text(program)) { Int(clamping: $0.integer(0)) } ?? 0
    }

    /// Returns the conditions of a monitor in the order added.
    package func conditions(of monitor: MonitorID) throws(StoreError) -> [ConditionID] {
        let select = try database.prepare(
            "SELECT id FROM condition WHERE monitor = ?1 ORDER BY id", "listing conditions in")
        try select.bind(.integer(monitor.rawValue))
        var ids: [ConditionID] = []
        while try select.step() { ids.append(ConditionID(select.integer(0))) }
        return ids
    }
}
