import Chronology
import SQLite

/// The table of records on disk: points and events, each with its number.
struct RecordTable {
    static let schema = """
        CREATE TABLE record (sequence INTEGER PRIMARY KEY, kind INTEGER NOT NULL, data BLOB NOT NULL);
        CREATE INDEX record_of_event ON record (sequence) WHERE kind = 1;
        """

    private let database: Database

    init(_ database: Database) { self.database = database }

    func pointCount() throws(StoreError) -> Int {
        Int(try integer("SELECT count(*) FROM record WHERE kind = 0") ?? 0)
    }

    /// The number of the oldest point; nil if there is none.
    func oldestPoint() throws(StoreError) -> Int64? { try integer("SELECT min(sequence) FROM record WHERE kind = 0") }

    /// The number of the newest point; nil if there is none.
    func newestPoint() throws(StoreError) -> Int64? { try integer("SELECT max(sequence) FROM record WHERE kind = 0") }

    /// The numbers of all events, oldest first.
    func events() throws(StoreError) -> [Int64] {
        try database.prepare("SELECT sequence FROM record WHERE kind = 1 ORDER BY sequence", for: "reading")
            .rows { $0.integer(0) }
    }

    func points(after number: Int64, limit: Int64) throws(StoreError) -> [Int64] {
        let statement = try database.prepare(
            "SELECT sequence FROM record WHERE sequence > ?1 AND kind = 0 ORDER BY sequence LIMIT ?2",
            for: "reading")
        return try statement.rows(.integer(number), .integer(limit)) { $0.integer(0) }
    }

    func oldestPoints(limit: Int64) throws(StoreError) -> [(sequence: Int64, point: FleetPoint)] {
        let statement = try database.prepare(
            "SELECT sequence, data FROM record WHERE kind = 0 ORDER BY sequence LIMIT ?1", for: "reading")
        return try statement.rows(.integer(limit)) { row in
            FleetPoint(packed: row.withBytes(1) { Array($0) }).map { (row.integer(0), $0) }
        }
    }

    func delete(_ sequences: some Sequence<Int64>) throws(StoreError) {
        let statement = try database.prepare("DELETE FROM record WHERE sequence = ?1", for: "deleting from")
        for sequence in sequences { try statement.run(.integer(sequence)) }
    }

    func insert(_ record: FleetRecord) throws(StoreError) {
        let (kind, data): (Int64, [UInt8]) =
            switch record.content {
            case .point(let point): (0, point.packed)
            case .event(let event): (1, event.stored)
            }
        try database.prepare("INSERT INTO record (sequence, kind, data) VALUES (?1, ?2, ?3)", for: "writing to")
            .run(.integer(record.sequence), .integer(kind), .bytes(data))
    }

    /// Returns a record; nil if there is none with this number or it cannot be read.
    func record(_ sequence: Int64) throws(StoreError) -> FleetRecord? {
        let statement = try database.prepare("SELECT kind, data FROM record WHERE sequence = ?1", for: "reading")
        let row = try statement.first(.integer(sequence)) { row throws(StoreError) in
            (row.integer(0), row.withBytes(1) { Array($0) })
        }
        guard let row else { return nil }
        if row.0 == 1 { return FleetEvent(stored: row.1).map { FleetRecord(sequence, .event($0)) } }
        return FleetPoint(packed: row.1).map { FleetRecord(sequence, .point($0)) }
    }

    /// Returns records on disk in the order of their numbers, and the last number; nil at the end.
    func records(after number: Int64, limit: Int64) throws(StoreError) -> (records: [FleetRecord], end: Int64?) {
        let numbers = try database.prepare(
            "SELECT sequence FROM record WHERE sequence > ?1 ORDER BY sequence LIMIT ?2", for: "reading"
        )
        .rows(.integer(number), .integer(limit)) { $0.integer(0) }
        var records: [FleetRecord] = []
        for number in numbers {
            if let record = try record(number) { records.append(record) }
        }
        return (records, numbers.last)
    }

    private func integer(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try database.prepare(sql, for: "reading")
        return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
    }
}

/// What a server has acknowledged since the outbox was created, as the status shows it.
package struct Deliveries: Sendable, Equatable {
    /// The bytes of acknowledged messages in the last month in which there were any.
    package private(set) var bytes = MonthlyBytes()
    /// The host's time of the last acknowledgement; nil: none yet.
    package private(set) var last: UTCTime?

    /// Reads what an earlier process has counted.
    init(_ settings: OutboxSettings) throws(StoreError) {
        let count = try settings.value(.bytes) ?? 0
        bytes = MonthlyBytes(Int(clamping: max(count, 0)), month: try settings.value(.bytesMonth) ?? 0)
        last = try settings.value(.lastAcknowledged).map { UTCTime(milliseconds: $0) }
    }

    /// Counts an acknowledged message.
    mutating func add(_ count: Int, month: Int64, at time: UTCTime) {
        bytes.add(count, month: month)
        last = time
    }

    func store(in settings: OutboxSettings) throws(StoreError) {
        try settings.set(.bytes, Int64(bytes.count))
        try settings.set(.bytesMonth, bytes.month)
        if let last { try settings.set(.lastAcknowledged, last.milliseconds) }
    }
}
