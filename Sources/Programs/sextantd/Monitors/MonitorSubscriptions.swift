import Permission
import SextantAPI
import StateStore

/// The monitors that clients have open, and those of them with possible notifications.
struct MonitorSubscriptions {
    private var subscriptions: [MonitorKey: MonitorSubscription] = [:]
    /// The open monitors of each program, whatever their namespaces.
    private var keys: [ProgramID: Set<MonitorKey>] = [:]
    /// The monitors with possible notifications, in the order in which their clients get them.
    private var waiting: [MonitorKey] = []
    /// The members of ``waiting``.
    private var notified: Set<MonitorKey> = []

    /// The subscription to a monitor; `nil` if no client has it open.
    subscript(key: MonitorKey) -> MonitorSubscription? { subscriptions[key] }

    /// Returns the open monitors of a program, by name.
    func keys(of program: ProgramID) -> [MonitorKey] { keys[program, default: []].sorted { $0.name < $1.name } }

    /// Opens a monitor for a client and notifies it. A session that only holds the name continues
    /// to hold it.
    mutating func open(_ key: MonitorKey, of monitor: MonitorID, as subscription: MonitorSubscription) {
        var subscription = subscription
        subscription.begin(monitor, holder: subscriptions[key])
        subscriptions[key] = subscription
        keys[key.owner.withoutNamespace, default: []].insert(key)
        enqueue(key)
    }

    /// Closes a monitor after a session has ended.
    mutating func close(_ key: MonitorKey, session: Int) {
        guard let subscription = subscriptions[key] else { return }
        subscriptions[key] = subscription.without(session)
        guard subscriptions[key] == nil else { return }
        if notified.remove(key) != nil { waiting.removeAll { $0 == key } }
        let program = key.owner.withoutNamespace
        keys[program]?.remove(key)
        if keys[program]?.isEmpty == true { keys[program] = nil }
    }

    /// Causes all deliverable events of a monitor to be sent again.
    mutating func resendEvents(of key: MonitorKey) { subscriptions[key]?.resendEvents() }

    /// Notifies the client of a monitor, if any, of new events.
    mutating func notify(_ key: MonitorKey) {
        if subscriptions[key] != nil { enqueue(key) }
    }

    /// Notifies the client of a monitor, if any, of a changed status.
    mutating func statusChanged(of key: MonitorKey) {
        guard subscriptions[key] != nil else { return }
        subscriptions[key]?.needsStatus = true
        enqueue(key)
    }

    /// Notifies all clients of a changed status of their monitors.
    mutating func statusChanged() {
        for key in Array(subscriptions.keys) {
            subscriptions[key]?.needsStatus = true
            enqueue(key)
        }
    }

    /// Notifies the client of a monitor, if any, of a condition whose limit has changed.
    mutating func recordChanged(_ identifier: String, of key: MonitorKey) {
        guard subscriptions[key] != nil else { return }
        subscriptions[key]?.recordChanged(identifier)
        enqueue(key)
    }

    /// Replaces the subscription to a monitor after something was taken from it.
    mutating func update(_ subscription: MonitorSubscription, of key: MonitorKey) {
        subscriptions[key] = subscription
    }

    /// Marks all subscriptions as invalid, because their monitors no longer exist.
    mutating func invalidate() {
        for key in Array(subscriptions.keys) {
            subscriptions[key]?.isInvalidated = true
            enqueue(key)
        }
    }

    /// Adds events that an acknowledgement made deliverable.
    mutating func redeliver(_ events: [StoredEvent], of key: MonitorKey) {
        guard !events.isEmpty, subscriptions[key] != nil else { return }
        subscriptions[key]?.redeliver(events)
        enqueue(key)
    }

    /// Records the status of a monitor that is sent to its client.
    mutating func statusSent(_ status: MonitorMessage, of key: MonitorKey) {
        subscriptions[key]?.statusSent(status)
    }

    /// Removes and returns the subscription with possible notifications that has waited longest;
    /// `nil` if there is none.
    mutating func takeNotified() -> MonitorSubscription? {
        guard !waiting.isEmpty else { return nil }
        let key = waiting.removeFirst()
        notified.remove(key)
        return subscriptions[key]
    }

    /// The number of subscriptions with possible notifications.
    var notifiedCount: Int { waiting.count }

    private mutating func enqueue(_ key: MonitorKey) {
        if notified.insert(key).inserted { waiting.append(key) }
    }
}
