/// Identifies an event of a monitor. Numbers begin again when the database of the daemon was
/// replaced, or the monitor deleted; then the time differs.
package struct EventID: Sendable, Hashable {
    /// The number with which the event is acknowledged.
    package let number: Int64
    package let condition: String
    /// When the daemon recorded the event, in milliseconds since 1970.
    package let recorded: Int64

    /// Creates the key of an event.
    package init(number: Int64, condition: String, recorded: Int64) {
        self.number = number
        self.condition = condition
        self.recorded = recorded
    }
}

/// The last events that a program has handled. After a restart of the daemon, an event can arrive
/// again that was sent before its acknowledgement.
package struct DeliveredEvents: Sendable {
    /// More than a daemon sends before it has read an acknowledgement.
    private static let capacity = 1024
    private var order: [EventID] = []
    private var position = 0
    private var known: Set<EventID> = []

    /// Creates an empty set.
    package init() {}

    package func contains(_ event: EventID) -> Bool { known.contains(event) }

    /// Adds an event; the oldest one is forgotten.
    package mutating func insert(_ event: EventID) {
        guard known.insert(event).inserted else { return }
        if order.count < Self.capacity { return order.append(event) }
        known.remove(order[position])
        order[position] = event
        position = (position + 1) % Self.capacity
    }
}
