import CSQLite
import Glibc

/// Reads the daemon's database as it is on the disk of a machine that has lost its power.
enum DatabaseCheck {
    /// Returns what is wrong with a copy of the database; nil if it is intact or does not exist.
    ///
    /// - Parameter folder: the folder for the copy.
    static func problem(of database: String, in folder: String) -> String? {
        let copy = "\(folder)/copy.db"
        for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) }
        defer { for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) } }
        for suffix in ["", "-wal"] {
            guard let bytes = FileTree.bytes(of: database + suffix) else { continue }
            guard FileTree.write(bytes, to: copy + suffix) else { return "it cannot be copied to \(copy)" }
        }
        guard let size = FileTree.size(of: copy), size > 0 else { return nil }
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open(copy, &connection) == SQLITE_OK else { return "it cannot be opened" }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, "PRAGMA integrity_check", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
        else { return sqlite3_errmsg(connection).map { String(cString: $0) } }
        let answer = String(cString: text)
        return answer == "ok" ? nil : answer
    }
}
