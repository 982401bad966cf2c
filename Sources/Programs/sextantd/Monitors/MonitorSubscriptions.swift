import Chronology
import Geofencing
import Permission
import SQLite
import SextantAPI
import StateStore

/// The monitors that clients have open, and what they still get.
///
/// A ``Subscription`` decides which events of one monitor are sent next.
struct MonitorSubscriptions {
    private var subscriptions: [MonitorKey: Subscription] = [:]
    /// The open monitors of each program, whatever their namespaces.
    private var keys: [ProgramID: Set<MonitorKey>] = [:]
    /// The monitors with possible notifications, in the order in which their clients get them.
    private var waiting: [MonitorKey] = []
    /// The members of ``waiting``.
    private var notified: Set<MonitorKey> = []
    /// The monitors whose events or clients have changed since ``takeChanged()``, and whether any
    /// may have.
    private var changed: Set<MonitorKey> = []
    private var mayAllHaveChanged = true
    /// The numbers of events that were sent, until the record of use includes them.
    private var sent: [Reader: Int] = [:]

    /// The owner of a monitor, and the program that has read its events.
    struct Reader: Hashable {
        /// The program that owns the monitor.
        var owner: ProgramID
        var client: ProgramID
    }

    /// The subscription to a monitor; `nil` if no client has it open.
    subscript(key: MonitorKey) -> Subscription? { subscriptions[key] }

    func keys(of program: ProgramID) -> [MonitorKey] { keys[program, default: []].sorted { $0.name < $1.name } }

    /// Opens a monitor for a client and notifies it. A session that only holds the name continues
    /// to hold it.
    mutating func open(_ key: MonitorKey, of monitor: MonitorID, as subscription: Subscription) {
        var subscription = subscription
        subscription.begin(monitor, holder: subscriptions[key])
        subscriptions[key] = subscription
        keys[key.owner.program, default: []].insert(key)
        changed.insert(key)
        enqueue(key)
    }

    /// Closes a monitor after a session has ended.
    mutating func close(_ key: MonitorKey, session: Int) {
        changed.insert(key)
        guard let subscription = subscriptions[key] else { return }
        subscriptions[key] = subscription.without(session)
        guard subscriptions[key] == nil else { return }
        if notified.remove(key) != nil { waiting.removeAll { $0 == key } }
        let program = key.owner.program
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

    /// Returns the next events for the client of a monitor, at most `limit`, and marks them as
    /// sent. After an error, its subscription is as before.
    mutating func takeEvents(
        of key: MonitorKey, limit: Int, from store: MonitorStore
    ) throws(StoreError) -> [Event] {
        guard var subscription = subscriptions[key] else { return [] }
        var messages: [Event] = []
        for event in try subscription.takeEvents(limit: limit, from: store.events) {
            messages.append(Event(event, metadata: try store.name(of: event.event.condition)?.metadata))
        }
        subscriptions[key] = subscription
        return messages
    }

    /// Returns conditions of a monitor whose limit has changed, at most `limit`, and marks them as
    /// sent to its client. After an error, its subscription is as before.
    mutating func takeChangedRecords(
        of key: MonitorKey, limit: Int, from store: MonitorStore
    ) throws(StoreError) -> [StoredCondition] {
        guard var subscription = subscriptions[key], subscription.hasChangedRecords,
            let monitor = try store.monitor(key.name, of: key.owner.description)
        else { return [] }
        var records: [StoredCondition] = []
        for identifier in subscription.takeChangedRecords(limit: limit) {
            // The condition may have been removed.
            if let record = try store.record(for: identifier, of: monitor) { records.append(record) }
        }
        subscriptions[key] = subscription
        return records
    }

    /// Marks all subscriptions as invalid, because their monitors no longer exist.
    mutating func invalidate() {
        mayAllHaveChanged = true
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
    mutating func statusSent(_ status: MonitorState, of key: MonitorKey) {
        subscriptions[key]?.statusSent(status)
    }

    /// Removes and returns the subscription with possible notifications that has waited longest;
    /// `nil` if there is none.
    mutating func takeNotified() -> Subscription? {
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

    /// Records that the events of a monitor have changed.
    mutating func markChanged(_ key: MonitorKey) { changed.insert(key) }

    /// Records that the events of any monitor may have changed, or who may know them.
    mutating func markAllChanged() { mayAllHaveChanged = true }

    /// Removes and returns the monitors whose events or clients have changed; nil for all.
    mutating func takeChanged() -> Set<MonitorKey>? {
        defer { (changed, mayAllHaveChanged) = ([], false) }
        return mayAllHaveChanged ? nil : changed
    }

    /// Counts events of a monitor that were sent to a client. The owner may have a namespace.
    mutating func countSent(_ count: Int, of owner: ProgramID, to client: ProgramID) {
        if count > 0 { sent[Reader(owner: owner.program, client: client), default: 0] += count }
    }

    mutating func takeSent() -> [Reader: Int] {
        guard !sent.isEmpty else { return [:] }
        defer { sent = [:] }
        return sent
    }
}

extension MonitorSubscriptions {
    /// A client's open monitor and the delivery state of its events.
    struct Subscription {
        /// The number of the client's session.
        let session: Int
        let process: Int32
        /// Whether events are sent. Otherwise the client only holds the name of the monitor.
        let delivers: Bool
        /// Whether only the newest pending event of each condition is sent.
        private let latestOnly: Bool
        private var monitor = MonitorID(0)
        /// A session of the same process that holds the name and continues to when this one ends.
        private var holder: Int?
        /// The sequence number up to which all deliverable events were sent.
        private var cursor: Int64 = 0
        /// Sequence numbers up to the cursor that became deliverable later, in order. They were
        /// blocked by an unacknowledged event of the same condition.
        private var redeliveries: [Int64] = []
        /// The conditions whose limit has changed since they were last sent.
        private var changedRecords: [String] = []
        private var sentRecords: [String] = []
        /// The status of the monitor that was last sent; `nil` before the first.
        private(set) var status: MonitorState?
        /// Whether the status changed since it was last sent.
        var needsStatus = false
        /// Whether the monitor no longer exists and the connection must be closed.
        var isInvalidated = false

        init(session: Int, process: Int32, delivers: Bool = true, latestOnly: Bool = false) {
            self.session = session
            self.process = process
            self.delivers = delivers
            self.latestOnly = latestOnly
        }

        /// Returns whether another session can open the same monitor: one of the same process that
        /// wants events, while this one only holds the name.
        func yields(to other: Subscription) -> Bool {
            !delivers && other.delivers && process == other.process && !isInvalidated
        }

        mutating func begin(_ monitor: MonitorID, holder: Subscription?) {
            self.monitor = monitor
            self.holder = holder?.session
        }

        /// Returns the subscription without a session that has ended; `nil` if none remains.
        func without(_ ended: Int) -> Subscription? {
            var rest = self
            if ended == holder { rest.holder = nil }
            guard ended == session else { return rest }
            guard let holder else { return nil }
            rest = Subscription(session: holder, process: process, delivers: false)
            rest.monitor = monitor
            rest.needsStatus = true
            return rest
        }

        /// Records the status that is sent to the client.
        mutating func statusSent(_ status: MonitorState) {
            self.status = status
            needsStatus = false
        }

        /// Records that the limit of a condition has changed.
        mutating func recordChanged(_ identifier: String) {
            if !changedRecords.contains(identifier) { changedRecords.append(identifier) }
        }

        /// Whether conditions whose limit has changed wait to be sent.
        var hasChangedRecords: Bool { !changedRecords.isEmpty }

        /// Removes and returns the conditions whose limit has changed, at most `limit`.
        mutating func takeChangedRecords(limit: Int) -> [String] {
            sentRecords = Array(changedRecords.prefix(limit))
            changedRecords.removeFirst(sentRecords.count)
            return sentRecords
        }

        /// Returns the next events to send, at most `limit`, and marks them as sent. After an error
        /// some may be marked, so that the caller must discard this value.
        mutating func takeEvents(limit: Int, from store: EventStore) throws(StoreError) -> [StoredEvent] {
            // On a full disk all events are sent, in order.
            if latestOnly { try? store.foldSuperseded(of: monitor, sent: cursor) }
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

        /// Causes all deliverable events, and the records that were last sent, to be sent again.
        mutating func resendEvents() {
            cursor = 0
            redeliveries = []
            for identifier in sentRecords { recordChanged(identifier) }
            sentRecords = []
        }

        /// Adds events that an acknowledgement made deliverable.
        mutating func redeliver(_ events: [StoredEvent]) {
            redeliveries += events.map(\.sequence).filter { $0 <= cursor && !redeliveries.contains($0) }
            redeliveries.sort()
        }
    }
}

/// The monitors whose clients are notified again, because something could not be read.
struct FailedReads {
    private var keys: Set<MonitorKey> = []
    /// Whether all monitors count as changed then.
    private var includesList = false
    /// When work that failed is done again; nil if there is none.
    private(set) var deadline: Instant?

    /// - Parameter key: The monitor; nil for the list of all.
    mutating func add(_ key: MonitorKey?, due: Instant) {
        if let key { keys.insert(key) } else { includesList = true }
        retry(at: due)
    }

    /// Another failure does not postpone it.
    mutating func retry(at due: Instant) { deadline = earliest(deadline, due) }

    /// Notifies the clients if it is time.
    mutating func notify(_ subscriptions: inout MonitorSubscriptions, at now: Instant) {
        guard let deadline, deadline <= now else { return }
        for key in keys {
            subscriptions.notify(key)
            subscriptions.markChanged(key)
        }
        if includesList { subscriptions.markAllChanged() }
        self = FailedReads()
    }
}
