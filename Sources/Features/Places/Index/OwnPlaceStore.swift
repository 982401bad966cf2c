import Chronology
import Geodesy
import Glibc
import SQLite

/// The own places of all programs, in a database on disk.
///
/// The file is created with the first place. Changes are on disk when a method returns.
package final class OwnPlaceStore {
    /// Why places are not added.
    package enum Refusal: Error, Sendable, Equatable {
        /// The program, or all programs of its user, would have more places than this.
        case tooMany(limit: Int)
        /// The file cannot be read or written.
        case failed(StoreError)
    }

    /// The number of places of one program, and of all programs of a user, at most.
    package static let maxPerProgram = 2000
    package static let maxPerUser = 5000

    private static let schema = [
        """
        CREATE TABLE own_place (
            program TEXT NOT NULL,
            identifier TEXT NOT NULL,
            domain TEXT NOT NULL,
            name TEXT NOT NULL,
            latitude REAL NOT NULL,
            longitude REAL NOT NULL,
            radius REAL NOT NULL,
            keywords TEXT NOT NULL,
            expiry INTEGER,
            user INTEGER NOT NULL,
            PRIMARY KEY (program, identifier)
        ) WITHOUT ROWID;
        CREATE INDEX own_place_of_user ON own_place (user);
        """,
        """
        ALTER TABLE own_place ADD COLUMN text TEXT NOT NULL DEFAULT '';
        ALTER TABLE own_place ADD COLUMN created INTEGER;
        """,
    ]

    private let file: DatabaseFile
    private var database: Database?
    /// The places of the program that asked last.
    private var cached: (program: String, places: [OwnPlace])?

    /// Creates a store at `path`.
    package init(path: String) { file = DatabaseFile(path: path, schema: OwnPlaceStore.schema) }

    private var movedAside: DatabaseFile.DamagedDatabase?

    /// Returns, once, the damaged file that was moved aside when the store was opened; nil if there
    /// was none.
    package func takeMovedAside() -> DatabaseFile.DamagedDatabase? {
        defer { movedAside = nil }
        return movedAside
    }

    /// Adds places of a program, or replaces those with the same identifiers: all or none.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - user: The user of the program.
    package func put(
        _ places: [OwnPlace], of program: String, user: UInt32, at now: UTCTime
    ) throws(Refusal) {
        cached = nil
        var limit: Int?
        do throws(StoreError) {
            guard let database = try open(at: now, isCreating: true) else { return }
            try database.transaction("adding places to") { () throws(StoreError) in
                try OwnPlaceStore.removeExpired(from: database, at: now)
                try OwnPlaceStore.insert(places, program, user, into: database)
                limit = try OwnPlaceStore.exceededLimit(of: program, user: user, in: database)
                // Ends the transaction without a change.
                if limit != nil { throw StoreError("adding places to \(file.path)", reason: "too many", code: 0) }
            }
        } catch {
            throw limit.map { .tooMany(limit: $0) } ?? .failed(error)
        }
    }

    /// Removes places of a program by their identifiers. Returns how many there were.
    package func remove(
        _ identifiers: [String], of program: String, at now: UTCTime
    ) throws(StoreError) -> Int {
        try change(at: now) { database throws(StoreError) in
            var count = 0
            for identifier in identifiers {
                count += try OwnPlaceStore.delete(
                    "program = ?1 AND identifier = ?2", [.text(program), .text(identifier)], from: database)
            }
            return count
        }
    }

    /// Removes the places of a program in a domain; nil removes all. Returns how many there were.
    package func removeAll(of program: String, domain: String?, at now: UTCTime) throws(StoreError) -> Int {
        try change(at: now) { database throws(StoreError) in
            guard let domain else { return try OwnPlaceStore.delete("program = ?1", [.text(program)], from: database) }
            return try OwnPlaceStore.delete(
                "program = ?1 AND domain = ?2", [.text(program), .text(domain)], from: database)
        }
    }

    /// Returns the places of a program that are valid, sorted by identifier.
    package func places(of program: String, at now: UTCTime) throws(StoreError) -> [OwnPlace] {
        if cached?.program != program {
            cached = (program, try read(program, at: now))
        }
        return cached?.places.filter { $0.isValid(at: now) } ?? []
    }

    private func read(_ program: String, at now: UTCTime) throws(StoreError) -> [OwnPlace] {
        guard let database = try open(at: now, isCreating: false) else { return [] }
        let statement = try database.prepare(
            """
            SELECT identifier, domain, name, latitude, longitude, radius, keywords, expiry, text, created
            FROM own_place WHERE program = ?1 ORDER BY identifier
            """, for: "reading")
        return try statement.rows(.text(program)) { row in
            guard let coordinate = Coordinate(latitude: row.real(3), longitude: row.real(4)) else { return nil }
            let keywords = row.text(6).split(separator: "\n").map(String.init)
            return try? OwnPlace(
                identifier: row.text(0), domain: row.text(1), name: row.text(2), coordinate: coordinate,
                radius: row.real(5), keywords: keywords, text: row.text(8),
                created: row.integerIfAny(9).map { UTCTime(milliseconds: $0) },
                expiry: row.integerIfAny(7).map { UTCTime(milliseconds: $0) })
        }
    }

    /// Changes the file if it exists.
    private func change(at now: UTCTime, _ body: (Database) throws(StoreError) -> Int) throws(StoreError) -> Int {
        cached = nil
        guard let database = try open(at: now, isCreating: false) else { return 0 }
        return try database.transaction("removing places from") { () throws(StoreError) in
            try OwnPlaceStore.removeExpired(from: database, at: now)
            return try body(database)
        }
    }

    private func open(at now: UTCTime, isCreating: Bool) throws(StoreError) -> Database? {
        if let database { return database }
        guard isCreating || access(file.path, F_OK) == 0 else { return nil }
        let opened = try file.open(at: now)
        movedAside = opened.movedAside
        database = opened.database
        return database
    }

    private static func insert(
        _ places: [OwnPlace], _ program: String, _ user: UInt32, into database: Database
    ) throws(StoreError) {
        let statement = try database.prepare(
            "INSERT OR REPLACE INTO own_place VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            for: "adding places to")
        for place in places {
            try statement.run(
                .text(program), .text(place.identifier), .text(place.domain), .text(place.name),
                .real(place.coordinate.latitude), .real(place.coordinate.longitude), .real(place.radius),
                .text(place.keywords.joined(separator: "\n")), .integer(place.expiry?.milliseconds),
                .integer(Int64(user)), .text(place.text), .integer(place.created?.milliseconds))
        }
    }

    private static func exceededLimit(
        of program: String, user: UInt32, in database: Database
    ) throws(StoreError) -> Int? {
        if try count("program = ?1", [.text(program)], in: database) > maxPerProgram { return maxPerProgram }
        return try count("user = ?1", [.integer(Int64(user))], in: database) > maxPerUser ? maxPerUser : nil
    }

    private static func count(
        _ condition: String, _ values: [SQLValue], in database: Database
    ) throws(StoreError) -> Int64 {
        let statement = try database.prepare("SELECT count(*) FROM own_place WHERE \(condition)", for: "reading")
        try statement.bind(values)
        return try statement.step() ? statement.integer(0) : 0
    }

    private static func delete(
        _ condition: String, _ values: [SQLValue], from database: Database
    ) throws(StoreError) -> Int {
        let found = try count(condition, values, in: database)
        let statement = try database.prepare("DELETE FROM own_place WHERE \(condition)", for: "removing places from")
        try statement.bind(values)
        _ = try statement.step()
        return Int(clamping: found)
    }

    private static func removeExpired(from database: Database, at now: UTCTime) throws(StoreError) {
        let statement = try database.prepare("DELETE FROM own_place WHERE expiry <= ?1", for: "removing places from")
        try statement.run(.integer(now.milliseconds))
    }
}
