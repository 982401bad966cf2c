import CSQLite

/// A compiled SQL statement, finalized when its owner is destroyed.
///
/// Statements are compiled for each operation and not cached. A cache would occupy memory
/// permanently, and compiling takes tens of microseconds, while a commit takes milliseconds.
package struct Statement: ~Copyable {
    private let statement: OpaquePointer
    private let database: Database
    private let action: StaticString

    /// Compiles `sql`.
    ///
    /// - Parameter action: The purpose for error messages, such as "adding conditions to".
    init(_ sql: String, in database: Database, action: StaticString) throws(StoreError) {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(database.connection, sql, -1, 0, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw database.failure(action, code: code) }
        self.statement = statement
        self.database = database
        self.action = action
    }

    deinit { sqlite3_finalize(statement) }

    /// Binds the parameters `?1`, `?2` and so on, in order; the remaining parameters keep their
    /// values.
    package func bind(_ values: SQLValue...) throws(StoreError) {
        try bind(values)
    }

    /// Binds a list of parameters.
    package func bind(_ values: [SQLValue]) throws(StoreError) {
        var index: Int32 = 0
        for value in values {
            index += 1
            try bind(value, at: index)
        }
    }

    /// Binds one parameter; the first has index 1.
    package func bind(_ value: SQLValue, at index: Int32) throws(StoreError) {
        let code =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let value): sqlite3_bind_int64(statement, index, value)
            case .real(let value): sqlite3_bind_double(statement, index, value)
            case .text(let text): Statement.bind(text, to: statement, at: index)
            case .bytes(let bytes):
                bytes.withUnsafeBytes {
                    sqlite_bind_blob_copy(statement, index, $0.baseAddress, Int32(clamping: $0.count))
                }
            }
        guard code == SQLITE_OK else { throw database.failure(action, code: code) }
    }

    /// Advances to the next row.
    ///
    /// - Returns: Whether there is a row. False also after a statement without results was
    ///   executed.
    @discardableResult
    package func step() throws(StoreError) -> Bool {
        if sqlite3_stmt_readonly(statement) == 0 { try database.renewLog(action) }
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let failure = database.failure(action, code: code)
            sqlite3_reset(statement)
            throw failure
        }
    }

    /// Executes a statement without results with these parameters, and resets it.
    package func run(_ values: SQLValue...) throws(StoreError) {
        try run(values)
    }

    /// Executes a statement without results with a list of parameters, and resets it.
    package func run(_ values: [SQLValue]) throws(StoreError) {
        try bind(values)
        try step()
        reset()
    }

    /// Executes the statement with these parameters and returns the result of `read` for the first
    /// row; nil if there is none. Resets the statement.
    package func first<R>(_ values: SQLValue..., read: (borrowing Statement) throws(StoreError) -> R) throws(StoreError)
        -> R?
    {
        try bind(values)
        defer { reset() }
        return try step() ? try read(self) : nil
    }

    /// Executes the statement with these parameters and returns the results of `read` for its rows,
    /// without nil. Resets the statement.
    package func rows<R>(_ values: SQLValue..., read: (borrowing Statement) throws(StoreError) -> R?) throws(StoreError)
        -> [R]
    {
        try bind(values)
        defer { reset() }
        var rows: [R] = []
        while try step() {
            if let row = try read(self) { rows.append(row) }
        }
        return rows
    }

    /// Resets the statement to before the first row; the parameters stay bound.
    package func reset() {
        sqlite3_reset(statement)
    }

    /// Returns whether a column is NULL; the first column has index 0.
    package func isNull(_ index: Int32) -> Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }

    /// Returns a column as an integer; 0 if it is not one.
    package func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(statement, index) }

    /// Returns a column as a number; 0 if it is not one.
    package func real(_ index: Int32) -> Double { sqlite3_column_double(statement, index) }

    /// Returns a column as text with invalid UTF-8 replaced; empty if it is NULL.
    package func text(_ index: Int32) -> String {
        guard let bytes = sqlite3_column_text(statement, index) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, index))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Calls `body` with a column's bytes, which are valid only during the call; empty if the
    /// column is NULL.
    package func withBytes<R>(_ index: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        let bytes = sqlite3_column_blob(statement, index)
        return body(
            UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_column_bytes(statement, index))))
    }

    /// Returns a column as an integer; nil if it is NULL.
    package func integerIfAny(_ index: Int32) -> Int64? { isNull(index) ? nil : integer(index) }

    /// Returns a column as a number; nil if it is NULL.
    package func realIfAny(_ index: Int32) -> Double? { isNull(index) ? nil : real(index) }

    /// Returns a column as text; nil if it is NULL.
    package func textIfAny(_ index: Int32) -> String? { isNull(index) ? nil : text(index) }

    private static func bind(_ text: String, to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { sqlite_bind_text_copy(statement, index, $0.baseAddress, Int32(clamping: $0.count)) }
    }
}

/// The value of a parameter of a ``Statement``.
package enum SQLValue: Sendable, Equatable {
    /// NULL.
    case null
    /// INTEGER.
    case integer(Int64)
    /// REAL; SQLite stores NaN as NULL.
    case real(Double)
    /// TEXT, in UTF-8.
    case text(String)
    /// BLOB.
    case bytes([UInt8])

    /// INTEGER, or NULL for nil.
    package static func integer(_ value: Int64?) -> SQLValue {
        if let value { .integer(value) } else { .null }
    }

    /// REAL, or NULL for nil.
    package static func real(_ value: Double?) -> SQLValue {
        if let value { .real(value) } else { .null }
    }

    /// TEXT, or NULL for nil.
    package static func text(_ value: String?) -> SQLValue {
        if let value { .text(value) } else { .null }
    }
}

/// A query of a file. Each is a constant, so their number is bounded.
package final class Query: Sendable {
    package let sql: String

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
