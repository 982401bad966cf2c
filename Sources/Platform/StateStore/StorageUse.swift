import Geofencing
import SQLite

/// The number of monitors and conditions of one user, and the approximate size of their records.
///
/// Events are not counted: their number per user has a limit of its own
/// (``EventStore/maxPendingPerUser``).
package struct StorageUse: Sendable, Equatable {
    /// The number of monitors of all programs of the user.
    package var monitors = 0
    /// The number of conditions in these monitors.
    package var conditions = 0
    /// The approximate size in the file, in bytes.
    package var bytes = 0

    /// The size of a monitor or of the fixed part of a condition: its row, its entries in the
    /// indexes, its last acknowledged event.
    package static let recordBytes = 512
    /// The size up to which several records share a page of the file. Longer ones are counted in
    /// whole pages of 4096 bytes (https://www.sqlite.org/fileformat2.html#ovflpgs).
    static let maxSharedBytes = 1024

    /// The SQL expression for the user who owns a row of the table `monitor`: the number at the
    /// start of the program.
    static let user = "CAST(program AS INTEGER)"

    /// The SQL expression for the size of a row of the table `condition`.
    static let conditionBytes =
        """
        (\(recordBytes) + CASE WHEN \(payload) <= \(maxSharedBytes) THEN \(payload)
            ELSE (\(payload) + 4095) / 4096 * 4096 END)
        """
    private static let payload =
        "(length(shape) + length(CAST(identifier AS BLOB)) + coalesce(length(CAST(metadata AS BLOB)), 0))"

    /// Returns the size of a condition that is not stored yet.
    package static func bytes(of new: NewCondition) -> Int {
        let payload =
            new.condition.subject.bytes.count + new.identifier.utf8.count + (new.metadata?.utf8.count ?? 0)
        return recordBytes + (payload <= maxSharedBytes ? payload : (payload + 4095) / 4096 * 4096)
    }
}

/// The storage of all users, read from the database when it is first needed and updated with each
/// change.
struct StorageAccounts {
    private var users: [Int64: StorageUse] = [:]
    private var conditionCount: Int?

    mutating func use(of user: Int64, in database: Database) throws(StoreError) -> StorageUse {
        if let known = users[user] { return known }
        let select = try database.prepare(
            """
            SELECT count(DISTINCT monitor.id), count(condition.id), coalesce(sum(\(StorageUse.conditionBytes)), 0)
            FROM monitor LEFT JOIN condition ON condition.monitor = monitor.id
            WHERE program <> '' AND \(StorageUse.user) = ?1
            """, for: "measuring")
        var use = StorageUse()
        let found = try select.first(.integer(user)) {
            StorageUse(
                monitors: Int(clamping: $0.integer(0)), conditions: Int(clamping: $0.integer(1)),
                bytes: Int(clamping: $0.integer(2)))
        }
        if let found { use = found }
        use.bytes += use.monitors * StorageUse.recordBytes
        users[user] = use
        return use
    }

    mutating func totalConditionCount(in database: Database) throws(StoreError) -> Int {
        if let conditionCount { return conditionCount }
        let count = Int(clamping: try database.integer("SELECT count(*) FROM condition", for: "counting conditions in"))
        conditionCount = count
        return count
    }

    /// Discards the figures of a user, which are read again when they are needed.
    mutating func forget(_ user: Int64) { users[user] = nil }

    mutating func add(_ change: StorageUse, of user: Int64?) {
        if let count = conditionCount { conditionCount = count + change.conditions }
        guard let user, let use = users[user] else { return }
        users[user] = StorageUse(
            monitors: use.monitors + change.monitors, conditions: use.conditions + change.conditions,
            bytes: use.bytes + change.bytes)
    }
}
