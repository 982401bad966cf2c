import Chronology
import SQLite

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

    /// Writes the numbers.
    func store(in settings: OutboxSettings) throws(StoreError) {
        try settings.set(.bytes, Int64(bytes.count))
        try settings.set(.bytesMonth, bytes.month)
        if let last { try settings.set(.lastAcknowledged, last.milliseconds) }
    }
}
