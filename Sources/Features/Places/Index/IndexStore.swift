import Chronology
import Geodesy
import Glibc
import SQLite
import Varlink

/// A change of one index of a program: removals, then additions, then the state. All or nothing.
package struct IndexChange: Sendable {
    /// Whether all items of the index and its state are removed.
    package var removesAll = false
    /// The domains whose items are removed, with those in them.
    package var domains: [String] = []
    /// The identifiers of items that are removed.
    package var identifiers: [String] = []
    /// Items to add, or to replace those with the same identifiers.
    package var items: [IndexedItem] = []
    /// The new state; nil keeps the present one.
    package var state: [UInt8]?
    /// Only if this is the present state, which is empty if there is none; nil for any.
    package var expectedState: [UInt8]?

    /// Creates a change of nothing.
    package init() {}
}

/// The items that programs want to be found again, in a database on disk.
///
/// The file is created with the first item. Changes are on disk when a method returns. Each program
/// has a number, which is a word of its items in the index of words: a search of one program reads
/// no rows of another.
package final class IndexStore {
    /// Why a change is not made.
    package enum Refusal: Error, Sendable, Equatable {
        /// The program, or all programs of its user, would have more items than this.
        case tooManyItems(limit: Int)
        /// Their items would have more bytes than this.
        case tooMuchData(limit: Int)
        /// The program would have more states than this.
        case tooManyStates(limit: Int)
        /// The state is not the expected one.
        case stateMismatch
        /// The file cannot be read or written.
        case failed(StoreError)
    }

    /// The number of items and of their bytes, of a program and of all programs of a user, at most.
    package static let maxPerProgram = 20_000
    package static let maxPerUser = 50_000
    package static let maxBytesPerProgram = 16 << 20
    package static let maxBytesPerUser = 64 << 20
    /// The number of indexes of a program with a state, at most.
    package static let maxStates = 64

    /// The name of a program's default index.
    package static let defaultIndex = ""

    private static let schema = [
        """
        CREATE TABLE owner (
            id INTEGER PRIMARY KEY, program TEXT NOT NULL UNIQUE, user INTEGER NOT NULL,
            items INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE item (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, space TEXT NOT NULL,
            identifier TEXT NOT NULL, domain TEXT NOT NULL, attributes BLOB NOT NULL, expiry INTEGER,
            bytes INTEGER NOT NULL, UNIQUE (owner, space, identifier));
        CREATE INDEX item_of_owner ON item (owner);
        CREATE INDEX item_expiry ON item (expiry) WHERE expiry IS NOT NULL;
        CREATE TABLE thumbnail (item INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE state (
            owner INTEGER NOT NULL, space TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (owner, space)
        ) WITHOUT ROWID;
        CREATE VIRTUAL TABLE words USING fts5(owner, title, text, columnsize=0, detail=column, prefix='1 2 3',
            tokenize="unicode61 remove_diacritics 2 categories 'L* M* N* Co'");
        CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
            UPDATE owner SET items = items + 1, bytes = bytes + new.bytes WHERE id = new.owner;
        END;
        CREATE TRIGGER item_removed AFTER DELETE ON item BEGIN
            UPDATE owner SET items = items - 1, bytes = bytes - old.bytes WHERE id = old.owner;
            DELETE FROM thumbnail WHERE item = old.id;
        END;
        """
    ]

    private let file: DatabaseFile
    private var database: Database?
    private var movedAside: DatabaseFile.DamagedDatabase?

    /// Creates a store at `path`.
    package init(path: String) { file = DatabaseFile(path: path, schema: IndexStore.schema) }

    /// Returns, once, the damaged file that was moved aside when the store was opened; nil if there
    /// was none.
    package func takeMovedAside() -> DatabaseFile.DamagedDatabase? { movedAside.take() }

    /// Changes an index of a program. Returns the number of items that were removed.
    ///
    /// - Parameters:
    ///   - space: The name of the index; ``defaultIndex`` for the default one.
    ///   - user: The user of the program.
    package func apply(
        _ change: IndexChange, to space: String, of program: String, user: UInt32, at now: UTCTime
    ) throws(Refusal) -> Int {
        var refusal: Refusal?
        do throws(StoreError) {
            let isAdding = !change.items.isEmpty || change.state != nil
            guard let database = try open(at: now, isCreating: isAdding) else {
                if let expected = change.expectedState, !expected.isEmpty { refusal = .stateMismatch }
                throw StoreError("changing \(file.path)", reason: "there is no index", code: IndexStore.noChange)
            }
            return try database.transaction("changing") { () throws(StoreError) in
                try IndexStore.removeExpired(from: database, at: now)
                let number = try IndexStore.number(of: program, user: user, in: database)
                let owner = IndexOwner(number: number, space: space)
                if let expected = change.expectedState, try owner.state(in: database) ?? [] != expected {
                    refusal = .stateMismatch
                } else {
                    let removed = try owner.apply(change, in: database)
                    refusal = try IndexStore.exceededLimit(number, user: user, in: database)
                    try IndexStore.forgetEmpty(number, in: database)
                    if refusal == nil { return removed }
                }
                // Ends the transaction without a change.
                throw StoreError("changing \(file.path)", reason: "refused", code: IndexStore.noChange)
            }
        } catch {
            if let refusal { throw refusal }
            guard error.code == IndexStore.noChange else { throw .failed(error) }
            return 0
        }
    }

    /// The code of an error that ends a transaction on purpose.
    private static let noChange: Int32 = 0

    /// Returns the state of an index of a program; nil if there is none.
    package func state(of program: String, in space: String, at now: UTCTime) throws(StoreError) -> [UInt8]? {
        guard let database = try open(at: now, isCreating: false),
            let number = try IndexStore.knownNumber(of: program, in: database)
        else { return nil }
        return try IndexOwner(number: number, space: space).state(in: database)
    }

    /// Returns items, with where to continue if there may be more.
    ///
    /// - Parameter program: The only program whose items are returned; nil for all.
    package func search(
        _ request: IndexSearch, of program: String?, at now: UTCTime
    ) throws(StoreError) -> IndexSearch.Result {
        guard let database = try open(at: now, isCreating: false) else { return IndexSearch.Result() }
        var owner: Int64?
        if let program {
            guard let number = try IndexStore.knownNumber(of: program, in: database) else {
                return IndexSearch.Result()
            }
            owner = number
        }
        return try request.run(in: database, owner: owner, at: now)
    }

    private func open(at now: UTCTime, isCreating: Bool) throws(StoreError) -> Database? {
        if let database { return database }
        guard isCreating || access(file.path, F_OK) == 0 else { return nil }
        let opened = try file.open(at: now)
        movedAside = opened.movedAside
        // More than other files need: the rows of a batch are in random pages of the index.
        try opened.database.execute("PRAGMA cache_size=-1024", for: "opening")
        try opened.database.transaction("removing expired items from") { () throws(StoreError) in
            try IndexStore.removeExpired(from: opened.database, at: now)
        }
        database = opened.database
        return opened.database
    }

    private static func removeExpired(from database: Database, at now: UTCTime) throws(StoreError) {
        _ = try remove("expiry <= ?1", [[.integer(now.milliseconds)]], from: database)
    }

    /// Removes items with their words, once for each list of values. Returns how many there were.
    ///
    /// A trigger may not change an index of words
    /// (https://www.sqlite.org/pragma.html#pragma_trusted_schema).
    fileprivate static func remove(
        _ condition: String, _ values: [[SQLValue]], from database: Database
    ) throws(StoreError) -> Int {
        guard !values.isEmpty else { return 0 }
        let words = try database.prepare(
            "DELETE FROM words WHERE rowid IN (SELECT id FROM item WHERE \(condition))", for: "removing items from")
        let items = try database.prepare("DELETE FROM item WHERE \(condition)", for: "removing items from")
        var removed = 0
        for value in values {
            try words.run(value)
            try items.run(value)
            removed += database.changes
        }
        return removed
    }

    private static func knownNumber(of program: String, in database: Database) throws(StoreError) -> Int64? {
        try database.prepare("SELECT id FROM owner WHERE program = ?1", for: "reading")
            .first(.text(program)) { $0.integer(0) }
    }

    private static func number(of program: String, user: UInt32, in database: Database) throws(StoreError) -> Int64 {
        if let known = try knownNumber(of: program, in: database) { return known }
        try database.prepare("INSERT INTO owner (program, user) VALUES (?1, ?2)", for: "adding items to")
            .run(.text(program), .integer(Int64(user)))
        return database.lastRow
    }

    private static func exceededLimit(
        _ owner: Int64, user: UInt32, in database: Database
    ) throws(StoreError) -> Refusal? {
        func sums(_ condition: String, _ value: Int64) throws(StoreError) -> (items: Int64, bytes: Int64) {
            try database.prepare("SELECT sum(items), sum(bytes) FROM owner WHERE \(condition) = ?1", for: "reading")
                .first(.integer(value)) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
        }
        let own = try sums("id", owner)
        if own.items > maxPerProgram { return .tooManyItems(limit: maxPerProgram) }
        if own.bytes > maxBytesPerProgram { return .tooMuchData(limit: maxBytesPerProgram) }
        let all = try sums("user", Int64(user))
        if all.items > maxPerUser { return .tooManyItems(limit: maxPerUser) }
        if all.bytes > maxBytesPerUser { return .tooMuchData(limit: maxBytesPerUser) }
        let states =
            try database.prepare("SELECT count(*) FROM state WHERE owner = ?1", for: "reading")
            .first(.integer(owner)) { $0.integer(0) } ?? 0
        return states > maxStates ? .tooManyStates(limit: maxStates) : nil
    }

    private static func forgetEmpty(_ owner: Int64, in database: Database) throws(StoreError) {
        let sql = """
            DELETE FROM owner WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM item WHERE owner = ?1)
                AND NOT EXISTS (SELECT 1 FROM state WHERE owner = ?1)
            """
        try database.prepare(sql, for: "removing items from").run(.integer(owner))
    }
}

/// One index of a program, within a transaction.
private struct IndexOwner {
    let number: Int64
    let space: String

    private var key: [SQLValue] { [.integer(number), .text(space)] }

    func state(in database: Database) throws(StoreError) -> [UInt8]? {
        let statement = try database.prepare("SELECT bytes FROM state WHERE owner = ?1 AND space = ?2", for: "reading")
        try statement.bind(key)
        return try statement.step() ? statement.withBytes(0) { Array($0) } : nil
    }

    /// Returns the number of items that were removed.
    func apply(_ change: IndexChange, in database: Database) throws(StoreError) -> Int {
        var removed = 0
        if change.removesAll {
            removed += try remove("TRUE", [[]], from: database)
            try database.prepare("DELETE FROM state WHERE owner = ?1 AND space = ?2", for: "removing items from")
                .run(key)
        }
        // A full stop is followed by a slash in ASCII.
        removed += try remove(
            "(domain = ?3 OR domain >= ?3 || '.' AND domain < ?3 || '/')", change.domains.map { [.text($0)] },
            from: database)
        removed += try remove("identifier = ?3", change.identifiers.map { [.text($0)] }, from: database)
        try add(change.items, to: database)
        if let state = change.state {
            try database.prepare("INSERT OR REPLACE INTO state VALUES (?1, ?2, ?3)", for: "adding items to")
                .run(key + [.bytes(state)])
        }
        return removed
    }

    private func remove(
        _ condition: String, _ values: [[SQLValue]], from database: Database
    ) throws(StoreError) -> Int {
        try IndexStore.remove("owner = ?1 AND space = ?2 AND \(condition)", values.map { key + $0 }, from: database)
    }

    private func add(_ items: [IndexedItem], to database: Database) throws(StoreError) {
        _ = try remove("identifier = ?3", items.map { [.text($0.identifier)] }, from: database)
        let rows = try database.prepare(
            """
            INSERT INTO item (owner, space, identifier, domain, attributes, expiry, bytes)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """, for: "adding items to")
        let words = try database.prepare(
            "INSERT INTO words (rowid, owner, title, text) VALUES (?1, ?2, ?3, ?4)", for: "adding items to")
        let thumbnails = try database.prepare("INSERT INTO thumbnail VALUES (?1, ?2)", for: "adding items to")
        // Of items with the same identifier the last one counts.
        var last: [String: Int] = [:]
        for (index, item) in items.enumerated() { last[item.identifier] = index }
        for (index, item) in items.enumerated() where last[item.identifier] == index {
            try rows.run(
                key + [
                    .text(item.identifier), .text(item.domain), .bytes(item.json), .integer(item.expiry?.milliseconds),
                    .integer(Int64(item.byteCount)),
                ])
            let row = database.lastRow
            try words.run(
                .integer(row), .text(IndexSearch.word(of: number)), .text(item.words(of: IndexedItem.titles)),
                .text(item.words(of: IndexedItem.texts)))
            if !item.thumbnail.isEmpty { try thumbnails.run(.integer(row), .bytes(item.thumbnail)) }
        }
    }
}
