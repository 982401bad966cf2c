/// The sessions of a server with calls to serve. Users take turns, and so do the sessions of each
/// user.
///
/// A user with many connections is served as often as a user with one.
package struct CallQueue {
    /// The sessions of each user that wait, in order. A user without one has no entry.
    private var waiting: [UInt32: [Int]] = [:]
    /// The users that wait, in order.
    private var users: [UInt32] = []
    private var members: Set<Int> = []

    /// Creates a queue without sessions.
    package init() {}

    /// Whether no session waits.
    package var isEmpty: Bool { users.isEmpty }

    /// Adds a session at the end of its user's queue, unless it waits already.
    package mutating func append(_ session: Int, user: UInt32) {
        guard members.insert(session).inserted else { return }
        if waiting[user] == nil { users.append(user) }
        waiting[user, default: []].append(session)
    }

    /// Removes and returns the next session. Its user is then the last one.
    package mutating func popFirst() -> Int? {
        guard let user = users.first, let session = waiting[user]?.removeFirst() else { return nil }
        members.remove(session)
        users.removeFirst()
        if waiting[user]?.isEmpty ?? true { waiting[user] = nil } else { users.append(user) }
        return session
    }

    package mutating func remove(_ session: Int, user: UInt32) {
        guard members.remove(session) != nil else { return }
        waiting[user]?.removeAll { $0 == session }
        guard waiting[user]?.isEmpty ?? false else { return }
        waiting[user] = nil
        users.removeAll { $0 == user }
    }
}
