import Chronology
import Geofencing
import Store
import Wire

/// What clients ask of monitors. Each call is one transaction.
extension MonitorRegister {
    /// Opens a monitor for a connection; it is made if it is new.
    func open(_ key: MonitorKey, session: Int, process: Int32, at now: Instant) throws(MonitorError) {
        if let other = openings[key] { throw .monitorInUse(name: key.name, process: Int(other.process)) }
        let monitor = try made(key, at: now)
        openings[key] = Opening(session: session, process: process, monitor: monitor)
        news.insert(key)
    }

    /// The connection that had it open is gone.
    func close(_ key: MonitorKey, session: Int) {
        guard openings[key]?.session == session else { return }
        openings[key] = nil
        news.remove(key)
    }

    /// Adds conditions, all or none.
    func add(_ batch: [NewCondition], to key: MonitorKey, at now: Instant) throws(MonitorError) -> AddReply {
        let store = try madeStore(at: now)
        try checkRoom(for: batch, of: key, in: store, at: now)
        let monitor = try made(key, at: now)
        let additions = try attempt(at: now) { () throws(StoreError) in
            let additions = try store.add(batch, to: monitor)
            let gone = additions.compactMap { if case .replaced(let old, _) = $0 { old } else { nil } }
            try release(gone, of: key.owner, from: store)
            return additions
        }
        var reply = AddReply(added: 0, replaced: 0)
        for (new, addition) in zip(batch, additions) {
            if case .added = addition { reply.added += 1 } else { reply.replaced += 1 }
            if exceedsLimit(addition.id, of: key.owner) { reply.unmonitored.append(new.identifier) }
        }
        return reply
    }

    /// Removes conditions; how many there were.
    func remove(_ identifiers: [String], from key: MonitorKey, at now: Instant) throws(MonitorError) -> Int {
        let (store, monitor) = try existing(key, at: now)
        return try attempt(at: now) { () throws(StoreError) in
            let gone = try store.remove(identifiers, from: monitor)
            try release(gone, of: key.owner, from: store)
            return gone.count
        }
    }

    /// Removes a monitor that nobody has open.
    func delete(_ key: MonitorKey, at now: Instant) throws(MonitorError) {
        if let other = openings[key] { throw .monitorInUse(name: key.name, process: Int(other.process)) }
        let (store, monitor) = try existing(key, at: now)
        try attempt(at: now) { () throws(StoreError) in
            let gone = try store.delete(monitor)
            forget(monitor)
            try release(gone, of: key.owner, from: store)
        }
    }

    /// These events have been dealt with; how many waited until now.
    func acknowledge(_ events: [Int], of key: MonitorKey, at now: Instant) throws(MonitorError) -> Int {
        let (store, monitor) = try existing(key, at: now)
        let done = try attempt(at: now) { () throws(StoreError) in try store.acknowledge(events.map(Int64.init), of: monitor) }
        if !done.next.isEmpty, openings[key] != nil {
            openings[key]?.free(done.next)
            news.insert(key)
        }
        return done.count
    }

    /// Conditions by identifier, in pages that fit a reply.
    func page(_ wish: PageParameters, of key: MonitorKey, at now: Instant) throws(MonitorError) -> (
        records: [ConditionRecord], next: String?
    ) {
        let (store, monitor) = try existing(key, at: now)
        let limit = wish.limit ?? 100
        return try attempt(at: now) { () throws(StoreError) in
            var records: [ConditionRecord] = []
            var (after, size) = (wish.after, 0)
            while true {
                let piece = try store.records(of: monitor, after: after, limit: 32)
                for record in piece {
                    guard records.count < limit, size < MonitorRegister.largestPage else { return (records, after) }
                    records.append(record)
                    after = record.added.identifier
                    size += record.roughSize
                }
                if piece.count < 32 { return (records, nil) }
            }
        }
    }

    /// All that is kept of one condition.
    func record(_ identifier: String, of key: MonitorKey, at now: Instant) throws(MonitorError) -> ConditionRecord {
        let (store, monitor) = try existing(key, at: now)
        let record = try attempt(at: now) { () throws(StoreError) in try store.record(for: identifier, of: monitor) }
        guard let record else { throw .noSuchCondition(identifier: identifier) }
        return record
    }

    /// Monitors of one user's programs, or of all.
    func monitors(ofUser user: UInt32?, at now: Instant) throws(MonitorError) -> [MonitorMessage] {
        guard let store = try store(at: now) else { return [] }
        return try attempt(at: now) { () throws(StoreError) in
            var messages: [MonitorMessage] = []
            for stored in try store.monitors(of: nil) {
                guard let owner = MonitorOwner(stored.program), user.map({ $0 == owner.user }) ?? true else { continue }
                messages.append(try message(of: stored, MonitorKey(owner: owner, name: stored.name), in: store))
            }
            return messages
        }
    }

    /// A monitor as a whole.
    func message(of key: MonitorKey, at now: Instant) throws(MonitorError) -> MonitorMessage {
        let (store, monitor) = try existing(key, at: now)
        let message = try attempt(at: now) { () throws(StoreError) -> MonitorMessage? in
            guard let stored = try store.monitors(of: key.owner.description).first(where: { $0.id == monitor }) else { return nil }
            return try self.message(of: stored, key, in: store)
        }
        guard let message else { throw .noSuchMonitor(name: key.name) }
        return message
    }

    private func message(of stored: StoredMonitor, _ key: MonitorKey, in store: MonitorStore) throws(StoreError) -> MonitorMessage {
        var message = MonitorMessage(name: stored.name, program: stored.program)
        (message.isOpen, message.process) = (openings[key] != nil, openings[key].map { Int($0.process) })
        (message.conditions, message.pending) = (stored.conditions, stored.waiting)
        message.unmonitored = try store.unwatchedCount(of: stored.id, after: horizons[key.owner] ?? ConditionID(0))
        (message.conditionLimit, message.persistenceUnavailable) = (limits.watched, trouble != nil)
        return message
    }
}

extension MonitorRegister {
    /// Bytes that a page of records may have, roughly: a quarter of what may wait for a client.
    private static let largestPage = 256 << 10

    /// The monitor of that name, which must be there.
    func existing(_ key: MonitorKey, at now: Instant) throws(MonitorError) -> (MonitorStore, MonitorID) {
        guard let store = try store(at: now) else { throw .noSuchMonitor(name: key.name) }
        let monitor = try attempt(at: now) { () throws(StoreError) in try store.monitor(key.name, of: key.owner.description) }
        guard let monitor else { throw .noSuchMonitor(name: key.name) }
        return (store, monitor)
    }

    private func made(_ key: MonitorKey, at now: Instant) throws(MonitorError) -> MonitorID {
        let store = try madeStore(at: now)
        let program = key.owner.description
        let (found, count) = try attempt(at: now) { () throws(StoreError) in
            let found = try store.monitor(key.name, of: program)
            return (found, found == nil ? try store.monitors(of: program).count : 0)
        }
        if let found { return found }
        guard count < MonitorLimits.mostMonitors else { throw .tooManyMonitors(limit: MonitorLimits.mostMonitors) }
        return try attempt(at: now) { () throws(StoreError) in try store.openMonitor(key.name, of: program) }
    }

    private func checkRoom(for batch: [NewCondition], of key: MonitorKey, in store: MonitorStore, at now: Instant) throws(MonitorError) {
        let excess = try attempt(at: now) { () throws(StoreError) -> Int? in
            let (own, all) = (try store.conditionCount(of: key.owner.description), try store.conditionCount())
            guard own + batch.count > limits.kept || all + batch.count > limits.inAll else { return nil }
            // Those that take the place of others need no room.
            var new = batch.count
            if let monitor = try store.monitor(key.name, of: key.owner.description) {
                for one in batch where try store.record(for: one.identifier, of: monitor) != nil { new -= 1 }
            }
            if new == 0 { return nil }
            if own + new > limits.kept { return limits.kept }
            return all + new > limits.inAll ? limits.inAll : nil
        }
        if let excess { throw .tooManyConditions(limit: excess) }
    }
}

extension ConditionRecord {
    /// Bytes of its message, roughly.
    fileprivate var roughSize: Int {
        let points =
            switch added.condition.shape {
            case .circle: 1
            case .polygon(let polygon): polygon.holes.reduce(polygon.ring.count) { $0 + $1.count }
            case .corridor(let path, _): path.count
            }
        return 1000 + 64 * points + 3 * (added.metadata?.utf8.count ?? 0)
    }
}
