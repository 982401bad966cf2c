import CSQLite

/// A connection to one SQLite file, and the only one: it is locked for as long as it is open.
///
/// Write-ahead log with `synchronous=FULL`: when a transaction returns it is on the disk (https://www.sqlite.org/pragma.html#pragma_synchronous).
/// Exclusive locking keeps a second daemon out, and keeps the index of the log in memory rather than in a mapped file that somebody
/// could cut under the process. Opened by ``DatabaseFile``.
public final class Database {
    /// The file.
    public let path: String
    let connection: OpaquePointer?

    /// 128 KiB of pages are kept in memory at most.
    static let settings = """
        PRAGMA locking_mode=EXCLUSIVE;
        PRAGMA mmap_size=0;
        PRAGMA temp_store=MEMORY;
        PRAGMA cache_size=-128;
        PRAGMA foreign_keys=ON;
        PRAGMA trusted_schema=OFF;
        PRAGMA journal_size_limit=1048576;
        """

    private static let arePagesSingle = sqlite_allocate_pages_singly() == SQLITE_OK

    /// Opens the file, which must exist, without looking at what is in it.
    ///
    /// - Parameter patience: milliseconds to wait for another process to let go of it.
    init(opening path: String, patience: Int32 = 250) throws(StoreError) {
        self.path = path
        _ = Database.arePagesSingle
        var connection: OpaquePointer?
        let code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        self.connection = connection
        guard code == SQLITE_OK, connection != nil else { throw failure("opening", code) }
        sqlite3_extended_result_codes(connection, 1)
        if sqlite3_db_readonly(connection, "main") == 1 {
            throw StoreError("opening \(path)", "it may only be read", code: SQLITE_READONLY)
        }
        sqlite3_busy_timeout(connection, patience)
        _ = sqlite_set_lookaside(connection, 0, 0)
        try execute(Database.settings, "opening")
        // These two read the file, and are the first that can find it to be no database.
        try execute("PRAGMA journal_mode=WAL", "opening")
        try execute("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=256", "opening")
    }

    /// Copies the log into the file and closes it.
    deinit { sqlite3_close_v2(connection) }

    /// Leaves the log as it is at the end, for whoever wants to look at what has happened to it.
    func keepLog() {
        _ = sqlite_keep_log_on_close(connection)
    }

    /// Compiles one sentence.
    ///
    /// - Parameter action: what it is for, as "adding conditions".
    public func prepare(_ sql: String, _ action: StaticString) throws(StoreError) -> Statement {
        try Statement(sql, in: self, action: action)
    }

    /// Carries out sentences that yield nothing, separated by semicolons.
    public func execute(_ sql: String, _ action: StaticString) throws(StoreError) {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(action, code) }
    }

    /// Carries out `body` as one: when this returns all of it is on the disk, and when it throws nothing has changed.
    public func transaction<R>(_ action: StaticString, _ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try execute("BEGIN IMMEDIATE", action)
        // What it has read is kept by the system too; a service that hardly ever writes need not.
        defer { releaseMemory() }
        do throws(StoreError) {
            let result = try body()
            try execute("COMMIT", action)
            return result
        } catch {
            // Some failures have rolled back already (https://www.sqlite.org/lang_transaction.html).
            if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK", action) }
            throw error
        }
    }

    /// Rows that the last sentence changed.
    public var changes: Int { Int(sqlite3_changes(connection)) }

    /// Row of the last insertion.
    public var lastRow: Int64 { sqlite3_last_insert_rowid(connection) }

    /// Gives back memory that is only kept in case.
    public func releaseMemory() {
        sqlite3_db_release_memory(connection)
    }

    /// One integer.
    func integer(_ sql: String, _ action: StaticString) throws(StoreError) -> Int64 {
        let statement = try prepare(sql, action)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// An error with SQLite's words.
    func failure(_ action: StaticString, _ code: Int32) -> StoreError {
        let extended = connection == nil ? code : sqlite3_extended_errcode(connection)
        let words = connection == nil ? sqlite3_errstr(code) : sqlite3_errmsg(connection)
        return StoreError(
            "\(action) \(path)", words.map { String(cString: $0) } ?? "error \(code)", code: extended == SQLITE_OK ? code : extended)
    }
}
