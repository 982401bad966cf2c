import Chronology
import Geodesy
import Glibc
import SQLite
import SextantServiceAPI

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
///
/// To erase the words of an item takes time. Items of a removed domain or index are therefore
/// retired: they are not found any more. They are erased like expired items: a limited number
/// before each change, and by ``tidy(at:)``.
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

    /// The number of items of a user's programs, and of bytes of a program and of them, at most.
    package static let maxPerUser = 50_000
    package static let maxBytesPerProgram = 16 << 20
    package static let maxBytesPerUser = 64 << 20
    /// The number of indexes of a program with a state, at most.
    package static let maxStates = 64
    /// The size of the file in pages of 4,096 bytes, at most: 1 GiB.
    package static let maxPages = 262_144
    /// The number of expired items that are erased at once, unless a change adds more.
    private static let maxErased = 50
    /// The number of pages of the index of words that are merged at once.
    private static let maxMerged: Int64 = 64

    /// The name of a program's default index.
    package static let defaultIndex = ""

    private static let schema = [
        """
        CREATE TABLE owner (
            id INTEGER PRIMARY KEY, program TEXT NOT NULL UNIQUE, user INTEGER NOT NULL,
            items INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 1024);
        CREATE INDEX owner_of_user ON owner (user);
        CREATE TABLE item (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, space TEXT NOT NULL,
            identifier TEXT NOT NULL, domain TEXT NOT NULL, bytes INTEGER NOT NULL, attributes BLOB NOT NULL,
            expiry INTEGER, latitude REAL, longitude REAL, UNIQUE (owner, space, identifier));
        CREATE INDEX item_of_owner ON item (owner);
        CREATE INDEX item_domain ON item (owner, space, domain) WHERE domain <> '';
        CREATE INDEX item_expiry ON item (expiry) WHERE expiry IS NOT NULL;
        CREATE TABLE retired (item INTEGER PRIMARY KEY);
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
            UPDATE owner SET items = items - 1, bytes = bytes - old.bytes
                WHERE id = old.owner AND old.id NOT IN (SELECT item FROM retired);
            DELETE FROM retired WHERE item = old.id;
            DELETE FROM thumbnail WHERE item = old.id;
        END;
        CREATE TRIGGER state_added AFTER INSERT ON state BEGIN
            UPDATE owner SET bytes = bytes + 512 WHERE id = new.owner;
        END;
        CREATE TRIGGER state_removed AFTER DELETE ON state BEGIN
            UPDATE owner SET bytes = bytes - 512 WHERE id = old.owner;
        END;
        """
    ]

    /// Whether an item is not retired.
    static let isPresent = "id NOT IN (SELECT item FROM retired)"

    /// The items of an owner and an index that are removed together: all, those of a domain, and
    /// those of the domains in it. A full stop is followed by a slash in ASCII.
    package static let removals = [
        "TRUE", "domain <> '' AND domain = ?3", "domain <> '' AND domain >= ?3 || '.' AND domain < ?3 || '/'",
    ].map { "item WHERE owner = ?1 AND space = ?2 AND \($0) AND \(isPresent)" }

    private let file: DatabaseFile
    private let maxPages: Int
    private var database: Database?
    private var movedAside: DatabaseFile.DamagedDatabase?
    /// Whether damage was found after the file was opened.
    private var isSuspect = false
    /// Whether there may be expired or retired items.
    private var hasExpired = false
    private var merge = Merge.notNeeded

    /// How far the parts of the index of words are merged, which erases the words of removed items.
    private enum Merge { case notNeeded, needed, begun }

    /// Creates a store at `path`.
    package init(path: String, maxPages: Int = IndexStore.maxPages) {
        file = DatabaseFile(path: path, schema: IndexStore.schema)
        self.maxPages = maxPages
    }

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
        let isAdding = !change.items.isEmpty || change.state != nil
        let result: Result<Int, Refusal>?
        do throws(StoreError) {
            result = try withDatabase(at: now, isCreating: isAdding) { database throws(StoreError) in
                let known = try IndexStore.knownNumber(of: program, in: database)
                let owner = known.map { IndexOwner(number: $0, space: space) }
                if let expected = change.expectedState, try owner?.state(in: database) ?? [] != expected {
                    return .failure(.stateMismatch)
                }
                // As many as are added, so that the number of rows stays limited.
                try erase(max(IndexStore.maxErased, change.items.count), from: database, at: now)
                return try apply(change, to: space, of: program, user, in: database)
            }
        } catch {
            throw .failed(error)
        }
        if let result { return try result.get() }
        // There is no file.
        guard (change.expectedState ?? []).isEmpty else { throw .stateMismatch }
        return 0
    }

    private func apply(
        _ change: IndexChange, to space: String, of program: String, _ user: UInt32, in database: Database
    ) throws(StoreError) -> Result<Int, Refusal> {
        var refusal: Refusal?
        do throws(StoreError) {
            let removed = try database.transaction("changing") { () throws(StoreError) in
                let number = try IndexStore.number(of: program, user: user, in: database)
                let removed = try IndexOwner(number: number, space: space).apply(change, in: database)
                refusal = try IndexStore.exceededLimit(number, user: user, in: database)
                // Ends the transaction without a change.
                if refusal != nil { throw StoreError("changing \(file.path)", reason: "refused", code: 0) }
                try IndexStore.forgetEmpty(number, in: database)
                return removed
            }
            if removed > 0, change.removesAll || !change.domains.isEmpty { (hasExpired, merge) = (true, .needed) }
            return .success(removed)
        } catch {
            if let refusal { return .failure(refusal) }
            throw error
        }
    }

    /// Returns the state of an index of a program; nil if there is none.
    package func state(of program: String, in space: String, at now: UTCTime) throws(StoreError) -> [UInt8]? {
        try withDatabase(at: now, isCreating: false) { database throws(StoreError) in
            guard let number = try IndexStore.knownNumber(of: program, in: database) else { return nil }
            return try IndexOwner(number: number, space: space).state(in: database)
        } ?? nil
    }

    /// Returns items, with where to continue if there may be more.
    ///
    /// - Parameter program: The only program whose items are returned; nil for all.
    package func search(
        _ request: IndexSearch, of program: String?, at now: UTCTime
    ) throws(StoreError) -> IndexSearch.Result {
        try withDatabase(at: now, isCreating: false) { database throws(StoreError) in
            var owner: Int64?
            if let program {
                owner = try IndexStore.knownNumber(of: program, in: database)
                guard owner != nil else { return IndexSearch.Result() }
            }
            return try request.run(in: database, owner: owner, at: now)
        } ?? IndexSearch.Result()
    }

    /// Whether ``tidy(at:)`` has something to do.
    package var isUntidy: Bool { database != nil && (hasExpired || merge != .notNeeded) }

    /// Erases some expired items. If none is left after a removal of many, merges some parts of the
    /// index of words, because their words are in older parts until then.
    ///
    /// - Throws: `StoreError`; then the rest has to wait for the next change.
    package func tidy(at now: UTCTime) throws(StoreError) {
        do throws(StoreError) {
            try withDatabase(at: now, isCreating: false) { database throws(StoreError) in
                if hasExpired {
                    try erase(IndexStore.maxErased, from: database, at: now)
                } else if merge != .notNeeded {
                    try mergeWords(of: database)
                }
            }
        } catch {
            (hasExpired, merge) = (false, .notNeeded)
            throw error
        }
    }

    /// Merges parts of the index of words: first all become candidates, then some are merged each
    /// time (https://www.sqlite.org/fts5.html#the_merge_command).
    private func mergeWords(of database: Database) throws(StoreError) {
        let pages = merge == .begun ? IndexStore.maxMerged : -IndexStore.maxMerged
        let count = "SELECT total_changes()"
        let before = try database.integer(count, for: "merging words of")
        try database.transaction("merging words of") { () throws(StoreError) in
            try database.prepare("INSERT INTO words (words, rank) VALUES ('merge', ?1)", for: "merging words of")
                .run(.integer(pages))
        }
        merge = .begun
        // One change is the command itself.
        guard try database.integer(count, for: "merging words of") - before < 2 else { return }
        merge = .notNeeded
        try database.overwriteLog("merging words of")
    }

    /// Executes `body` with the database; returns nil if there is none and it is not created.
    @discardableResult
    private func withDatabase<Value>(
        at now: UTCTime, isCreating: Bool, _ body: (Database) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        do throws(StoreError) {
            if let database { return try body(database) }
            guard isCreating || access(file.path, F_OK) == 0 else { return nil }
            return try body(try open(at: now))
        } catch {
            if error.kind == .damaged {
                // The next call checks every page, and moves the file aside.
                (database, isSuspect) = (nil, true)
            }
            throw error
        }
    }

    private func open(at now: UTCTime) throws(StoreError) -> Database {
        // To check every page takes longer than a search, and the service starts often.
        let opened = try file.open(at: now, checksClosed: isSuspect)
        isSuspect = false
        movedAside = opened.movedAside
        // More than other files need: the rows of a batch are in random pages of the index.
        try opened.database.execute(
            "PRAGMA cache_size=-1024; PRAGMA max_page_count=\(maxPages)", for: "opening")
        database = opened.database
        hasExpired = true
        let retired = "SELECT count(*) FROM (SELECT 1 FROM retired LIMIT 1)"
        merge = try opened.database.integer(retired, for: "opening") > 0 ? .needed : .notNeeded
        return opened.database
    }

    private func erase(_ limit: Int, from database: Database, at now: UTCTime) throws(StoreError) {
        let rows = try IndexStore.rows(
            """
            id IN (SELECT item FROM retired
                UNION ALL SELECT id FROM item WHERE expiry <= ?1 AND \(IndexStore.isPresent) LIMIT ?2)
            """, [.integer(now.milliseconds), .integer(Int64(limit))], of: database)
        hasExpired = rows.count == limit
        guard !rows.isEmpty else { return }
        try database.transaction("removing expired items from") { () throws(StoreError) in
            try IndexStore.erase(rows, from: database)
            for owner in Set(rows.map(\.owner)) { try IndexStore.forgetEmpty(owner, in: database) }
        }
    }

    fileprivate static func rows(
        _ condition: String, _ values: [SQLValue], of database: Database
    ) throws(StoreError) -> [(item: Int64, owner: Int64)] {
        let found = try database.prepare("SELECT id, owner FROM item WHERE \(condition)", for: "reading")
        try found.bind(values)
        return try found.rows { ($0.integer(0), $0.integer(1)) }
    }

    /// Removes items with their words. A trigger may not change an index of words
    /// (https://www.sqlite.org/pragma.html#pragma_trusted_schema).
    fileprivate static func erase(
        _ rows: [(item: Int64, owner: Int64)], from database: Database
    ) throws(StoreError) {
        guard !rows.isEmpty else { return }
        let words = try database.prepare("DELETE FROM words WHERE rowid = ?1", for: "removing items from")
        let items = try database.prepare("DELETE FROM item WHERE id = ?1", for: "removing items from")
        for row in rows {
            try words.run(.integer(row.item))
            try items.run(.integer(row.item))
        }
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
        if own.items > IndexLimits.items { return .tooManyItems(limit: IndexLimits.items) }
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

    func apply(_ change: IndexChange, in database: Database) throws(StoreError) -> Int {
        var removed = 0
        if change.removesAll {
            removed += try retire(IndexStore.removals[0], [], in: database)
            try database.prepare("DELETE FROM state WHERE owner = ?1 AND space = ?2", for: "removing items from")
                .run(key)
        }
        // An empty domain is none.
        for domain in change.domains where !domain.isEmpty {
            for removal in IndexStore.removals.dropFirst() {
                removed += try retire(removal, [.text(domain)], in: database)
            }
        }
        for identifier in change.identifiers {
            removed += try remove(identifier, where: IndexStore.isPresent, from: database)
        }
        try add(change.items, to: database)
        if let state = change.state {
            let sql = "INSERT INTO state VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET bytes = excluded.bytes"
            try database.prepare(sql, for: "adding items to").run(key + [.bytes(state)])
        }
        return removed
    }

    private func retire(_ removal: String, _ values: [SQLValue], in database: Database) throws(StoreError) -> Int {
        // This writes no rows of items.
        let totals = """
            UPDATE owner SET (items, bytes) = (
                SELECT owner.items - count(*), owner.bytes - ifnull(sum(item.bytes), 0) FROM \(removal)) WHERE id = ?1
            """
        for sql in [totals, "INSERT INTO retired SELECT id FROM \(removal)"] {
            try database.prepare(sql, for: "removing items from").run(key + values)
        }
        return database.changes
    }

    private func remove(
        _ identifier: String, where condition: String = "TRUE", from database: Database
    ) throws(StoreError) -> Int {
        let rows = try IndexStore.rows(
            "owner = ?1 AND space = ?2 AND identifier = ?3 AND \(condition)", key + [.text(identifier)], of: database)
        try IndexStore.erase(rows, from: database)
        return rows.count
    }

    private func add(_ items: [IndexedItem], to database: Database) throws(StoreError) {
        for item in items { _ = try remove(item.identifier, from: database) }
        let rows = try database.prepare(
            """
            INSERT INTO item (owner, space, identifier, domain, attributes, expiry, bytes, latitude, longitude)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
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
                    .integer(Int64(item.byteCount)), .real(item.coordinate?.latitude),
                    .real(item.coordinate?.longitude),
                ])
            let row = database.lastRow
            try words.run(
                .integer(row), .text(IndexSearch.word(of: number)), .text(item.words(of: IndexedItem.titles)),
                .text(item.words(of: IndexedItem.texts)))
            if !item.thumbnail.isEmpty { try thumbnails.run(.integer(row), .bytes(item.thumbnail)) }
        }
    }
}
