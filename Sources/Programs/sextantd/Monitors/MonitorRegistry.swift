import Chronology
import Geofencing
import Logging
import Permission
import SQLite
import SextantAPI
import StateStore
import SystemCalls

/// Identifies a monitor by its owner and the owner's name for it.
struct MonitorKey: Hashable {
    var owner: ProgramID
    var name: String
}

/// The monitors of all programs: their stored data, the clients that have them open, and the
/// conditions the core monitors.
///
/// Work for the core is collected until ``takeChanges(at:)``.
final class MonitorRegistry {
    private let log: Logger
    var subscriptions = MonitorSubscriptions()
    var monitored: MonitoredConditions
    private(set) lazy var database = MonitorDatabase(file, log: log, delegate: self)
    private let file: StateDatabase
    /// The keys of monitors in the store, read once each.
    private var keys: [MonitorID: MonitorKey] = [:]
    /// The monitors with new events whose names are still to be read.
    private var unnamed: Set<MonitorID> = []
    private var failed = FailedReads()

    /// - Parameter isAllowed: Returns whether a program may know the full location.
    init(
        database file: StateDatabase, limits: MonitorLimits, isAllowed: @escaping (ProgramID) -> Bool = { _ in true },
        log: Logger
    ) {
        self.file = file
        self.log = log
        monitored = MonitoredConditions(limits: limits, isAllowed: isAllowed, log: log)
    }

    /// Loads the monitors of earlier runs. A database that only contains energy use is closed
    /// again.
    func start(at now: Instant) {
        if let store = try? database.open(at: now), (try? store.programs().isEmpty) == true { database.closeUnused() }
    }

    /// Returns the owner with this text form. Besides the canonical spelling, the store may contain
    /// others of earlier versions, whose monitors can still be used and deleted.
    func owner(named text: String, at now: Instant) throws(MonitorError) -> ProgramID {
        if let owner = ProgramID(text) { return owner }
        if let owner = ProgramID(stored: text), try hasMonitors(of: owner, at: now) { return owner }
        throw .invalidProgram(program: String(text.prefix(300)), reason: "must be \(ProgramID.format)")
    }

    func hasMonitors(of owner: ProgramID, at now: Instant) throws(MonitorError) -> Bool {
        guard let store = try database.open(at: now) else { return false }
        return try database.perform(at: now) { () throws(StoreError) in
            try store.hasMonitors(of: owner.description)
        }
    }
}

// MARK: The database
extension MonitorRegistry: MonitorDatabaseDelegate {
    func opened(_ store: MonitorStore) throws(StoreError) {
        let owners = Set(try store.programs().compactMap { ProgramID(stored: $0) })
        try monitored.load(owners.sorted(), from: store)
        database.beginDeletion(at: try store.hasDeleted() ? .zero : nil)
        subscriptions.markAllChanged()
    }

    func resumed(_ store: MonitorStore, _ ledger: EventLedger) throws(StoreError) {
        ledger.discardEvents(of: try monitored.conditionsOfDenied(in: store))
    }

    func lost() {
        keys = [:]
        unnamed = []
        monitored.removeAll()
        subscriptions.invalidate()
    }

    func troubleChanged() { subscriptions.statusChanged() }
}

// MARK: Monitored conditions
extension MonitorRegistry {
    /// Returns the changes of the monitored conditions since the last call; `nil` if there are
    /// none.
    func takeChanges(at now: Instant) -> MonitoredConditions.Changes? {
        applyPending(at: now)
        notifyOfChangedRecords(at: now)
        return monitored.takeChanges()
    }

    /// Applies a change of what owners may know, and notifies the clients of these monitors.
    func permissionChanged(of owners: [ProgramID], notifying open: [MonitorKey], at now: Instant) {
        for key in open { subscriptions.statusChanged(of: key) }
        subscriptions.markAllChanged()
        monitored.permissionChanged(of: owners, isReadable: !database.isClosed)
        applyPending(at: now)
    }

    /// Applies the changes of the monitored conditions that wait for the database.
    private func applyPending(at now: Instant) {
        guard monitored.hasPendingChanges, let store = database.openStore else { return }
        attempt(at: now) { () throws(StoreError) in
            try monitored.applyPending(from: store, statesAreCurrent: !database.holdsEvents)
        }
        notifyOfChangedRecords(at: now)
    }

    /// Performs work that can be done again later, which is due some time after an error.
    private func attempt(at now: Instant, _ work: () throws(StoreError) -> Void) {
        do throws(MonitorError) { try database.perform(at: now, work) } catch {
            failed.retry(at: now + EventLedger.reopenInterval)
        }
    }

    func apply(_ limits: MonitorLimits, at now: Instant) {
        monitored.apply(limits)
        applyPending(at: now)
    }

    /// Notifies clients of the conditions whose records have changed without an event.
    private func notifyOfChangedRecords(at now: Instant) {
        guard monitored.hasRecordChanges, let store = database.openStore else { return }
        attempt(at: now) { () throws(StoreError) in
            for condition in monitored.limitChanges + monitored.recordChanges.sorted() {
                guard let name = try store.name(of: condition), let key = try key(of: name.monitor, in: store)
                else { continue }
                subscriptions.recordChanged(name.identifier, of: key)
            }
            monitored.recordChangesSent()
        }
    }
}

// MARK: Events
extension MonitorRegistry {
    /// Records events before any client receives them.
    func record(_ events: [ConditionEvent], at now: Instant) {
        notify(database.append(events, snapshots: [], at: now), at: now)
        guard events.contains(where: { $0.kind == .expired }), let store = database.openStore else { return }
        // An expired condition leaves capacity for one that was not monitored.
        for owner in Array(monitored.owners) {
            attempt(at: now) { () throws(StoreError) in try monitored.fill(owner, from: store) }
        }
        notifyOfChangedRecords(at: now)
    }

    /// Records first determinations that agree with the assumed state.
    func record(_ determinations: [ConditionDetermination], at now: Instant) {
        let snapshots = determinations.map { one in
            let state = StoredConditionState(
                state: one.snapshot.state, since: one.date, hasDwelt: one.snapshot.hasDwelt)
            return (one.condition, state)
        }
        notify(database.append([], snapshots: snapshots, at: now), at: now)
    }

    /// The next instant for ``tick(at:)``; `nil` if nothing is left to do.
    var deadline: Instant? { earliest(database.deadline, failed.deadline) }

    /// Retries failed operations on the database, and continues work that is done in parts.
    func tick(at now: Instant) {
        failed.notify(&subscriptions, at: now)
        notify(database.tick(at: now), at: now)
        monitored.forget(database.continueDeletion(at: now))
    }

    /// Returns the key of a monitor; nil if it no longer exists.
    func key(of monitor: MonitorID, in store: MonitorStore) throws(StoreError) -> MonitorKey? {
        if let key = keys[monitor] { return key }
        guard let stored = try store.description(of: monitor), let owner = ProgramID(stored: stored.program) else {
            return nil
        }
        keys[monitor] = MonitorKey(owner: owner, name: stored.name)
        return keys[monitor]
    }

    private func notify(_ monitors: Set<MonitorID>, at now: Instant) {
        unnamed.formUnion(monitors)
        guard !unnamed.isEmpty, let store = database.openStore else { return }
        attempt(at: now) { () throws(StoreError) in
            for monitor in unnamed {
                let key = try key(of: monitor, in: store)
                unnamed.remove(monitor)
                guard let key else { continue }
                subscriptions.notify(key)
                subscriptions.markChanged(key)
            }
        }
    }
}

// MARK: Notifications
extension MonitorRegistry {
    /// Returns the status of a monitor and marks it as sent to its client. While the database is
    /// closed, it is the last one with the present ``MonitorState/persistenceUnavailable``.
    func takeStatus(of key: MonitorKey, at now: Instant) -> MonitorState? {
        var status: MonitorState?
        do throws(MonitorError) { status = try message(of: key, at: now) } catch {
            status = subscriptions[key]?.status
        }
        status?.persistenceUnavailable = database.trouble != nil
        if let status { subscriptions.statusSent(status, of: key) }
        return status
    }

    /// Returns the next events for the client of a monitor, at most `limit`, and marks them as
    /// sent; none while the database is closed. Its clients are notified when it is opened again.
    func takeEvents(of key: MonitorKey, limit: Int, at now: Instant) throws(MonitorError) -> [Event] {
        try taking(from: key, at: now) { (store) throws(StoreError) in
            try subscriptions.takeEvents(of: key, limit: limit, from: store)
        }
    }

    /// Returns conditions of a monitor whose limit has changed, at most `limit`, and marks them as
    /// sent to its client.
    func takeChangedRecords(of key: MonitorKey, limit: Int, at now: Instant) throws(MonitorError) -> [StoredCondition] {
        try taking(from: key, at: now) { (store) throws(StoreError) in
            try subscriptions.takeChangedRecords(of: key, limit: limit, from: store)
        }
    }

    /// Reads something for the client of a monitor, who is notified again later after an error.
    private func taking<R>(
        from key: MonitorKey, at now: Instant, _ take: (MonitorStore) throws(StoreError) -> [R]
    ) throws(MonitorError) -> [R] {
        guard let store = database.openStore else { return [] }
        do throws(MonitorError) {
            return try database.perform(at: now) { () throws(StoreError) in try take(store) }
        } catch {
            failed.add(key, due: now + EventLedger.reopenInterval)
            throw error
        }
    }

    /// Notifies the clients of a monitor again later, because something could not be read; nil for
    /// the list of all monitors.
    func readAgain(_ key: MonitorKey?, at due: Instant) { failed.add(key, due: due) }
}

// MARK: What is stored
extension MonitorRegistry {
    /// The approximate size in bytes at which a page ends. It limits the time of a turn.
    private static let maxPageSize = 32 << 10
    /// The maximum number of monitors in a reply. A user cannot have more, but a database of an
    /// earlier version may contain any number.
    private static let maxListedMonitors = 1000

    /// Returns a page of conditions, ordered by identifier, that fits a reply.
    func page(_ parameters: PageParameters, of key: MonitorKey, at now: Instant) throws(MonitorError) -> (
        records: [StoredCondition], next: String?
    ) {
        try reading(key, at: now) { (store, monitor) throws(StoreError) in
            let page = try store.records(
                of: monitor, after: parameters.after, limit: parameters.limit ?? 100,
                maxSize: MonitorRegistry.maxPageSize, size: \.approximateSize)
            return (page.records, page.hasMore ? page.records.last?.added.identifier : nil)
        }
    }

    func record(_ identifier: String, of key: MonitorKey, at now: Instant) throws(MonitorError) -> StoredCondition {
        let record = try reading(key, at: now) { (store, monitor) throws(StoreError) in
            try store.record(for: identifier, of: monitor)
        }
        guard let record else { throw .noSuchCondition(identifier: identifier) }
        return record
    }

    /// Returns the monitors of one user's programs, or all monitors for `nil`.
    func monitors(ofUser user: UInt32?, at now: Instant) throws(MonitorError) -> ListMonitorsReply {
        guard let store = try database.open(at: now) else { return ListMonitorsReply(monitors: []) }
        return try database.perform(at: now) { () throws(StoreError) in
            let found = try store.monitors(ofUser: user, limit: MonitorRegistry.maxListedMonitors + 1)
            var messages: [MonitorState] = []
            for stored in found.prefix(MonitorRegistry.maxListedMonitors) {
                guard let owner = ProgramID(stored: stored.program), user ?? owner.user == owner.user else { continue }
                let key = MonitorKey(owner: owner, name: stored.name)
                messages.append(try message(of: stored, key: key, in: store))
            }
            return ListMonitorsReply(
                monitors: messages, isTruncated: found.count > MonitorRegistry.maxListedMonitors ? true : nil)
        }
    }
}

// MARK: Client operations, each one transaction
extension MonitorRegistry {
    /// Opens a monitor for a connection and creates it if it does not exist. Returns its status.
    func open(
        _ key: MonitorKey, _ subscription: MonitorSubscriptions.Subscription, at now: Instant
    ) throws(MonitorError) -> MonitorState {
        if let other = subscriptions[key], !other.yields(to: subscription) {
            throw .monitorInUse(name: key.name, process: Int(other.process))
        }
        let monitor = try findOrCreate(key, at: now)
        var status = try message(of: key, at: now)
        subscriptions.open(key, of: monitor, as: subscription)
        (status.isOpen, status.process) = (true, Int(subscription.process))
        subscriptions.statusSent(status, of: key)
        return status
    }

    /// Adds all conditions or none.
    func add(_ batch: [NewCondition], to key: MonitorKey, at now: Instant) throws(MonitorError) -> Addition {
        subscriptions.markChanged(key)
        let store = try database.openOrCreate(at: now)
        let error = try database.perform(at: now) { () throws(StoreError) in
            try monitored.limits.error(adding: batch, to: key, in: store)
        }
        if let error { throw error }
        try database.beginBatch(at: now)
        return try database.perform(at: now) { () throws(StoreError) in
            let monitor = try store.openMonitor(key.name, of: key.owner.description)
            let additions = Array(zip(batch, try store.add(batch, to: monitor, at: HostClock.utc)))
            var reply = Addition(added: 0, replaced: 0, unmonitored: [])
            for (_, addition) in additions {
                if case .added = addition { reply.added += 1 } else { reply.replaced += 1 }
            }
            reply.unmonitored = try monitored.add(additions, of: key.owner, from: store)
            return reply
        }
    }

    func remove(_ identifiers: [String], from key: MonitorKey, at now: Instant) throws(MonitorError) -> Int {
        try changing(key, at: now) { (store, monitor) throws(StoreError) in
            let gone = try store.remove(identifiers, from: monitor)
            try monitored.remove(gone, of: key.owner, from: store)
            notifyOfChangedRecords(at: now)
            return gone.count
        }
    }

    /// Deletes a monitor that no client has open.
    func delete(_ key: MonitorKey, at now: Instant) throws(MonitorError) {
        if let other = subscriptions[key] { throw .monitorInUse(name: key.name, process: Int(other.process)) }
        try changing(key, at: now) { (store, monitor) throws(StoreError) in
            try store.delete(monitor)
            keys[monitor] = nil
            database.beginDeletion(at: now)
            try monitored.fill(key.owner, from: store)
            notifyOfChangedRecords(at: now)
        }
    }

    /// Acknowledges events and returns how many were pending.
    func acknowledge(_ events: [Int], of key: MonitorKey, at now: Instant) throws(MonitorError) -> Int {
        let done = try changing(key, at: now) { (store, monitor) throws(StoreError) in
            try store.events.acknowledge(events.map(Int64.init), of: monitor)
        }
        subscriptions.redeliver(done.next, of: key)
        return done.count
    }

    func message(of key: MonitorKey, at now: Instant) throws(MonitorError) -> MonitorState {
        let message = try reading(key, at: now) { (store, monitor) throws(StoreError) in
            try store.description(of: monitor).map { (stored) throws(StoreError) in
                try self.message(of: stored, key: key, in: store)
            }
        }
        guard let message else { throw .noSuchMonitor(name: key.name) }
        return message
    }

    private func message(
        of stored: StoredMonitor, key: MonitorKey, in store: MonitorStore
    ) throws(StoreError) -> MonitorState {
        let unmonitored = try store.selection.unmonitoredCount(
            of: stored.id, after: monitored.lastMonitored(of: key.owner))
        return MonitorState(
            stored, openIn: subscriptions[key]?.process, unmonitored: unmonitored,
            limit: monitored.limits.monitoredPerProgram, isSaved: database.trouble == nil)
    }
}

extension MonitorRegistry {
    /// Reads from an existing monitor.
    ///
    /// - Throws: `noSuchMonitor` if there is none.
    private func reading<R>(
        _ key: MonitorKey, at now: Instant, _ read: (MonitorStore, MonitorID) throws(StoreError) -> R
    ) throws(MonitorError) -> R {
        guard let store = try database.open(at: now) else { throw .noSuchMonitor(name: key.name) }
        let result = try database.perform(at: now) { () throws(StoreError) -> R? in
            guard let monitor = try store.monitor(key.name, of: key.owner.description) else { return nil }
            return try read(store, monitor)
        }
        guard let result else { throw .noSuchMonitor(name: key.name) }
        return result
    }

    /// Changes an existing monitor in the batch of the turn's calls.
    ///
    /// - Throws: `noSuchMonitor` if there is none.
    private func changing<R>(
        _ key: MonitorKey, at now: Instant, _ change: (MonitorStore, MonitorID) throws(StoreError) -> R
    ) throws(MonitorError) -> R {
        let (store, monitor) = try reading(key, at: now) { (store, monitor) throws(StoreError) in (store, monitor) }
        subscriptions.markChanged(key)
        try database.beginBatch(at: now)
        return try database.perform(at: now) { () throws(StoreError) in try change(store, monitor) }
    }

    private func findOrCreate(_ key: MonitorKey, at now: Instant) throws(MonitorError) -> MonitorID {
        let store = try database.openOrCreate(at: now)
        var error: MonitorError?
        let found = try database.perform(at: now) { () throws(StoreError) -> MonitorID? in
            if let found = try store.monitor(key.name, of: key.owner.description) { return found }
            error = try monitored.limits.error(addingMonitorOf: key.owner, in: store)
            return nil
        }
        if let found { return found }
        if let error { throw error }
        try database.beginBatch(at: now)
        return try database.perform(at: now) { () throws(StoreError) in
            try store.openMonitor(key.name, of: key.owner.description)
        }
    }
}
