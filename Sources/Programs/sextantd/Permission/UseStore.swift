import Chronology
import Glibc
import Permission
import SQLite
import StateStore
import SystemCalls

/// The stored record of use.
///
/// The database is opened for each write and closed afterwards unless another part of the daemon
/// uses it. After a read it stays open for a while, because any client may read at any rate, and
/// opening checks the whole file.
final class UseStore {
    /// How long the database stays open after a read.
    private static let readInterval = Instant.Span.seconds(10)

    private let database: StateDatabase
    /// The database after a read, and when to close it.
    private var held: (database: Database, until: Instant)?

    init(_ database: StateDatabase) { self.database = database }

    /// When ``closeIfIdle(at:)`` is due; nil if nothing is held.
    var deadline: Instant? { held?.until }

    /// Closes the database some time after the last read. Returns whether it did.
    func closeIfIdle(at now: Instant) -> Bool {
        guard let held, held.until <= now else { return false }
        self.held = nil
        return true
    }

    /// Returns the highest number of a record; 0 if there is none.
    func lastNumber() throws(StoreError) -> Int64 {
        guard exists else { return 0 }
        return try UseTable(database.open(at: HostClock.utc)).lastNumber()
    }

    /// Writes records, and deletes those that ended before `expiry`.
    func save(_ records: [UseRecord], expiry: UTCTime?) throws(StoreError) {
        try UseTable(database.open(at: HostClock.utc)).save(records.map(UseRow.init), expiry: expiry?.milliseconds)
    }

    /// Returns stored records, the newest first. An open one is interrupted, unless it is in memory
    /// too.
    ///
    /// - Parameters:
    ///   - number: Only records with lower numbers are returned.
    ///   - cutoff: Records that ended before this are omitted.
    func records(
        _ selection: UseRow.Selection, before number: Int64, since cutoff: UTCTime?, limit: Int, at now: Instant
    ) throws(StoreError) -> [UseRecord] {
        guard exists else { return [] }
        let open = try database.open(at: HostClock.utc)
        held = (open, now + UseStore.readInterval)
        return try UseTable(open).rows(selection, before: number, since: cutoff?.milliseconds ?? .min, limit: limit)
            .compactMap(UseRecord.init)
    }

    /// Erases the record. Returns the number of stored records.
    func erase() throws(StoreError) -> Int {
        guard exists else { return 0 }
        return try UseTable(database.open(at: HostClock.utc)).erase()
    }

    /// A read must not create the database.
    private var exists: Bool { access(database.file.path, F_OK) == 0 }
}

extension UseRow {
    fileprivate init(_ record: UseRecord) {
        self.init(
            number: record.number, user: record.use.program.user, program: record.use.program.description,
            kind: record.use.kind.rawValue, accuracy: record.use.accuracy.rawValue, decidedBy: record.use.decidedBy,
            began: record.from?.milliseconds, duration: record.duration.nanoseconds / 1_000_000,
            updates: Int64(record.updates), isOpen: record.state == .open)
    }
}

extension UseRecord {
    /// Creates a record from its stored form; nil if a later version wrote it.
    fileprivate init?(_ row: UseRow) {
        guard let program = ProgramID(stored: row.program), let kind = UseKind(rawValue: row.kind),
            let accuracy = AccuracyAuthorization(rawValue: row.accuracy)
        else { return nil }
        self.init(
            number: row.number, LocationUse(program, kind, accuracy, decidedBy: row.decidedBy),
            from: row.began.map { UTCTime(milliseconds: $0) }, duration: .milliseconds(row.duration),
            updates: Int(clamping: row.updates), state: row.isOpen ? .interrupted : .ended)
    }
}
