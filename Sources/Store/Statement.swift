import CSQLite

/// One sentence of SQL, compiled; finalised when its owner goes.
///
/// Nothing is kept compiled between operations: it costs memory for ever, and compiling takes some tens of microseconds where a commit
/// takes milliseconds.
public struct Statement: ~Copyable {
    private let statement: OpaquePointer
    private let database: Database
    private let action: StaticString

    /// Compiles `sql`.
    ///
    /// - Parameter action: what it is for, as "adding conditions"; for errors.
    init(_ sql: String, in database: Database, action: StaticString) throws(StoreError) {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(database.connection, sql, -1, 0, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw database.failure(action, code) }
        self.statement = statement
        self.database = database
        self.action = action
    }

    deinit { sqlite3_finalize(statement) }

    /// Binds the parameters `?1`, `?2` and so on, in order; those not named here keep what they had.
    public func bind(_ values: SQLValue...) throws(StoreError) {
        try bind(values)
    }

    /// The same, for a list.
    public func bind(_ values: [SQLValue]) throws(StoreError) {
        var index: Int32 = 0
        for value in values {
            index += 1
            try bind(value, at: index)
        }
    }

    /// Binds one parameter, counted from 1.
    public func bind(_ value: SQLValue, at index: Int32) throws(StoreError) {
        let code =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let value): sqlite3_bind_int64(statement, index, value)
            case .real(let value): sqlite3_bind_double(statement, index, value)
            case .text(let text): Statement.bind(text, to: statement, at: index)
            case .bytes(let bytes):
                bytes.withUnsafeBytes { sqlite_bind_blob_copy(statement, index, $0.baseAddress, Int32(clamping: $0.count)) }
            }
        guard code == SQLITE_OK else { throw database.failure(action, code) }
    }

    /// Goes to the next row.
    ///
    /// - Returns: false when there is none, or the sentence yields none and has been carried out.
    @discardableResult
    public func step() throws(StoreError) -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let failure = database.failure(action, code)
            sqlite3_reset(statement)
            throw failure
        }
    }

    /// Carries out a sentence that yields nothing with these parameters, ready for the next.
    public func run(_ values: SQLValue...) throws(StoreError) {
        try run(values)
    }

    /// The same, for a list.
    public func run(_ values: [SQLValue]) throws(StoreError) {
        try bind(values)
        try step()
        reset()
    }

    /// Whether there is a row with these parameters, and if so what `read` makes of it; ready for the next.
    public func first<R>(_ values: SQLValue..., read: (borrowing Statement) throws(StoreError) -> R) throws(StoreError) -> R? {
        try bind(values)
        defer { reset() }
        return try step() ? try read(self) : nil
    }

    /// Back to before the first row; the parameters stay bound.
    public func reset() {
        sqlite3_reset(statement)
    }

    /// Whether column `index`, counted from 0, is NULL.
    public func isNull(_ index: Int32) -> Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }

    /// A column as an integer; 0 where it is none.
    public func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(statement, index) }

    /// A column as a number; 0 where it is none.
    public func real(_ index: Int32) -> Double { sqlite3_column_double(statement, index) }

    /// A column as text, with what is no UTF-8 replaced; empty where it is none.
    public func text(_ index: Int32) -> String {
        guard let bytes = sqlite3_column_text(statement, index) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, index))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// A column's bytes, valid in `body` only; empty where it is NULL.
    public func withBytes<R>(_ index: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        let bytes = sqlite3_column_blob(statement, index)
        return body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_column_bytes(statement, index))))
    }

    /// A column as an integer, or nil where it is NULL.
    public func integerIfAny(_ index: Int32) -> Int64? { isNull(index) ? nil : integer(index) }

    /// A column as a number, or nil where it is NULL.
    public func realIfAny(_ index: Int32) -> Double? { isNull(index) ? nil : real(index) }

    /// A column as text, or nil where it is NULL.
    public func textIfAny(_ index: Int32) -> String? { isNull(index) ? nil : text(index) }

    private static func bind(_ text: String, to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { sqlite_bind_text_copy(statement, index, $0.baseAddress, Int32(clamping: $0.count)) }
    }
}
