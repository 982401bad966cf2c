import CSQLite
import Glibc

/// Reads the daemon's database as it is on the disk of the machine.
enum DatabaseCheck {
    /// Returns what is wrong with a copy of the database; nil if it is intact or does not exist.
    ///
    /// - Parameter folder: the folder for the copy.
    static func problem(of database: String, in folder: String) -> String? {
        let rows = rows(of: "PRAGMA integrity_check", from: database, in: folder)
        switch rows {
        case .success(let rows): return rows == [["ok"]] || rows.isEmpty ? nil : "\(rows)"
        case .failure(let failure): return failure.description
        }
    }

    /// Returns the rows of a query as texts; none if there is no database.
    static func rows(
        of query: String, from database: String, in folder: String
    ) -> Result<[[String]], RunFailure> {
        let copy = "\(folder)/copy.db"
        for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) }
        defer { for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) } }
        for suffix in ["", "-wal"] {
            guard let bytes = FileTree.bytes(of: database + suffix) else { continue }
            guard FileTree.write(bytes, to: copy + suffix) else {
                return .failure(RunFailure("it cannot be copied to \(copy)"))
            }
        }
        guard let size = FileTree.size(of: copy), size > 0 else { return .success([]) }
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open(copy, &connection) == SQLITE_OK else { return .failure(RunFailure("it cannot be opened")) }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        var result = sqlite3_prepare_v2(connection, query, -1, &statement, nil)
        var rows: [[String]] = []
        while result == SQLITE_OK || result == SQLITE_ROW {
            result = sqlite3_step(statement)
            guard result == SQLITE_ROW else { break }
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
                })
        }
        guard result == SQLITE_DONE else {
            return .failure(RunFailure(sqlite3_errmsg(connection).map { String(cString: $0) } ?? "error \(result)"))
        }
        return .success(rows)
    }
}
