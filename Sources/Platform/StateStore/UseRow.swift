import SQLite

/// One stored period in which a program used the location.
package struct UseRow: Sendable, Equatable {
    /// The number of the record; a later one has a higher number.
    package var number: Int64
    package var user: UInt32
    /// The program in text form.
    package var program: String
    /// What it used the location for.
    package var kind: String
    package var accuracy: String
    package var decidedBy: String
    /// The start in milliseconds since 1970; nil if the host's clock was not set.
    package var began: Int64?
    /// The duration in milliseconds.
    package var duration: Int64
    package var updates: Int64
    /// Whether the use was open when the row was written.
    package var isOpen: Bool

    package init(
        number: Int64, user: UInt32, program: String, kind: String, accuracy: String, decidedBy: String, began: Int64?,
        duration: Int64, updates: Int64, isOpen: Bool
    ) {
        self.number = number
        self.user = user
        self.program = program
        self.kind = kind
        self.accuracy = accuracy
        self.decidedBy = decidedBy
        self.began = began
        self.duration = duration
        self.updates = updates
        self.isOpen = isOpen
    }

    /// The maximum number of records of one user, and of all. A record has at most 0.7 kB, usually
    /// 0.2 kB.
    package static let maxPerUser = 2000
    package static let maxCount = 8000

    /// The rows that a client may read.
    package enum Selection: Sendable, Equatable {
        case all
        /// Those of all programs of a user.
        case user(UInt32)
        /// Those of one program, by its text form.
        case program(String)
    }
}

/// The stored record of use.
package struct UseTable {
    private let database: Database

    /// Creates the record in an open database.
    package init(_ database: Database) { self.database = database }

    /// The highest number of a record; 0 if there is none.
    package func lastNumber() throws(StoreError) -> Int64 {
        try database.integer("SELECT coalesce(max(number), 0) FROM location_use", for: "reading the record of use from")
    }

    /// Returns records, the newest first.
    ///
    /// - Parameters:
    ///   - number: Only records with lower numbers are returned.
    ///   - cutoff: Records that ended before this are omitted, in milliseconds since 1970.
    package func rows(
        _ selection: UseRow.Selection, before number: Int64 = .max, since cutoff: Int64 = .min, limit: Int
    ) throws(StoreError) -> [UseRow] {
        // A text for each selection, so that it uses the index of users.
        let condition: String
        var user: Int64?
        var program: String?
        switch selection {
        case .all: condition = "?3 IS NULL AND ?4 IS NULL"
        case .user(let number): (condition, user) = ("user = ?3 AND ?4 IS NULL", Int64(number))
        case .program(let text):
            // The text of a program begins with its user.
            condition = "user = ?3 AND program = ?4"
            (user, program) = (Int64(text.prefix { $0.isNumber }) ?? -1, text)
        }
        let statement = try database.prepare(
            """
            SELECT number, user, program, kind, accuracy, decided_by, began, duration, updates, is_open
            FROM location_use WHERE number < ?1 AND (began IS NULL OR began + duration >= ?2)
            AND \(condition) ORDER BY number DESC LIMIT ?5
            """, for: "reading the record of use from")
        return try statement.rows(
            .integer(number), .integer(cutoff), .integer(user), .text(program), .integer(Int64(limit))
        ) { row in
            UseRow(
                number: row.integer(0), user: UInt32(clamping: row.integer(1)), program: row.text(2),
                kind: row.text(3), accuracy: row.text(4), decidedBy: row.text(5), began: row.integerIfAny(6),
                duration: row.integer(7), updates: row.integer(8), isOpen: row.integer(9) != 0)
        }
    }

    /// Stores records in place of earlier versions of them, and deletes the oldest beyond the
    /// limits.
    ///
    /// - Parameter expiry: Records that ended before this are deleted, in milliseconds since 1970;
    ///   nil if the host's clock is not reliable.
    package func save(_ rows: [UseRow], expiry: Int64?) throws(StoreError) {
        try database.transaction("writing the record of use to") { () throws(StoreError) in
            let add = try database.prepare(
                "INSERT OR REPLACE INTO location_use VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                for: "writing the record of use to")
            for row in rows {
                try add.run(
                    .integer(row.number), .integer(Int64(row.user)), .text(row.program), .text(row.kind),
                    .text(row.accuracy), .text(row.decidedBy), .integer(row.began), .integer(row.duration),
                    .integer(row.updates), .integer(row.isOpen ? 1 : 0))
            }
            let trimUser = try database.prepare(
                """
                DELETE FROM location_use WHERE user = ?1 AND number <= (SELECT number FROM location_use
                WHERE user = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
                """, for: "writing the record of use to")
            for user in Set(rows.map(\.user)) {
                try trimUser.run(.integer(Int64(user)), .integer(Int64(UseRow.maxPerUser)))
            }
            try database.prepare(
                """
                DELETE FROM location_use WHERE number <= (SELECT number FROM location_use
                ORDER BY number DESC LIMIT 1 OFFSET ?1)
                """, for: "writing the record of use to"
            ).run(.integer(Int64(UseRow.maxCount)))
            if let expiry { try expire(before: expiry) }
        }
    }

    /// Deletes the records that ended before a moment, in milliseconds since 1970. A record without
    /// a usable date goes with a later one that has expired.
    private func expire(before expiry: Int64) throws(StoreError) {
        let expired = "began + duration < ?1"
        try database.prepare(
            """
            DELETE FROM location_use WHERE \(expired) OR began IS NULL
            AND number < (SELECT max(number) FROM location_use WHERE \(expired))
            """, for: "writing the record of use to"
        ).run(.integer(expiry))
    }

    /// Deletes the record of use, and overwrites what the file and its log contained of it.
    ///
    /// - Returns: The number of records that were deleted.
    package func erase() throws(StoreError) -> Int {
        let count = try database.transaction("erasing the record of use in") { () throws(StoreError) in
            try database.prepare("DELETE FROM location_use", for: "erasing the record of use in").run()
            return database.changes
        }
        try database.overwriteLog("erasing the record of use in")
        return count
    }
}
