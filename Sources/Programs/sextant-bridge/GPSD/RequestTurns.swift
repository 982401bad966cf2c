import Bridges
import ServiceRuntime

/// The clients whose requests wait, in the order of their turns.
struct RequestTurns {
    private var queue = CallQueue()
    private var users: [ClientID: UInt32] = [:]
    /// The clients that read no answers. Their requests wait until they do.
    private var blocked: Set<ClientID> = []
    /// The clients that were added since ``takeAdded()``.
    private var added: [ClientID] = []

    var isEmpty: Bool { queue.isEmpty }

    /// Whether a request of the client waits.
    func contains(_ client: ClientID) -> Bool { users[client] != nil || blocked.contains(client) }

    /// Adds a client behind the others of its user.
    mutating func append(_ client: ClientID, user: UInt32) {
        guard !contains(client) else { return }
        users[client] = user
        queue.append(client.asInt, user: user)
        added.append(client)
    }

    /// Returns the client whose turn it is.
    mutating func popFirst() -> ClientID? {
        guard let number = queue.popFirst() else { return nil }
        let client = ClientID(number: number)
        users[client] = nil
        return client
    }

    /// Lets a client wait until ``unblock(_:)``.
    mutating func block(_ client: ClientID) { blocked.insert(client) }

    /// Returns whether the client waited.
    mutating func unblock(_ client: ClientID) -> Bool { blocked.remove(client) != nil }

    /// Removes a client that is gone.
    mutating func remove(_ client: ClientID) {
        blocked.remove(client)
        if let user = users.removeValue(forKey: client) { queue.remove(client.asInt, user: user) }
    }

    /// Returns the clients that still wait of those that were added since the last call.
    mutating func takeAdded() -> [ClientID] {
        defer { added.removeAll(keepingCapacity: true) }
        return added.filter(contains)
    }
}
