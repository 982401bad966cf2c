import Varlink

/// The state of the reports to one server, as the program writes it to its file and
/// `sextant fleet status` reads it.
package struct FleetStatus: Message, Equatable {
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

    /// Creates the state before the first connection.
    package init(destination: String) { self.destination = destination }

    package init(_ members: inout MemberReader) {
        destination = members.string("destination")
        isConnected = members.bool("connected")
        points = members.int("points")
        events = members.int("events")
        oldest = members.stringIfPresent("oldest")
        lastAcknowledged = members.stringIfPresent("lastAcknowledged")
        lastError = members.stringIfPresent("lastError")
        daemonError = members.stringIfPresent("daemonError")
        refusedRecords = members.intIfPresent("refusedRecords")
        bytes = members.int("bytesThisMonth")
    }

    package func write(to object: inout ObjectWriter) {
        object.append(destination, forKey: "destination")
        object.append(isConnected, forKey: "connected")
        object.append(points, forKey: "points")
        object.append(events, forKey: "events")
        object.append(oldest, forKey: "oldest")
        object.append(lastAcknowledged, forKey: "lastAcknowledged")
        object.append(lastError, forKey: "lastError")
        object.append(daemonError, forKey: "daemonError")
        object.append(refusedRecords, forKey: "refusedRecords")
        object.append(bytes, forKey: "bytesThisMonth")
    }
}

/// The contents of the file `status.json`.
package struct FleetStatusList: Message, Equatable {
    /// The state of each destination.
    package var destinations: [FleetStatus]

    package init(_ destinations: [FleetStatus]) { self.destinations = destinations }

    package init(_ members: inout MemberReader) { destinations = members.messages("destinations") }

    package func write(to object: inout ObjectWriter) { object.append(destinations, forKey: "destinations") }
}
