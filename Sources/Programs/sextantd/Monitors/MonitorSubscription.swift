import SQLite
import SextantAPI
import StateStore

/// A client's open monitor and the delivery state of its events.
struct MonitorSubscription {
    /// The number of the client's session.
    let session: Int
    /// The client's process.
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
    /// Sequence numbers up to the cursor that became deliverable later, in order. They were blocked
    /// by an unacknowledged event of the same condition.
    private var redeliveries: [Int64] = []
    /// The conditions whose limit has changed since they were last sent.
    private var changedRecords: [String] = []
    /// Those that were last sent.
    private var sentRecords: [String] = []
    /// The status of the monitor that was last sent; `nil` before the first.
    private(set) var status: MonitorMessage?
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
    func yields(to other: MonitorSubscription) -> Bool {
        !delivers && other.delivers && process == other.process && !isInvalidated
    }

    /// Begins the subscription to an existing monitor.
    mutating func begin(_ monitor: MonitorID, holder: MonitorSubscription?) {
        self.monitor = monitor
        self.holder = holder?.session
    }

    /// Returns the subscription without a session that has ended; `nil` if none remains.
    func without(_ ended: Int) -> MonitorSubscription? {
        var rest = self
        if ended == holder { rest.holder = nil }
        guard ended == session else { return rest }
        guard let holder else { return nil }
        rest = MonitorSubscription(session: holder, process: process, delivers: false)
        rest.monitor = monitor
        rest.needsStatus = true
        return rest
    }

    /// Records the status that is sent to the client.
    mutating func statusSent(_ status: MonitorMessage) {
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
