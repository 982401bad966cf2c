import SQLite

/// The numbers that an outbox keeps, each under a name.
package struct OutboxSettings {
    /// What a number means.
    package enum Key: String, Sendable {
        /// The first sequence number that is not reserved.
        case sequence
        /// The time of the last point in milliseconds since 1970.
        case lastTime
        /// 1 if the program has closed the outbox.
        case isClosed
        /// 1 if the records are reduced locations.
        case isReduced
        /// The hash of the fences that the server has.
        case fencesHash = "fences"
        /// The number of records that were given up because the server refuses them.
        case refusedRecords
        /// The bytes of acknowledged messages in ``bytesMonth``.
        case bytes
        /// The last month in which bytes were counted, such as 202611.
        case bytesMonth
        /// The number of starts in turn that ended before the broker had sent what waited for the
        /// device.
        case unfinishedStarts
        /// The host's time of the last acknowledgement in milliseconds since 1970.
        case lastAcknowledged
    }

    static let schema = "CREATE TABLE value (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Returns a number; nil if it was never set.
    package func value(_ key: Key) throws(StoreError) -> Int64? {
        let statement = try database.prepare("SELECT value FROM value WHERE name = ?1", for: "reading")
        return try statement.first(.text(key.rawValue)) { row throws(StoreError) in row.integer(0) }
    }

    /// Sets a number.
    package func set(_ key: Key, _ value: Int64) throws(StoreError) {
        try database.prepare("INSERT OR REPLACE INTO value (name, value) VALUES (?1, ?2)", for: "writing to")
            .run(.text(key.rawValue), .integer(value))
    }
}
