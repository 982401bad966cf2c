import Geofencing
import SQLite

/// The store of monitors and their conditions. ``events`` holds the events.
///
/// Every operation is one transaction: when it returns, its changes are on disk, and when it
/// throws, nothing has changed. An operation without changes does not write.
package final class MonitorStore {
    /// The largest size of a condition's metadata, in bytes.
    package static let maxMetadata = 4096

    package let database: Database
    package let events: EventStore
    package var selection: ConditionSelection { ConditionSelection(database: database) }
    var accounts = StorageAccounts()

    /// Creates a store on `database`.
    ///
    /// - Parameters:
    ///   - maxPending: The limit of pending events per monitor.
    ///   - maxPendingPerUser: The limit of pending events of all monitors of one user.
    package init(
        _ database: Database, maxPending: Int = EventStore.maxPending,
        maxPendingPerUser: Int = EventStore.maxPendingPerUser
    ) {
        self.database = database
        events = EventStore(database, maxPending: maxPending, maxPendingPerUser: maxPendingPerUser)
    }

    /// Returns the monitor of this name, creating it if necessary.
    package func openMonitor(_ name: String, of program: String) throws(StoreError) -> MonitorID {
        if let id = try monitor(name, of: program) { return id }
        let user = try user(ofProgram: program)
        let insert = try database.prepare(
            "INSERT INTO monitor (program, name) VALUES (?1, ?2)", for: "creating a monitor in")
        try insert.run(.text(program), .text(name))
        let id = MonitorID(database.lastRow)
        accounts.add(StorageUse(monitors: 1, bytes: StorageUse.recordBytes), of: user)
        return id
    }

    /// Returns the monitor of this name; nil if there is none.
    package func monitor(_ name: String, of program: String) throws(StoreError) -> MonitorID? {
        let select = try database.prepare(
            "SELECT id FROM monitor WHERE program = ?1 AND name = ?2", for: "reading a monitor from")
        return try select.first(.text(program), .text(name)) { MonitorID($0.integer(0)) }
    }

    /// The program of deleted monitors whose conditions are still to be removed. No program has
    /// this name.
    private static let deleted = ""

    /// Deletes a monitor: it has no name and no program any more. ``continueDeletion(limit:)``
    /// removes its conditions and events.
    package func delete(_ monitor: MonitorID) throws(StoreError) {
        let user = try user(of: monitor)
        let rename = try database.prepare(
            "UPDATE monitor SET program = ?2, name = id WHERE id = ?1", for: "removing a monitor from")
        try rename.run(.integer(monitor.rawValue), .text(MonitorStore.deleted))
        if let user { accounts.forget(user) }
    }

    /// Whether ``continueDeletion(limit:)`` has something to do.
    package func hasDeleted() throws(StoreError) -> Bool { try hasMonitors(of: MonitorStore.deleted) }

    /// Removes conditions of deleted monitors with their events, at most `limit`, and finally the
    /// monitors. A monitor with many conditions thus does not delay other work.
    ///
    /// - Returns: The removed conditions. None are left if they are fewer than `limit`.
    package func continueDeletion(limit: Int) throws(StoreError) -> [ConditionID] {
        let action: StaticString = "removing conditions from"
        let select = try database.prepare(
            "SELECT id FROM condition WHERE monitor IN (SELECT id FROM monitor WHERE program = ?1) LIMIT ?2",
            for: action)
        let ids = try select.rows(.text(MonitorStore.deleted), .integer(Int64(limit))) { ConditionID($0.integer(0)) }
        try database.transaction(action) { () throws(StoreError) in
            let delete = try database.prepare("DELETE FROM condition WHERE id = ?1", for: action)
            for id in ids { try delete.run(.integer(id.rawValue)) }
            guard ids.count < limit else { return }
            try database.prepare("DELETE FROM monitor WHERE program = ?1", for: action).run(.text(MonitorStore.deleted))
        }
        accounts.add(StorageUse(conditions: -ids.count), of: nil)
        return ids
    }

    /// Returns the description of a monitor; nil if it does not exist.
    package func description(of monitor: MonitorID) throws(StoreError) -> StoredMonitor? {
        let select = try database.prepare("\(MonitorStore.descriptions) WHERE id = ?1", for: "reading a monitor from")
        return try select.first(.integer(monitor.rawValue)) { MonitorStore.description($0) }
    }

    /// Returns the monitors of one user, or all monitors, in order of program and name.
    ///
    /// - Parameter limit: The largest number of monitors to return.
    package func monitors(ofUser user: UInt32? = nil, limit: Int = .max) throws(StoreError) -> [StoredMonitor] {
        let select = try database.prepare(
            """
            \(MonitorStore.descriptions) WHERE program <> ?2 AND (?1 IS NULL OR \(StorageUse.user) = ?1)
            ORDER BY program, name LIMIT ?3
            """, for: "listing monitors in")
        return try select.rows(
            .integer(user.map { Int64($0) }), .text(MonitorStore.deleted), .integer(Int64(limit)),
            read: MonitorStore.description)
    }

    private static let descriptions =
        """
        SELECT id, program, name, (SELECT count(*) FROM condition WHERE monitor = monitor.id),
            (SELECT count(*) FROM event WHERE monitor = monitor.id)
        FROM monitor
        """

    private static func description(_ row: borrowing Statement) -> StoredMonitor {
        StoredMonitor(
            id: MonitorID(row.integer(0)), program: row.text(1), name: row.text(2),
            conditions: Int(clamping: row.integer(3)), pending: Int(clamping: row.integer(4)))
    }

    /// Returns the programs that own monitors, in order.
    package func programs() throws(StoreError) -> [String] {
        try database.prepare("SELECT DISTINCT program FROM monitor ORDER BY program", for: "listing monitors in")
            .rows { $0.text(0) }
    }

    package func hasMonitors(of program: String) throws(StoreError) -> Bool {
        let select = try database.prepare(
            "SELECT 1 FROM monitor WHERE program = ?1 LIMIT 1", for: "listing monitors in")
        return try select.first(.text(program)) { _ in true } ?? false
    }

    package func monitorCount(of program: String) throws(StoreError) -> Int {
        let select = try database.prepare(
            "SELECT count(*) FROM monitor WHERE program = ?1", for: "counting monitors in")
        return try select.first(.text(program)) { Int(clamping: $0.integer(0)) } ?? 0
    }

    /// Returns the number of a program's conditions over all its monitors.
    package func conditionCount(of program: String) throws(StoreError) -> Int {
        let select = try database.prepare(
            "SELECT count(*) FROM condition WHERE monitor IN (SELECT id FROM monitor WHERE program = ?1)",
            for: "counting conditions in")
        return try select.first(.text(program)) { Int(clamping: $0.integer(0)) } ?? 0
    }

    /// Returns the number of conditions of all programs.
    package func conditionCount() throws(StoreError) -> Int { try accounts.totalConditionCount(in: database) }

    package func storageUse(ofUser user: UInt32) throws(StoreError) -> StorageUse {
        try accounts.use(of: Int64(user), in: database)
    }

    /// Discards figures of the storage, which are read again when they are needed.
    package func forgetStorageUse() { accounts = StorageAccounts() }

    /// Returns the user in the text form of a program.
    private func user(ofProgram program: String) throws(StoreError) -> Int64? {
        let select = try database.prepare(
            "SELECT \(StorageUse.user) FROM (SELECT ?1 AS program)", for: "reading a monitor from")
        return try select.first(.text(program)) { $0.integer(0) }
    }

    /// Returns the user of the program that owns a monitor. Read it before a change: an error after
    /// the change would hide that it was made.
    func user(of monitor: MonitorID) throws(StoreError) -> Int64? {
        let select = try database.prepare(
            "SELECT \(StorageUse.user) FROM monitor WHERE id = ?1", for: "reading a monitor from")
        return try select.first(.integer(monitor.rawValue)) { $0.integer(0) }
    }

    /// Returns the conditions of a monitor in the order added.
    package func conditions(of monitor: MonitorID) throws(StoreError) -> [ConditionID] {
        let select = try database.prepare(
            "SELECT id FROM condition WHERE monitor = ?1 ORDER BY id", for: "listing conditions in")
        return try select.rows(.integer(monitor.rawValue)) { ConditionID($0.integer(0)) }
    }

    /// Returns the conditions of a program, monitored or not, or of one of its monitors, in no
    /// order.
    package func conditions(of program: String, monitor: String?) throws(StoreError) -> [ConditionID] {
        let select = try database.prepare(
            """
            SELECT id FROM condition
            WHERE monitor IN (SELECT id FROM monitor WHERE program = ?1 AND (?2 IS NULL OR name = ?2))
            """, for: "listing conditions in")
        return try select.rows(.text(program), .text(monitor)) { ConditionID($0.integer(0)) }
    }
}

/// The identifier of a monitor: its row in the store, which is never reused.
package struct MonitorID: Sendable, Hashable, Comparable {
    /// The row number, 1 or more.
    package var rawValue: Int64
    /// Creates the identifier of this row.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    /// Returns whether `a` was created before `b`.
    package static func < (a: MonitorID, b: MonitorID) -> Bool { a.rawValue < b.rawValue }
}

/// A named set of conditions of one program.
package struct StoredMonitor: Sendable, Equatable {
    package var id: MonitorID
    /// The program that owns the monitor, as the daemon identifies it.
    package var program: String
    /// The program's name for the monitor.
    package var name: String
    package var conditions: Int
    /// The number of unacknowledged events.
    package var pending: Int
}
