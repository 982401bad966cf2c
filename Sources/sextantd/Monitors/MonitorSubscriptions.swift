import Store
import Wire

/// The monitors that clients have open, and those of them with possible notifications.
struct MonitorSubscriptions {
    private var subscriptions: [MonitorKey: MonitorSubscription] = [:]
    /// The monitors with possible notifications, in the order in which their clients get them.
    private var waiting: [MonitorKey] = []
    /// The members of ``waiting``.
    private var notified: Set<MonitorKey> = []

    /// The subscription to a monitor; `nil` if no client has it open.
    subscript(key: MonitorKey) -> MonitorSubscription? { subscriptions[key] }

    /// Opens a monitor for a client and notifies it.
    mutating func open(_ key: MonitorKey, as subscription: MonitorSubscription) {
        subscriptions[key] = subscription
        enqueue(key)
    }

    /// Closes a monitor after its session has ended.
    mutating func close(_ key: MonitorKey, session: Int) {
        guard subscriptions[key]?.session == session else { return }
        subscriptions[key] = nil
        if notified.remove(key) != nil { waiting.removeAll { $0 == key } }
    }

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
        subscriptions[key]?.status = status
        subscriptions[key]?.needsStatus = false
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

    /// Returns the next events to send, at most `limit`, and marks them as sent.
    mutating func takeEvents(
        of key: MonitorKey, limit: Int, from store: EventStore
    ) throws(StoreError) -> [StoredEvent] {
        try subscriptions[key]?.takeEvents(limit: limit, from: store) ?? []
    }
}

/// A client's open monitor and the delivery state of its events.
struct MonitorSubscription {
    /// The number of the client's session.
    let session: Int
    /// The client's process.
    let process: Int32
    private let monitor: MonitorID
    /// The sequence number up to which all deliverable events were sent.
    private var cursor: Int64 = 0
    /// Sequence numbers up to the cursor that became deliverable later, in order. They were blocked
    /// by an unacknowledged event of the same condition.
    private var redeliveries: [Int64] = []
    /// The status of the monitor that was last sent; `nil` before the first.
    fileprivate(set) var status: MonitorMessage?
    /// Whether the status changed since it was last sent.
    fileprivate(set) var needsStatus = false
    /// Whether the monitor no longer exists and the connection must be closed.
    fileprivate(set) var isInvalidated = false

    init(session: Int, process: Int32, monitor: MonitorID) {
        self.session = session
        self.process = process
        self.monitor = monitor
    }

    fileprivate mutating func takeEvents(limit: Int, from store: EventStore) throws(StoreError) -> [StoredEvent] {
        var events: [StoredEvent] = []
        while events.count < limit, let sequence = redeliveries.first {
            // The event may have been removed with its condition.
            if let event = try store.deliverableEvents(of: monitor, after: sequence - 1, limit: 1).first,
                event.sequence == sequence
            {
                events.append(event)
            }
            redeliveries.removeFirst()
        }
        guard events.count < limit else { return events }
        let further = try store.deliverableEvents(of: monitor, after: cursor, limit: limit - events.count)
        if let last = further.last { cursor = last.sequence }
        return events + further
    }

    fileprivate mutating func redeliver(_ events: [StoredEvent]) {
        redeliveries += events.map(\.sequence).filter { $0 <= cursor && !redeliveries.contains($0) }
        redeliveries.sort()
    }
}
