import Store

/// A monitor that somebody has open, and what that client has been told.
struct Opening {
    /// Number of the session that holds it.
    let session: Int
    /// The process at its other end.
    let process: Int32
    let monitor: MonitorID
    /// Every event up to this one that could be told has been.
    var mark: Int64 = 0
    /// Events before the mark that could not be told then, because others of their conditions were out; in order.
    var owed: [Int64] = []
    /// The monitor itself has changed since it was told.
    var owesMonitor = false
    /// It is no more: the connection is to be closed.
    var isOver = false

    init(session: Int, process: Int32, monitor: MonitorID) {
        (self.session, self.process, self.monitor) = (session, process, monitor)
    }

    /// The next events to be told, at most so many; they count as told from then on.
    mutating func take(_ limit: Int, from store: MonitorStore) throws(StoreError) -> [StoredEvent] {
        var events: [StoredEvent] = []
        while events.count < limit, let sequence = owed.first {
            // It may have gone with its condition since.
            if let event = try store.outstanding(of: monitor, after: sequence - 1, limit: 1).first, event.sequence == sequence {
                events.append(event)
            }
            owed.removeFirst()
        }
        guard events.count < limit else { return events }
        let further = try store.outstanding(of: monitor, after: mark, limit: limit - events.count)
        if let last = further.last { mark = last.sequence }
        return events + further
    }

    /// What an acknowledgement has set free.
    mutating func free(_ events: [StoredEvent]) {
        owed += events.map(\.sequence).filter { $0 <= mark && !owed.contains($0) }
        owed.sort()
    }
}
