import Chronology
import Varlink

/// The state of the outbox and of the connection, as `sextant fleet status` prints it.
struct FleetStatus: Equatable {
    var destination = ""
    var isConnected = false
    var points = 0
    var events = 0
    var lastAcknowledged: UTCTime?
    var lastError: String?
    /// Why the daemon sends no positions; nil if it does.
    var daemonError: String?
    private(set) var bytes = 0
    private var month: Int64 = 0

    /// Counts the bytes of a message for a month, such as 202611.
    mutating func addBytes(_ count: Int, month: Int64) {
        if month != self.month { bytes = 0 }
        self.month = month
        bytes += count
    }

    /// The state as JSON.
    func json(oldest: UTCTime?) -> JSONValue {
        var members: [String: JSONValue] = [
            "destination": .string(destination), "connected": .bool(isConnected), "points": .int(Int64(points)),
            "events": .int(Int64(events)), "bytesThisMonth": .int(Int64(bytes)),
        ]
        if let oldest { members["oldest"] = .string(oldest.description) }
        if let lastAcknowledged { members["lastAcknowledged"] = .string(lastAcknowledged.description) }
        if let lastError { members["lastError"] = .string(lastError) }
        if let daemonError { members["daemonError"] = .string(daemonError) }
        return .object(members)
    }
}
