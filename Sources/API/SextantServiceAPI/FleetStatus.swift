/// The state of the reports to one server, as the program writes it to its file and
/// `sextant fleet status` reads it.
package struct FleetStatus: Codable, Sendable, Equatable {
    /// The server without its path.
    package var destination: String
    /// Whether the server can be reached: over MQTT a connection, over HTTP the last request.
    package var isConnected = false
    /// The number of positions that the server has not acknowledged.
    package var points = 0
    /// The number of events that the server has not acknowledged.
    package var events = 0
    /// The time of the oldest of these positions, in RFC 3339; nil: there is none.
    package var oldest: String?
    /// The host's time of the last acknowledgement, in RFC 3339; nil: none yet.
    package var lastAcknowledged: String?
    /// The last problem with the server or the outbox; nil since a connection without one.
    package var lastError: String?
    /// Why the daemon sends no positions; nil if it does.
    package var daemonError: String?
    /// The number of records that were given up, because the server refuses them; nil: none.
    package var refusedRecords: Int?
    /// The bytes of acknowledged messages since the start of the month.
    package var bytes = 0

    private enum CodingKeys: String, CodingKey {
        case destination, points, events, oldest, lastAcknowledged, lastError, daemonError, refusedRecords
        case isConnected = "connected"
        case bytes = "bytesThisMonth"
    }

    /// Creates the state before the first connection.
    package init(destination: String) { self.destination = destination }
}

/// The contents of the file `status.json`.
package struct FleetStatusList: Codable, Sendable, Equatable {
    /// The state of each destination.
    package var destinations: [FleetStatus]

    /// Creates a list.
    package init(_ destinations: [FleetStatus]) { self.destinations = destinations }
}
