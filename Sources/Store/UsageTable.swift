/// A line of what was spent on a day.
public struct UsageRow: Sendable, Equatable {
    /// Days since 1 January 1970, UTC.
    public var day: Int
    /// The receiver's name; "" for what belongs to none.
    public var receiver: String
    /// What kind of line it is.
    public var kind: String
    /// Which of that kind.
    public var name: String
    /// Seconds, joules and times; 0 where it has none.
    public var (seconds, joules, count): (Double, Double, Int)

    /// A line.
    public init(day: Int, receiver: String, kind: String, name: String, seconds: Double = 0, joules: Double = 0, count: Int = 0) {
        (self.day, self.receiver, self.kind, self.name) = (day, receiver, kind, name)
        (self.seconds, self.joules, self.count) = (seconds, joules, count)
    }
}

/// What was spent, a line for each day, receiver, kind and name.
extension Database {
    /// The lines of these days, oldest first.
    public func usage(of days: ClosedRange<Int>) throws(StoreError) -> [UsageRow] {
        let statement = try prepare(
            """
            SELECT day, receiver, kind, name, seconds, joules, count FROM usage WHERE day BETWEEN ?1 AND ?2
            ORDER BY day, receiver, kind, name
            """, "reading what was spent")
        try statement.bind(.integer(Int64(days.lowerBound)), .integer(Int64(days.upperBound)))
        var rows: [UsageRow] = []
        while try statement.step() {
            rows.append(
                UsageRow(
                    day: Int(statement.integer(0)), receiver: statement.text(1), kind: statement.text(2), name: statement.text(3),
                    seconds: statement.real(4), joules: statement.real(5), count: Int(statement.integer(6))))
        }
        return rows
    }

    /// Puts these lines in place of all that there are of their days, and forgets the days outside `kept`: old ones, and those of a clock that
    /// was once wrong.
    public func replaceUsage(with rows: [UsageRow], keeping kept: ClosedRange<Int>) throws(StoreError) {
        try transaction("writing what was spent") { () throws(StoreError) in
            let forget = try prepare("DELETE FROM usage WHERE day = ?1", "writing what was spent")
            for day in Set(rows.map(\.day)) { try forget.run(.integer(Int64(day))) }
            let rest = try prepare("DELETE FROM usage WHERE day NOT BETWEEN ?1 AND ?2", "writing what was spent")
            try rest.run(.integer(Int64(kept.lowerBound)), .integer(Int64(kept.upperBound)))
            let add = try prepare("INSERT INTO usage VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", "writing what was spent")
            for row in rows where kept.contains(row.day) {
                try add.run(
                    .integer(Int64(row.day)), .text(row.receiver), .text(row.kind), .text(row.name), .real(row.seconds),
                    .real(row.joules), .integer(Int64(row.count)))
            }
        }
    }
}
