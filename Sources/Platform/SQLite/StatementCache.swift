/// A query of a file. Each is a constant, so their number is bounded.
package final class Query: Sendable {
    /// The statement.
    package let sql: String

    /// Creates a query.
    package init(_ sql: String) { self.sql = sql }
}

/// The compiled queries of a file. An answer takes some ten, and compiling each would take longer
/// than its execution.
package final class StatementCache {
    private final class Compiled {
        let statement: Statement

        init(_ statement: consuming Statement) { self.statement = statement }
    }

    /// The statements that are not in use.
    private var idle: [ObjectIdentifier: Compiled] = [:]

    /// Creates an empty cache.
    package init() {}

    /// Compiles a query, unless it is idle, and resets it after its use. All of its parameters must
    /// be bound each time.
    package func use(
        _ query: Query, of database: Database, _ body: (borrowing Statement) throws(StoreError) -> Void
    ) throws(StoreError) {
        let compiled: Compiled
        if let known = idle.removeValue(forKey: ObjectIdentifier(query)) {
            compiled = known
        } else {
            compiled = Compiled(try database.prepare(query.sql, for: "reading"))
        }
        defer {
            compiled.statement.reset()
            idle[ObjectIdentifier(query)] = compiled
        }
        try body(compiled.statement)
    }
}
