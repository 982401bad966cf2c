import CSQLite
import Chronology
import Glibc

/// The only connection to a SQLite file, which stays locked while it is open.
///
/// The file uses a write-ahead log with `synchronous=FULL`: when a transaction returns, its data is
/// on disk (https://www.sqlite.org/pragma.html#pragma_synchronous). Exclusive locking prevents a
/// second daemon from opening the file. It also keeps the index of the log in memory instead of a
/// mapped file, which another process could truncate. ``DatabaseFile`` opens the connection.
///
/// Linux reports a failed fsync once and then counts the data as written
/// (https://lwn.net/Articles/752063/). A later change would be confirmed although a power cut
/// removes the changes before it, and with them itself. So after a failed fsync, nothing is changed
/// before the whole log was written again and is on disk. The file itself needs no such care:
/// SQLite keeps the log until an fsync of the file has succeeded, and copies it again otherwise.
package final class Database {
    /// The path of the file.
    package let path: String
    package let connection: OpaquePointer?
    /// The number of changed rows at the start of the batch; nil outside a batch.
    private var batchStart: Int64?
    /// The number of rows that batches have changed since the last ``checkpoint()``.
    private var batchedChanges: Int64 = 0
    /// The number of pages in the log at which a transaction outside a batch copies them into the
    /// file.
    private static let maxLogPages: Int32 = 256
    /// The number of changed rows at which ``needsCheckpoint`` is set; each changes one page or
    /// more.
    private static let maxBatchedChanges: Int64 = 128

    /// The settings of the connection. The page cache holds at most 128 KiB. Deleted rows are
    /// overwritten, because they contain places and times.
    static let settings = """
        PRAGMA locking_mode=EXCLUSIVE;
        PRAGMA mmap_size=0;
        PRAGMA temp_store=MEMORY;
        PRAGMA cache_size=-128;
        PRAGMA foreign_keys=ON;
        PRAGMA trusted_schema=OFF;
        PRAGMA secure_delete=ON;
        PRAGMA journal_size_limit=1048576;
        """

    /// The name of the layer for files with which a failed read is no damage; nil for SQLite's own.
    private static let layer: String? = {
        _ = sqlite_allocate_pages_singly()
        return sqlite_watch_reads().map { String(cString: $0) }
    }()

    /// Whether an fsync of the log has failed, and the log was not written again since.
    private var isLogUncertain = false
    /// Whether the log still has a transaction that was refused because its fsync failed.
    private var hasRefusedChange = false

    /// Opens an existing file without reading it.
    ///
    /// - Parameter busyTimeout: The time to wait for another process to release the file.
    init(opening path: String, busyTimeout: Instant.Span = .milliseconds(250)) throws(StoreError) {
        self.path = path
        var connection: OpaquePointer?
        let code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, Database.layer)
        self.connection = connection
        guard code == SQLITE_OK, connection != nil else { throw failure("opening", code: code) }
        sqlite3_extended_result_codes(connection, 1)
        if sqlite3_db_readonly(connection, "main") == 1 {
            throw StoreError("opening \(path)", reason: "the file is read-only", code: SQLITE_READONLY)
        }
        sqlite3_busy_timeout(connection, Int32(clamping: busyTimeout.nanoseconds / 1_000_000))
        _ = sqlite_set_lookaside(connection, 0, 0)
        try execute(Database.settings, for: "opening")
        // These two statements are the first to read the file, and thus to detect that it is not a
        // database.
        try execute("PRAGMA journal_mode=WAL", for: "opening")
        try execute("PRAGMA synchronous=FULL", for: "opening")
        sqlite3_wal_autocheckpoint(connection, Database.maxLogPages)
    }

    /// Opens an existing file that cannot be written, for reading only. Its log must be empty,
    /// because it is not read (https://www.sqlite.org/uri.html#uriimmutable).
    package init(readingOnly path: String) throws(StoreError) {
        self.path = path
        let reserved: Set<UInt8> = [UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#")]
        let encoded = path.utf8.flatMap { reserved.contains($0) ? Array("%\(String($0, radix: 16))".utf8) : [$0] }
        let uri = "file:\(String(decoding: encoded, as: UTF8.self))?immutable=1"
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
        var connection: OpaquePointer?
        let code = sqlite3_open_v2(uri, &connection, flags, Database.layer)
        self.connection = connection
        guard code == SQLITE_OK, connection != nil else { throw failure("opening", code: code) }
        sqlite3_extended_result_codes(connection, 1)
        _ = sqlite_set_lookaside(connection, 0, 0)
        try execute("PRAGMA temp_store=MEMORY; PRAGMA cache_size=-160; PRAGMA trusted_schema=OFF;", for: "opening")
    }

    /// Creates a file that is not in use until it is renamed: without a journal, and not written to
    /// disk before `fsync`.
    package init(creating path: String) throws(StoreError) {
        self.path = path
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &connection, flags, Database.layer)
        self.connection = connection
        guard code == SQLITE_OK, connection != nil else { throw failure("creating", code: code) }
        sqlite3_extended_result_codes(connection, 1)
        try execute(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=FILE; PRAGMA cache_size=-4096;",
            for: "creating")
    }

    /// Copies the log into the file and closes it. A log that may not be on disk stays: a power cut
    /// while it is copied would leave a mixture of old and new pages.
    deinit {
        do throws(StoreError) { try renewLog("closing") } catch { preserveLogOnClose() }
        sqlite3_close_v2(connection)
    }

    /// Keeps the log when the connection closes, for later analysis of the damage.
    func preserveLogOnClose() {
        _ = sqlite_keep_log_on_close(connection)
    }

    /// Compiles one SQL statement.
    ///
    /// - Parameter action: The purpose for error messages, such as "adding conditions to".
    package func prepare(_ sql: String, for action: StaticString) throws(StoreError) -> Statement {
        try Statement(sql, in: self, action: action)
    }

    /// Executes SQL statements without results, separated by semicolons.
    package func execute(_ sql: String, for action: StaticString) throws(StoreError) {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(action, code: code) }
    }

    /// Executes `body` as one transaction. When this returns, all changes are on disk; when it
    /// throws, nothing has changed.
    package func transaction<R>(_ action: StaticString, _ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try checkFileSystem(action)
        try renewLog(action)
        try execute("BEGIN IMMEDIATE", for: action)
        // The system caches the pages too, and the daemon seldom writes.
        defer { releaseMemory() }
        do throws(StoreError) {
            let result = try body()
            try execute("COMMIT", for: action)
            return result
        } catch {
            // SQLite has already rolled back after some errors
            // (https://www.sqlite.org/lang_transaction.html).
            if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK", for: action) }
            if isLogUncertain, !isInBatch {
                hasRefusedChange = true
                try? overwriteRefusedChange(action)
            }
            throw error
        }
    }

    /// Begins a batch of transactions that ``finishBatch()`` writes to disk together: one wait for
    /// the disk instead of one per transaction. Does nothing within a batch.
    ///
    /// Each transaction of the batch is atomic. After a power failure all of them may be missing,
    /// or the last ones, until the batch is finished.
    package func beginBatch() throws(StoreError) {
        guard batchStart == nil else { return }
        try checkFileSystem("writing to")
        try renewLog("writing to")
        // NORMAL: a commit appends to the log and does not wait for the disk.
        try execute("PRAGMA synchronous=NORMAL", for: "writing to")
        sqlite3_wal_autocheckpoint(connection, 0)
        batchStart = sqlite3_total_changes64(connection)
    }

    /// Why a batch could not be finished since ``takeBatchFailure()``.
    private var batchFailure: StoreError?

    /// Returns why a batch could not be finished since the last call; `nil` if all were.
    package func takeBatchFailure() -> StoreError? { batchFailure.take() }

    /// Whether a batch has begun that is not finished.
    package var isInBatch: Bool { batchStart != nil }

    /// Ends a batch: when this returns, all its changes are on disk.
    ///
    /// - Throws: `StoreError` if that is uncertain.
    package func finishBatch() throws(StoreError) {
        guard let start = batchStart else { return }
        batchStart = nil
        do throws(StoreError) {
            try syncBatch(since: start)
        } catch {
            batchFailure = error
            throw error
        }
    }

    private func syncBatch(since start: Int64) throws(StoreError) {
        let changes = sqlite3_total_changes64(connection) - start
        batchedChanges += changes
        if changes != 0, sqlite_sync_log(connection) != SQLITE_OK { isLogUncertain = true }
        sqlite3_wal_autocheckpoint(connection, Database.maxLogPages)
        try execute("PRAGMA synchronous=FULL", for: "writing to")
        try renewLog("writing to")
        if changes > 0 { try checkFileSystem("writing to") }
    }

    /// Overwrites a refused transaction in the log, without waiting for the disk: whoever reads the
    /// log next would count it as made. Its place gets the number of the schema, which is the same.
    private func overwriteRefusedChange(_ action: StaticString) throws(StoreError) {
        guard hasRefusedChange else { return }
        let version = try integer("PRAGMA user_version", for: action)
        sqlite3_wal_autocheckpoint(connection, 0)
        defer { sqlite3_wal_autocheckpoint(connection, Database.maxLogPages) }
        try execute("PRAGMA synchronous=NORMAL", for: action)
        let code = sqlite3_exec(connection, "PRAGMA user_version=\(version)", nil, nil, nil)
        try execute("PRAGMA synchronous=FULL", for: action)
        guard code == SQLITE_OK else { throw failure(action, code: code) }
        hasRefusedChange = false
    }

    /// Writes the log again, and waits for the disk, if an fsync of it has failed. Every change
    /// begins with this.
    func renewLog(_ action: StaticString) throws(StoreError) {
        guard isLogUncertain else { return }
        try overwriteRefusedChange(action)
        let code = sqlite_rewrite_log(connection)
        guard code == SQLITE_OK else { throw StoreError("\(action) \(path)", reason: "the disk failed", code: code) }
        isLogUncertain = false
    }

    /// Ensures that what was read from the log while the file was opened is on disk: the process
    /// that wrote it may have ended after a failed fsync.
    func secureLog() throws(StoreError) {
        isLogUncertain = true
        try renewLog("opening")
    }

    /// Refuses to write to a file system that has become read-only while the file is open, as the
    /// kernel does after an error of the disk. The system then still accepts writes into its cache,
    /// and fsync(2) succeeds although nothing is on disk.
    private func checkFileSystem(_ action: StaticString) throws(StoreError) {
        var status = statvfs()
        guard statvfs(path, &status) == 0, status.f_flag & UInt(ST_RDONLY) != 0 else { return }
        throw StoreError("\(action) \(path)", reason: "the file system is read-only", code: SQLITE_READONLY)
    }

    /// Whether batches have changed so much that the log should be copied into the file.
    package var needsCheckpoint: Bool { batchedChanges >= Database.maxBatchedChanges }

    /// Copies the log into the file, which waits for the disk twice. A batch does not do this by
    /// itself, so that it waits only once.
    package func checkpoint() throws(StoreError) {
        try renewLog("writing to")
        let code = sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        guard code == SQLITE_OK || code == SQLITE_BUSY else { throw failure("writing to", code: code) }
        batchedChanges = 0
    }

    /// Empties the log. Deleted rows are overwritten in the file (secure_delete), but the log has
    /// earlier pages.
    package func overwriteLog(_ action: StaticString) throws(StoreError) {
        let code = sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard code == SQLITE_OK else { throw failure(action, code: code) }
    }

    /// The number of rows that the last statement changed.
    package var changes: Int { Int(sqlite3_changes(connection)) }

    package var lastRow: Int64 { sqlite3_last_insert_rowid(connection) }

    /// Releases cache memory of the connection.
    package func releaseMemory() {
        sqlite3_db_release_memory(connection)
    }

    /// Returns the integer in the first row; 0 if there is none.
    package func integer(_ sql: String, for action: StaticString) throws(StoreError) -> Int64 {
        let statement = try prepare(sql, for: action)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// SQLite's extended result code SQLITE_IOERR_FSYNC (https://www.sqlite.org/rescode.html).
    private static let failedSync = SQLITE_IOERR | 4 << 8

    /// Whether a read of the file or of its log has failed since it was opened.
    var hasFailedReads: Bool { sqlite_failed_reads(connection) > 0 }

    /// Creates an error with SQLite's message.
    func failure(_ action: StaticString, code: Int32) -> StoreError {
        let extended = connection == nil ? code : sqlite3_extended_errcode(connection)
        let message = connection == nil ? sqlite3_errstr(code) : sqlite3_errmsg(connection)
        if extended == Database.failedSync { isLogUncertain = true }
        return StoreError(
            "\(action) \(path)", reason: message.map { String(cString: $0) } ?? "error \(code)",
            code: extended == SQLITE_OK ? code : extended)
    }
}
