import Chronology
import Geodesy
import SQLite

/// The fences that servers have set, in a database of their own: all servers set those of one
/// monitor.
///
/// A change concerns the daemon too, so it has two steps. Between ``begin(_:)`` and ``finish(_:)``
/// the daemon may have any part of it. After a failure or a kill, ``unfinished`` names the fences
/// to bring back to the stored state.
package final class RemoteFenceStore {
    private static let schema = [
        """
        CREATE TABLE fence (
            identifier TEXT PRIMARY KEY,
            created INTEGER NOT NULL,
            latitude REAL NOT NULL,
            longitude REAL NOT NULL,
            radius INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE unfinished (identifier TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE migration (name TEXT PRIMARY KEY) WITHOUT ROWID;
        """
    ]

    private let database: Database
    /// A damaged file that was moved aside; nil: none.
    package let damaged: DatabaseFile.DamagedDatabase?

    /// Opens the store, and creates it if it is missing.
    ///
    /// - Parameter hostTime: The host's time, for the name of a damaged file that is moved aside.
    package init(path: String, hostTime: UTCTime) throws(StoreError) {
        (database, damaged) = try DatabaseFile(path: path, schema: RemoteFenceStore.schema).open(at: hostTime)
    }

    /// Returns the fences, sorted by identifier.
    package func fences() throws(StoreError) -> [RemoteFence] { try RemoteFenceStore.fences(in: database) }

    /// Returns the identifiers of the fences of which the daemon may have another state.
    package func unfinished() throws(StoreError) -> [String] {
        try database.prepare("SELECT identifier FROM unfinished ORDER BY identifier", for: "reading")
            .rows { $0.text(0) }
    }

    /// Records that the daemon's state of these fences will change.
    package func begin(_ identifiers: [String]) throws(StoreError) {
        try database.transaction("writing to") { () throws(StoreError) in
            let statement = try database.prepare("INSERT OR IGNORE INTO unfinished VALUES (?1)", for: "writing to")
            for identifier in identifiers { try statement.run(.text(identifier)) }
        }
    }

    /// Replaces all fences. The daemon has them.
    package func finish(_ fences: [RemoteFence]) throws(StoreError) {
        try database.transaction("writing fences to") { () throws(StoreError) in
            try database.execute("DELETE FROM fence; DELETE FROM unfinished", for: "writing to")
            try insert(fences)
        }
    }

    private func insert(_ fences: [RemoteFence]) throws(StoreError) {
        let statement = try database.prepare(
            "INSERT OR IGNORE INTO fence VALUES (?1, ?2, ?3, ?4, ?5)", for: "writing to")
        for fence in fences {
            try statement.run(
                .text(fence.identifier), .integer(fence.created), .real(fence.center.latitude),
                .real(fence.center.longitude), .integer(fence.radius))
        }
    }

    fileprivate static func fences(in database: Database) throws(StoreError) -> [RemoteFence] {
        let statement = try database.prepare(
            "SELECT identifier, created, latitude, longitude, radius FROM fence ORDER BY identifier", for: "reading")
        return try statement.rows { row in
            Coordinate(latitude: row.real(2), longitude: row.real(3)).map {
                RemoteFence(row.text(0), created: row.integer(1), center: $0, radius: row.integer(4))
            }
        }
    }
}

/// Earlier versions kept the fences in the outbox of the first destination.
extension RemoteFenceStore {
    private static let outboxMigration = "outbox"

    /// Whether ``finishImport()`` has not been called.
    package func needsImport() throws(StoreError) -> Bool {
        let statement = try database.prepare("SELECT 1 FROM migration WHERE name = ?1", for: "reading")
        return try statement.first(.text(RemoteFenceStore.outboxMigration)) { _ throws(StoreError) in true } == nil
    }

    /// Takes the fences out of an outbox, which must not be open. After a kill, this can be
    /// repeated. Of fences with one identifier, that of the first outbox stays.
    ///
    /// The daemon has all of them: those of a destination that was first earlier were never
    /// removed.
    ///
    /// - Returns: A damaged outbox that was moved aside; nil: none.
    package func importFences(
        from path: String, hostTime: UTCTime
    ) throws(StoreError) -> DatabaseFile.DamagedDatabase? {
        let (outbox, damaged) = try DatabaseFile(path: path, schema: FleetOutbox.schema).open(at: hostTime)
        let fences = try RemoteFenceStore.fences(in: outbox)
        guard !fences.isEmpty else { return damaged }
        try database.transaction("writing fences to") { () throws(StoreError) in try insert(fences) }
        try outbox.execute("DELETE FROM fence", for: "deleting from")
        return damaged
    }

    /// Records that the fences of all outboxes have been taken out.
    package func finishImport() throws(StoreError) {
        try database.prepare("INSERT OR IGNORE INTO migration VALUES (?1)", for: "writing to")
            .run(.text(RemoteFenceStore.outboxMigration))
    }
}
