import CSQLite
import SQLite

/// Ends a query after a fixed amount of work (https://www.sqlite.org/c3ref/progress_handler.html).
final class WorkLimit {
    /// The number of instructions of SQLite's machine between two calls of the handler.
    private static let interval: Int32 = 1000
    /// The number of intervals of one query, at most, if none is stated: some 20 ms.
    static let defaultIntervals = 2000

    private let maxIntervals: Int
    private var intervals = 0

    /// Creates a limit of this number of intervals per query.
    init(_ maxIntervals: Int) { self.maxIntervals = maxIntervals }

    /// Watches a connection, which this object must outlive.
    func watch(_ database: Database) {
        sqlite3_progress_handler(
            database.connection, WorkLimit.interval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<WorkLimit>.fromOpaque(context).takeUnretainedValue().count()
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Ends the supervision, for work without a limit.
    func ignore(_ database: Database) {
        sqlite3_progress_handler(database.connection, 0, nil, nil)
    }

    /// Begins the work of an answer.
    func begin() { intervals = 0 }

    private func count() -> Int32 {
        intervals += 1
        return intervals > maxIntervals ? 1 : 0
    }
}
