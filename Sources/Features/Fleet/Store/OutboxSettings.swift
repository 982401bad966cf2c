import SQLite

/// The numbers that an outbox keeps, each under a name.
package struct OutboxSettings {
    /// What a number means.
    package enum Key: String, Sendable {
        /// The first sequence number that is not reserved.
        case sequence
        /// The time of the last point in milliseconds since 1970.
        case lastTime
        /// 1 if the program has closed the outbox.
        case isClosed
        /// 1 if the records are reduced locations.
        case isReduced
        /// The hash of the fences that the server has.
        case fencesHash = "fences"
        /// The number of records that were given up because the server refuses them.
        case refusedRecords
        /// The bytes of acknowledged messages in ``bytesMonth``.
        case bytes
        /// The last month in which bytes were counted, such as 202611.
        case bytesMonth
        /// The number of starts in turn that ended before the broker had sent what waited for the
        /// device.
        case unfinishedStarts
        /// The host's time of the last acknowledgement in milliseconds since 1970.
        case lastAcknowledged
    }

    static let schema = "CREATE TABLE value (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Returns a number; nil if it was never set.
    package func value(_ key: Key) throws(StoreError) -> Int64? {
        let statement = try database.prepare("SELECT value FROM value WHERE name = ?1", for: "reading")
        return try statement.first(.text(key.rawValue)) { row throws(StoreError) in row.integer(0) }
    }

    package func set(_ key: Key, _ value: Int64) throws(StoreError) {
        try database.prepare("INSERT OR REPLACE INTO value (name, value) VALUES (?1, ?2)", for: "writing to")
            .run(.text(key.rawValue), .integer(value))
    }
}

/// The numbers of records, which are never used twice: they are reserved on disk before their use.
struct SequenceCounter {
    private static let reservation: Int64 = 1000

    private let settings: OutboxSettings
    private var reserved: Int64
    /// The number of the next record.
    private(set) var next: Int64

    init(_ settings: OutboxSettings) throws(StoreError) {
        self.settings = settings
        next = max(try settings.value(.sequence) ?? 1, 1)
        reserved = next
    }

    mutating func take() throws(StoreError) -> Int64 {
        if next >= reserved {
            try settings.set(.sequence, next + SequenceCounter.reservation)
            reserved = next + SequenceCounter.reservation
        }
        next += 1
        return next - 1
    }
}

/// Recognises a message of the broker that ends the program at each start, such as a retained one
/// that is larger than its memory limit.
///
/// libmosquitto reads a whole message before the program learns of its length. So the program
/// counts on disk the starts that end between a connection and the first acknowledgement.
/// After two of them in a row, the next start receives no commands. A power cut at such a moment
/// counts like that message, so the start after one without commands tries once more.
struct UnfinishedStarts {
    private static let limit: Int64 = 2

    private let settings: OutboxSettings
    /// The number of earlier starts in a row that have not survived.
    private var earlier: Int64
    private var isCounted = false
    /// Whether the program may receive messages of the broker.
    let allowsCommands: Bool

    init(_ settings: OutboxSettings) throws(StoreError) {
        self.settings = settings
        earlier = try settings.value(.unfinishedStarts) ?? 0
        allowsCommands = earlier < UnfinishedStarts.limit
    }

    /// Counts this start, when the broker begins to send.
    mutating func begin() throws(StoreError) {
        guard allowsCommands, !isCounted else { return }
        isCounted = true
        try settings.set(.unfinishedStarts, earlier + 1)
    }

    /// Records that the program has survived the messages that waited, or works without them.
    mutating func finish() throws(StoreError) {
        let survived = allowsCommands ? 0 : UnfinishedStarts.limit - 1
        guard isCounted || earlier > survived else { return }
        isCounted = false
        earlier = survived
        try settings.set(.unfinishedStarts, survived)
    }

    /// Records that the program ends in order: the next start receives commands again.
    func end() throws(StoreError) {
        guard isCounted || !allowsCommands else { return }
        try settings.set(.unfinishedStarts, 0)
    }
}
