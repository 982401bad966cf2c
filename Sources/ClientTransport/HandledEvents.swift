/// The numbers of the last events that a program has handled. After a restart of the daemon, an
/// event can arrive again that was sent before its acknowledgement.
package struct HandledEvents: Sendable {
    /// More than a daemon sends before it has read an acknowledgement.
    private static let capacity = 1024
    private var order: [Int64] = []
    private var position = 0
    private var known: Set<Int64> = []

    /// Creates an empty set.
    package init() {}

    /// Returns whether an event was handled.
    package func contains(_ id: Int64) -> Bool { known.contains(id) }

    /// Adds an event; the oldest one is forgotten.
    package mutating func insert(_ id: Int64) {
        guard known.insert(id).inserted else { return }
        if order.count < Self.capacity { return order.append(id) }
        known.remove(order[position])
        order[position] = id
        position = (position + 1) % Self.capacity
    }
}
