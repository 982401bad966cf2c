import SQLite

/// One row of a day's energy use.
package struct UsageRow: Sendable, Equatable {
    /// The day, counted from 1 January 1970, UTC.
    package var day: Int
    /// The receiver's name; "" if the row belongs to no receiver.
    package var receiver: String
    package var kind: String
    /// The name within the kind.
    package var name: String
    /// The duration in seconds, the energy in joules and the number of occurrences; 0 if not
    /// applicable.
    package var (seconds, joules, count): (Double, Double, Int)

    package init(
        day: Int, receiver: String, kind: String, name: String, seconds: Double = 0, joules: Double = 0, count: Int = 0
    ) {
        self.day = day
        self.receiver = receiver
        self.kind = kind
        self.name = name
        self.seconds = seconds
        self.joules = joules
        self.count = count
    }
}

/// Energy use, one row for each day, receiver, kind and name.
extension Database {
    /// Returns the rows of these days, oldest first.
    package func usage(of days: ClosedRange<Int>) throws(StoreError) -> [UsageRow] {
        let statement = try prepare(
            """
            SELECT day, receiver, kind, name, seconds, joules, count FROM usage WHERE day BETWEEN ?1 AND ?2
            ORDER BY day, receiver, kind, name
            """, for: "reading energy use from")
        return try statement.rows(.integer(Int64(days.lowerBound)), .integer(Int64(days.upperBound))) { row in
            UsageRow(
                day: Int(row.integer(0)), receiver: row.text(1), kind: row.text(2), name: row.text(3),
                seconds: row.real(4), joules: row.real(5), count: Int(row.integer(6)))
        }
    }

    /// Replaces all rows of the days that occur in `rows`, and deletes the oldest days.
    ///
    /// Days are counted, not compared with the present: the host's clock may be wrong now, and a
    /// wrong clock must not delete what was recorded with a correct one.
    ///
    /// - Parameter count: The number of newest days to keep.
    package func replaceUsage(with rows: [UsageRow], keepingDays count: Int) throws(StoreError) {
        try transaction("writing energy use to") { () throws(StoreError) in
            let forget = try prepare("DELETE FROM usage WHERE day = ?1", for: "writing energy use to")
            for day in Set(rows.map(\.day)) { try forget.run(.integer(Int64(day))) }
            let add = try prepare("INSERT INTO usage VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", for: "writing energy use to")
            for row in rows {
                try add.run(
                    .integer(Int64(row.day)), .text(row.receiver), .text(row.kind), .text(row.name), .real(row.seconds),
                    .real(row.joules), .integer(Int64(row.count)))
            }
            let rest = try prepare(
                "DELETE FROM usage WHERE day NOT IN (SELECT DISTINCT day FROM usage ORDER BY day DESC LIMIT ?1)",
                for: "writing energy use to")
            try rest.run(.integer(Int64(count)))
        }
    }
}
