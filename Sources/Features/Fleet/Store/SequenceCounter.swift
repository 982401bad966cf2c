import SQLite

/// The numbers of records, which are never used twice: they are reserved on disk before their use.
struct SequenceCounter {
    /// The number of sequence numbers that are reserved with one write.
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

    /// Returns a new number.
    mutating func take() throws(StoreError) -> Int64 {
        if next >= reserved {
            try settings.set(.sequence, next + SequenceCounter.reservation)
            reserved = next + SequenceCounter.reservation
        }
        next += 1
        return next - 1
    }
}
