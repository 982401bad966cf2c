import Chronology
import Geofencing
import Glibc
import Logging
import Store
import Wire

/// The monitors of all programs: their stored data, the clients that have them open, and the
/// conditions the core monitors.
///
/// The database is opened if it exists or a client creates a monitor; a daemon without monitors has
/// none. A database error is logged once when it begins and once when it ends. Work for the core is
/// collected until ``takeChanges()``.
final class MonitorRegistry {
    /// The time after which a failed opening of the database is retried.
    private static let timeout = Instant.Span.seconds(30)

    var log: Logger { didSet { monitored.log = log } }
    private(set) var subscriptions = MonitorSubscriptions()
    private var monitored: MonitoredConditions
    private var ledger: EventLedger?
    /// Why the database could not be opened, and when to retry.
    private var closed: (reason: StoreError, retry: Instant)?
    /// The error last written to the log.
    private var reportedTrouble: StoreError.Kind?
    private var reportedDropCount = 0
    private let database: StateDatabase
    private var keys: [MonitorID: MonitorKey] = [:]

    init(database: StateDatabase, limits: MonitorLimits, log: Logger) {
        self.database = database
        self.log = log
        monitored = MonitoredConditions(limits: limits, log: log)
    }

    /// Loads the monitors of earlier runs. A database that only contains energy usage is closed
    /// again.
    func start(at now: Instant) {
        if let store = try? store(at: now), (try? store.monitors().isEmpty) == true { ledger = nil }
    }

    /// Returns the store, opened if necessary, or `nil` if the database does not exist.
    func store(at now: Instant) throws(MonitorError) -> MonitorStore? {
        if let ledger { return ledger.store }
        guard access(database.file.path, F_OK) == 0 else { return nil }
        return try openOrCreateStore(at: now)
    }

    /// Returns the store and creates the database if it does not exist.
    func openOrCreateStore(at now: Instant) throws(MonitorError) -> MonitorStore {
        if let ledger { return ledger.store }
        if let closed, now < closed.retry { throw unavailable(closed.reason) }
        do throws(StoreError) {
            let store = MonitorStore(try database.open(at: HostTime.now))
            ledger = EventLedger(store)
            closed = nil
            try load(from: store)
            reportDatabaseError()
            return store
        } catch {
            ledger = nil
            closed = (error, now + MonitorRegistry.timeout)
            reportDatabaseError()
            throw unavailable(error)
        }
    }

    /// Performs an operation on the store and converts its error to one for the client.
    func performOnStore<R>(at now: Instant, _ work: () throws(StoreError) -> R) throws(MonitorError) -> R {
        do throws(StoreError) { return try work() } catch {
            if error.kind == .damaged { discardDamagedDatabase(error, at: now) }
            throw unavailable(error)
        }
    }

    /// Returns the key of a monitor, or `nil` if the monitor no longer exists.
    func key(of monitor: MonitorID) throws(StoreError) -> MonitorKey? {
        if let key = keys[monitor] { return key }
        for stored in try ledger?.store.monitors() ?? [] {
            if let owner = MonitorOwner(stored.program) {
                keys[stored.id] = MonitorKey(owner: owner, name: stored.name)
            }
        }
        return keys[monitor]
    }

    private func load(from store: MonitorStore) throws(StoreError) {
        let owners = Set(try store.monitors().compactMap { MonitorOwner($0.program) })
        try monitored.load(owners.sorted(), from: store)
    }

    private func unavailable(_ error: StoreError) -> MonitorError {
        .persistenceUnavailable(reason: "\(error); \(error.remedy)")
    }
}

// MARK: Monitored conditions
extension MonitorRegistry {
    /// The programs with monitored conditions.
    var monitoringOwners: some Collection<MonitorOwner> { monitored.owners }

    /// Returns the changes of the monitored conditions since the last call; `nil` if there are
    /// none.
    func takeChanges() -> ConditionChanges? { monitored.takeChanges() }

    /// Returns whether an unexpired condition is not monitored because its program exceeds the
    /// limit.
    func exceedsLimit(_ ordinal: ConditionOrdinal, of owner: MonitorOwner) -> Bool {
        monitored.exceedsLimit(ordinal, of: owner)
    }

    /// Applies new limits.
    func apply(_ limits: MonitorLimits) { monitored.apply(limits, from: ledger?.store) }
}

// MARK: Events
extension MonitorRegistry {
    /// Records events before any client receives them.
    func record(_ events: [ConditionEvent], snapshots: [(ConditionID, StoredConditionState)] = [], at now: Instant) {
        guard let ledger else { return }
        finishWrite(ledger.append(events, snapshots: snapshots, recorded: HostTime.now, at: now), at: now)
        guard events.contains(where: { $0.kind == .expired }) else { return }
        // An expired condition leaves capacity for one that was not monitored.
        for owner in Array(monitored.owners) {
            _ = try? performOnStore(at: now) { () throws(StoreError) in
                try monitored.fill(owner, from: ledger.store)
            }
        }
    }

    /// Records first determinations that agree with the assumed state.
    func record(_ determinations: [ConditionDetermination], at now: Instant) {
        let snapshots = determinations.map { one in
            let state = StoredConditionState(
                state: one.snapshot.state, since: one.date, hasDwelt: one.snapshot.hasDwelt)
            return (one.condition, state)
        }
        record([], snapshots: snapshots, at: now)
    }

    /// The next instant for ``tick(at:)``; `nil` if nothing is left to write.
    var deadline: Instant? { earliest(ledger?.deadline, closed?.retry) }

    /// Retries failed operations.
    func tick(at now: Instant) {
        if let closed, closed.retry <= now {
            guard access(database.file.path, F_OK) == 0 else { return self.closed = nil }
            _ = try? openOrCreateStore(at: now)
        }
        if let ledger, let deadline = ledger.deadline, deadline <= now { finishWrite(ledger.retry(at: now), at: now) }
    }

    /// Writes the events buffered in memory, as a last attempt.
    func finish(at now: Instant) {
        _ = ledger?.retry(at: now)
    }

    private func finishWrite(_ monitors: Set<MonitorID>, at now: Instant) {
        if let trouble = ledger?.writeError, trouble.kind == .damaged {
            return discardDamagedDatabase(trouble, at: now)
        }
        reportDatabaseError()
        for monitor in monitors {
            if let key = try? key(of: monitor) { subscriptions.notify(key) }
        }
    }
}

// MARK: Database errors
extension MonitorRegistry {
    /// Why events cannot be written; `nil` if they can.
    var trouble: StoreError? { ledger?.writeError ?? closed?.reason }

    /// Handles a database that was damaged while open. All loaded data is discarded, and the next
    /// opening renames the file.
    private func discardDamagedDatabase(_ error: StoreError, at now: Instant) {
        log.critical("\(error)")
        ledger = nil
        keys = [:]
        monitored.removeAll()
        subscriptions.invalidate()
        _ = try? openOrCreateStore(at: now)
    }

    /// Logs the start and the end of a database error once each and notifies the clients of open
    /// monitors.
    private func reportDatabaseError() {
        if let ledger, ledger.droppedCount > reportedDropCount {
            log.error(
                "lost \(ledger.droppedCount - reportedDropCount) monitor events: writing failed for too long, and the buffer in memory is full"
            )
            reportedDropCount = ledger.droppedCount
        }
        guard trouble?.kind != reportedTrouble else { return }
        reportedTrouble = trouble?.kind
        if let trouble {
            log.error(
                "cannot write monitor events (\(trouble)); \(trouble.remedy). Monitoring continues; events are buffered in memory"
            )
        } else {
            log.notice("writing monitor events works again; no events are buffered in memory")
        }
        subscriptions.statusChanged()
    }
}

// MARK: Client operations, each one transaction
extension MonitorRegistry {
    /// Opens a monitor for a connection and creates it if it does not exist.
    func open(_ key: MonitorKey, session: Int, process: Int32, at now: Instant) throws(MonitorError) {
        if let other = subscriptions[key] { throw .monitorInUse(name: key.name, process: Int(other.process)) }
        let monitor = try findOrCreate(key, at: now)
        subscriptions.open(key, MonitorSubscription(session: session, process: process, monitor: monitor))
    }

    /// Closes a monitor after its connection has ended.
    func close(_ key: MonitorKey, session: Int) { subscriptions.close(key, session: session) }

    /// Returns the next events for the client of a monitor, at most `limit`, and marks them as sent.
    func takeEvents(of key: MonitorKey, limit: Int, at now: Instant) throws(MonitorError) -> [EventMessage] {
        guard let store = try store(at: now) else { return [] }
        return try performOnStore(at: now) { () throws(StoreError) in
            var messages: [EventMessage] = []
            for event in try subscriptions.takeEvents(of: key, limit: limit, from: store) {
                messages.append(EventMessage(event, metadata: try store.name(of: event.event.condition)?.metadata))
            }
            return messages
        }
    }

    /// Removes and returns a subscription with possible notifications; `nil` if there is none.
    func takeNotified() -> MonitorSubscription? {
        while subscriptions.hasNotified {
            if let subscription = subscriptions.takeNotified() { return subscription }
        }
        return nil
    }

    /// Records that the status of a monitor was sent to its client.
    func statusSent(of key: MonitorKey) { subscriptions.statusSent(of: key) }

    /// Adds all conditions or none.
    func add(_ batch: [NewCondition], to key: MonitorKey, at now: Instant) throws(MonitorError) -> AddReply {
        let store = try openOrCreateStore(at: now)
        let exceeded = try performOnStore(at: now) { () throws(StoreError) in
            try monitored.limits.exceeded(byAdding: batch, to: key, in: store)
        }
        if let exceeded { throw .tooManyConditions(limit: exceeded) }
        let monitor = try findOrCreate(key, at: now)
        return try performOnStore(at: now) { () throws(StoreError) in
            let additions = Array(zip(batch, try store.add(batch, to: monitor)))
            var reply = AddReply(added: 0, replaced: 0)
            for (_, addition) in additions {
                if case .added = addition { reply.added += 1 } else { reply.replaced += 1 }
            }
            reply.unmonitored = try monitored.add(additions, of: key.owner, from: store)
            return reply
        }
    }

    /// Removes conditions and returns the number removed.
    func remove(_ identifiers: [String], from key: MonitorKey, at now: Instant) throws(MonitorError) -> Int {
        let (store, monitor) = try existing(key, at: now)
        return try performOnStore(at: now) { () throws(StoreError) in
            let gone = try store.remove(identifiers, from: monitor)
            try monitored.remove(gone, of: key.owner, from: store)
            return gone.count
        }
    }

    /// Deletes a monitor that no client has open.
    func delete(_ key: MonitorKey, at now: Instant) throws(MonitorError) {
        if let other = subscriptions[key] { throw .monitorInUse(name: key.name, process: Int(other.process)) }
        let (store, monitor) = try existing(key, at: now)
        try performOnStore(at: now) { () throws(StoreError) in
            let gone = try store.delete(monitor)
            keys[monitor] = nil
            try monitored.remove(gone, of: key.owner, from: store)
        }
    }

    /// Acknowledges events and returns how many were pending.
    func acknowledge(_ events: [Int], of key: MonitorKey, at now: Instant) throws(MonitorError) -> Int {
        let (store, monitor) = try existing(key, at: now)
        let done = try performOnStore(at: now) { () throws(StoreError) in
            try store.acknowledge(events.map(Int64.init), of: monitor)
        }
        subscriptions.redeliver(done.next, of: key)
        return done.count
    }

    /// Returns a page of conditions, ordered by identifier, that fits a reply.
    func page(_ parameters: PageParameters, of key: MonitorKey, at now: Instant) throws(MonitorError) -> (
        records: [ConditionRecord], next: String?
    ) {
        let (store, monitor) = try existing(key, at: now)
        let limit = parameters.limit ?? 100
        return try performOnStore(at: now) { () throws(StoreError) in
            var records: [ConditionRecord] = []
            var after = parameters.after
            var size = 0
            while true {
                let piece = try store.records(of: monitor, after: after, limit: 32)
                for record in piece {
                    guard records.count < limit, size < MonitorRegistry.maxPageSize else { return (records, after) }
                    records.append(record)
                    after = record.added.identifier
                    size += record.approximateSize
                }
                if piece.count < 32 { return (records, nil) }
            }
        }
    }

    /// Returns the stored record of one condition.
    func record(_ identifier: String, of key: MonitorKey, at now: Instant) throws(MonitorError) -> ConditionRecord {
        let (store, monitor) = try existing(key, at: now)
        let record = try performOnStore(at: now) { () throws(StoreError) in
            try store.record(for: identifier, of: monitor)
        }
        guard let record else { throw .noSuchCondition(identifier: identifier) }
        return record
    }

    /// Returns the monitors of one user's programs, or all monitors for `nil`.
    func monitors(ofUser user: UInt32?, at now: Instant) throws(MonitorError) -> [MonitorMessage] {
        guard let store = try store(at: now) else { return [] }
        return try performOnStore(at: now) { () throws(StoreError) in
            var messages: [MonitorMessage] = []
            for stored in try store.monitors(of: nil) {
                guard let owner = MonitorOwner(stored.program), user.map({ $0 == owner.user }) ?? true else { continue }
                messages.append(try message(of: stored, MonitorKey(owner: owner, name: stored.name), in: store))
            }
            return messages
        }
    }

    /// Returns the description of a monitor.
    func message(of key: MonitorKey, at now: Instant) throws(MonitorError) -> MonitorMessage {
        let (store, monitor) = try existing(key, at: now)
        let message = try performOnStore(at: now) { () throws(StoreError) -> MonitorMessage? in
            guard let stored = try store.monitors(of: key.owner.description).first(where: { $0.id == monitor }) else {
                return nil
            }
            return try self.message(of: stored, key, in: store)
        }
        guard let message else { throw .noSuchMonitor(name: key.name) }
        return message
    }

    private func message(of stored: StoredMonitor, _ key: MonitorKey, in store: MonitorStore) throws(StoreError)
        -> MonitorMessage
    {
        var message = MonitorMessage(name: stored.name, program: stored.program)
        message.process = subscriptions[key].map { Int($0.process) }
        message.isOpen = message.process != nil
        message.conditions = stored.conditions
        message.pending = stored.waiting
        message.unmonitored = try store.unwatchedCount(of: stored.id, after: monitored.lastMonitored(of: key.owner))
        message.conditionLimit = monitored.limits.monitoredPerProgram
        message.persistenceUnavailable = trouble != nil
        return message
    }
}

extension MonitorRegistry {
    /// The approximate maximum size of a page in bytes, a quarter of a client's output queue.
    private static let maxPageSize = 256 << 10

    /// Returns an existing monitor.
    ///
    /// - Throws: `noSuchMonitor` if there is none.
    func existing(_ key: MonitorKey, at now: Instant) throws(MonitorError) -> (MonitorStore, MonitorID) {
        guard let store = try store(at: now) else { throw .noSuchMonitor(name: key.name) }
        let monitor = try performOnStore(at: now) { () throws(StoreError) in
            try store.monitor(key.name, of: key.owner.description)
        }
        guard let monitor else { throw .noSuchMonitor(name: key.name) }
        return (store, monitor)
    }

    private func findOrCreate(_ key: MonitorKey, at now: Instant) throws(MonitorError) -> MonitorID {
        let store = try openOrCreateStore(at: now)
        let program = key.owner.description
        let (found, count) = try performOnStore(at: now) { () throws(StoreError) in
            let found = try store.monitor(key.name, of: program)
            return (found, found == nil ? try store.monitors(of: program).count : 0)
        }
        if let found { return found }
        guard count < MonitorLimits.maxMonitors else { throw .tooManyMonitors(limit: MonitorLimits.maxMonitors) }
        return try performOnStore(at: now) { () throws(StoreError) in try store.openMonitor(key.name, of: program) }
    }
}
