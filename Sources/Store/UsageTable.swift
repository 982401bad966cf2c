/// What was spent on a day: time, energy and wakeups, by receiver and by who caused it.
public struct UsageRow: Sendable, Equatable {
    /// What a row counts.
    public enum Kind: String, Sendable, CaseIterable {
        /// A power state of a receiver.
        case state
        /// Somebody for whom a receiver worked.
        case consumer
        /// The host.
        case host
    }

    /// Days since 1970.
    public var day: Int
    /// The receiver; empty for the host.
    public var receiver: String
    /// What is counted.
    public var kind: Kind
    /// The state, the consumer, or what of the host.
    public var name: String
    /// Seconds in that state, or for that consumer.
    public var seconds: Double
    /// Energy, in joules.
    public var joules: Double
    /// How often: wakeups, entries.
    public var count: Int

    /// A row.
    public init(day: Int, receiver: String, kind: Kind, name: String, seconds: Double = 0, joules: Double = 0, count: Int = 0) {
        (self.day, self.receiver, self.kind, self.name) = (day, receiver, kind, name)
        (self.seconds, self.joules, self.count) = (seconds, joules, count)
    }
}

/// The days' accounts of power.
public struct UsageTable {
    private let database: Database

    /// The accounts in `database`.
    public init(_ database: Database) {
        self.database = database
    }

    /// Adds to what is written of these days, in one transaction; rows of nothing but zeros write nothing.
    public func add(_ rows: [UsageRow]) throws(StoreError) {
        let rows = rows.filter { $0.seconds != 0 || $0.joules != 0 || $0.count != 0 }
        guard !rows.isEmpty else { return }
        try database.transaction("writing usage to") { () throws(StoreError) in
            let upsert = try database.prepare(
                """
                INSERT INTO usage (day, receiver, kind, name, seconds, joules, count) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                ON CONFLICT (day, receiver, kind, name) DO UPDATE SET
                    seconds = seconds + excluded.seconds, joules = joules + excluded.joules, count = count + excluded.count
                """, "writing usage to")
            for row in rows {
                try upsert.run(
                    .integer(Int64(row.day)), .text(row.receiver), .text(row.kind.rawValue), .text(row.name),
                    .real(row.seconds.isFinite ? row.seconds : 0), .real(row.joules.isFinite ? row.joules : 0), .integer(Int64(row.count)))
            }
        }
    }

    /// What is written of these days, by day, receiver, kind and name.
    public func rows(of days: ClosedRange<Int>) throws(StoreError) -> [UsageRow] {
        let select = try database.prepare(
            """
            SELECT day, receiver, kind, name, seconds, joules, count FROM usage WHERE day BETWEEN ?1 AND ?2
            ORDER BY day, receiver, kind, name
            """, "reading usage from")
        try select.bind(.integer(Int64(days.lowerBound)), .integer(Int64(days.upperBound)))
        var rows: [UsageRow] = []
        while try select.step() {
            guard let kind = UsageRow.Kind(rawValue: select.text(2)) else { continue }
            rows.append(
                UsageRow(
                    day: Int(clamping: select.integer(0)), receiver: select.text(1), kind: kind, name: select.text(3),
                    seconds: select.real(4), joules: select.real(5), count: Int(clamping: select.integer(6))))
        }
        return rows
    }

    /// Forgets the days before this one.
    public func forget(before day: Int) throws(StoreError) {
        let delete = try database.prepare("DELETE FROM usage WHERE day < ?1", "writing usage to")
        try delete.run(.integer(Int64(day)))
    }
}
