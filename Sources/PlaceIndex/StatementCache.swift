import Store

/// The compiled queries of a file. An answer takes some ten, and compiling each would take longer
/// than its execution.
final class StatementCache {
    private final class Compiled {
        let statement: Statement

        init(_ statement: consuming Statement) { self.statement = statement }
    }

    /// The statements that are not in use, by their text. The texts are constants, so their number
    /// is bounded.
    private var idle: [String: Compiled] = [:]

    /// Compiles a statement, unless it is idle, and resets it after its use. All of its parameters
    /// must be bound each time.
    func use(
        _ sql: String, of database: Database, _ body: (borrowing Statement) throws(StoreError) -> Void
    ) throws(StoreError) {
        let compiled: Compiled
        if let known = idle.removeValue(forKey: sql) {
            compiled = known
        } else {
            compiled = Compiled(try database.prepare(sql, for: "reading"))
        }
        defer {
            compiled.statement.reset()
            idle[sql] = compiled
        }
        try body(compiled.statement)
    }
}
