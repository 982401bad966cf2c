import Chronology
import Geofencing
import Locator
import Permission
import SQLite
import ServiceRuntime
import SextantAPI
import StateStore
import Varlink

/// The clients of `Watch` of `io.sextant.Monitor`, and what they still get.
///
/// Nothing is queued for them but the names of the monitors that have changed. Events are read from
/// the database, behind the last one that the client got of the monitor.
final class MonitorWatches {
    /// The maximum number of replies encoded for a client at a time, and of clients in a turn.
    private static let batchSize = 16
    private static let clientsPerTurn = 4

    /// The maximum number of changed monitors that wait for a client, besides those that it knows.
    /// Beyond it, the client gets all monitors.
    private static let maxChanged = 1024

    /// What a client got last of a monitor.
    private struct Known {
        var event: Int64
        var monitor: MonitorState
    }

    private struct Watch {
        /// The only user, owner and name; nil for any.
        let user: UInt32?
        let owner: ProgramID?
        let name: String?
        /// The monitors that the client has got and that exist.
        var known: [MonitorKey: Known] = [:]
        /// The monitors that have changed, in the order in which the client gets them.
        private(set) var changed: [MonitorKey] = []
        /// The members of ``changed``.
        private var marked: Set<MonitorKey> = []
        /// Whether too many have changed.
        var needsAll = false

        init(user: UInt32? = nil, owner: ProgramID? = nil, name: String? = nil) {
            (self.user, self.owner) = (user, owner)
            self.name = name
        }

        func includes(_ key: MonitorKey) -> Bool {
            (user ?? key.owner.user) == key.owner.user && (owner ?? key.owner) == key.owner
                && (name ?? key.name) == key.name
        }

        /// Whether something waits for the client.
        var isWaiting: Bool { needsAll || !changed.isEmpty }

        mutating func add(_ keys: some Sequence<MonitorKey>) {
            for key in keys where includes(key) && marked.insert(key).inserted { changed.append(key) }
        }

        mutating func removeFirst() { marked.remove(changed.removeFirst()) }

        mutating func removeAll() { (changed, marked) = ([], []) }
    }

    private unowned let service: MonitorService
    private var registry: MonitorRegistry { service.registry }
    private var watches: [Int: Watch] = [:]
    /// What could not be read last: monitors, or the list (nil).
    private var failed: Set<MonitorKey?> = []
    private var backoff = ExponentialBackoff()
    /// The sessions that get replies, in order.
    private var waiting: [Int] = []

    init(_ service: MonitorService) { self.service = service }

    func begin(_ call: Call, from session: ClientSession) throws {
        guard call.mode == .more else { throw ServiceError.expectedMore.reply }
        let parameters = try call.decode(MonitorMethods.watch)
        var watch = Watch(user: service.access.listedUser(for: session))
        if let name = parameters.name ?? (parameters.program == nil && parameters.application == nil ? nil : "") {
            let key = try service.access.key(name, of: parameters, for: session, .reading)
            watch = Watch(owner: key.owner, name: parameters.name)
            if parameters.name != nil { watch.add([key]) }
        }
        if parameters.name == nil { watch.add(try keys(of: watch)) }
        // A change of what the program may know is a change for the client.
        _ = service.permissions.follow(session.owner)
        session.begin(.watch)
        watches[session.number] = watch
        enqueue(session.number)
    }

    func end(_ session: ClientSession) {
        guard watches.removeValue(forKey: session.number) != nil else { return }
        service.permissions.unfollow(session.owner)
        waiting.removeAll { $0 == session.number }
        if watches.isEmpty { failed = [] }
    }

    /// Returns the monitors of the user of a watch, or all; at most as many as ListMonitors does.
    private func keys(of watch: Watch) throws(MonitorError) -> [MonitorKey] {
        try registry.monitors(ofUser: watch.user ?? watch.owner?.user, at: service.loop.now).monitors.compactMap {
            monitor in
            ProgramID(stored: monitor.program).map { MonitorKey(owner: $0, name: monitor.name) }
        }
    }

    /// Closes the connections of clients that may now read fewer monitors, or those of all users:
    /// they begin again.
    func applySettings() {
        for (number, watch) in Array(watches) {
            guard let session = service.server[number] else { continue }
            let isAllowed =
                watch.owner.map { (try? service.access.require(.reading, of: $0, for: session)) != nil }
                ?? (service.access.listedUser(for: session) == watch.user)
            if !isAllowed { service.server.close(session) }
        }
    }

    private func enqueue(_ number: Int) { if !waiting.contains(number) { waiting.append(number) } }
}

// MARK: Changes
extension MonitorWatches {
    /// Records that the state of conditions was determined without an event.
    func determined(_ conditions: some Sequence<ConditionID>) {
        guard !watches.isEmpty, let store = registry.database.openStore else { return }
        // A client that misses such a state finds it in the list of conditions.
        for condition in conditions {
            guard let name = try? store.name(of: condition), let key = try? registry.key(of: name.monitor, in: store)
            else { continue }
            registry.subscriptions.markChanged(key)
        }
    }

    /// Records that monitors have changed; nil for all.
    func add(_ keys: Set<MonitorKey>?) {
        guard !watches.isEmpty, keys?.isEmpty != true else { return }
        for (number, watch) in watches {
            var watch = watch
            if let keys { watch.add(keys) } else { watch.needsAll = true }
            if watch.changed.count > MonitorWatches.maxChanged + watch.known.count { watch.needsAll = true }
            // The list has them all, but not the only one that the client wants and does not exist.
            if watch.needsAll, watch.name == nil { watch.removeAll() }
            watches[number] = watch
            if watch.isWaiting { enqueue(number) }
        }
    }

    /// Discards what the clients of a program have not read, because they may not know it any more.
    /// They get the monitors again.
    func discardUnread(of program: ProgramID) {
        for (number, watch) in watches {
            guard let session = service.server[number],
                session.owner == program || watch.known.keys.contains(where: { $0.owner.program == program })
            else { continue }
            if session.hasPendingOutput { service.server.discardUpdates(of: session) }
            watches[number]?.needsAll = true
            enqueue(number)
        }
    }
}

// MARK: Delivery
extension MonitorWatches {
    /// Sends what has changed to the clients that can take it.
    func endTurn() {
        for _ in 0..<min(MonitorWatches.clientsPerTurn, waiting.count) {
            if let session = service.server[waiting.removeFirst()] { send(to: session) }
        }
        if !waiting.isEmpty { service.server.scheduleTurn() }
    }

    /// Continues with a client that has read the previous replies.
    func outputDrained(of session: ClientSession) {
        guard watches[session.number]?.isWaiting == true else { return }
        enqueue(session.number)
        service.server.scheduleTurn()
    }

    private func send(to session: ClientSession) {
        guard var watch = watches[session.number], !session.hasPendingOutput else { return }
        if watch.needsAll {
            guard let all = service.reading("the monitors of a client that watches", try keys(of: watch)) else {
                return readAgain(nil)
            }
            failed.remove(nil)
            watch.needsAll = false
            watch.add(watch.known.keys)
            watch.add(all)
        }
        var (rest, isOpen) = (MonitorWatches.batchSize, true)
        while rest > 0, isOpen, let key = watch.changed.first {
            let isOnly = watch.name != nil
            let read = service.reading(
                "changes of the monitor \(key.name)",
                try changes(of: key, for: session, known: &watch.known[key], isOnly: isOnly, limit: rest))
            guard let replies = read else {
                readAgain(key)
                watch.removeFirst()
                rest -= 1
                // The others wait until then.
                isOpen = !registry.database.isClosed
                continue
            }
            failed.remove(key)
            for reply in replies { session.reply(to: MonitorMethods.watch, reply, continues: true) }
            let events = replies.count { $0.event != nil }
            registry.subscriptions.countSent(events, of: key.owner, to: session.owner)
            rest -= max(1, replies.count)
            // As many events as were allowed: there may be more.
            if events == 0 || rest > 0 { watch.removeFirst() }
        }
        watches[session.number] = watch
        service.server.flush(session)
        if isOpen, watch.isWaiting, !session.hasPendingOutput { enqueue(session.number) }
    }

    /// Reads a monitor again later, or the list of all. An error of the disk closes the database
    /// for all clients: further attempts come after longer and longer times.
    private func readAgain(_ key: MonitorKey?) {
        if failed.isEmpty { backoff.reset() }
        failed.insert(key)
        let pause = backoff.next(from: EventLedger.reopenInterval, max: .seconds(600))
        registry.readAgain(key, at: service.loop.now + pause)
    }

    /// Returns the replies about a monitor: one for each new event, or one without an event.
    ///
    /// - Parameters:
    ///   - known: What the client got last; nil if it got no reply about the monitor. It then gets
    ///     no event of the past. After an error, it is as before.
    ///   - isOnly: Whether the client wants this monitor alone, also if it does not exist.
    private func changes(
        of key: MonitorKey, for session: ClientSession, known: inout Known?, isOnly: Bool, limit: Int
    ) throws(MonitorError) -> [MonitorChange] {
        let now = service.loop.now
        var reply = MonitorChange(name: key.name, program: key.owner.description)
        let missing = isOnly || known != nil ? [reply] : []
        guard let store = try registry.database.open(at: now) else { return missing }
        let id = try registry.database.perform(at: now) { () throws(StoreError) in
            try store.monitor(key.name, of: key.owner.description)
        }
        guard let id else {
            known = nil
            return missing
        }
        var monitor = service.withPermission(try registry.message(of: key, at: now), for: session)
        if let verdict = service.access.refusal(of: [session.owner]) {
            // Whoever opens it, or removes conditions, may do so because of an event.
            monitor = MonitorState(name: key.name, program: key.owner.description)
            monitor.withhold(verdict.flags)
        }
        reply.monitor = monitor
        let isAllowed = service.access.refusal(of: [session.owner, key.owner]) == nil
        let before = known
        let found = try registry.database.perform(at: now) { () throws(StoreError) -> [(StoredEvent, Event)] in
            guard isAllowed, let before else { return [] }
            let stored = try store.events.events(of: id, after: before.event, limit: limit)
            return try stored.map { (event) throws(StoreError) in
                (event, Event(event, metadata: try store.name(of: event.event.condition)?.metadata))
            }
        }
        let last = try registry.database.perform(at: now) { () throws(StoreError) in
            try store.events.lastSequence(of: id)
        }
        let newest = found.count < limit ? last : found.last?.0.sequence ?? last
        let replies = try found.map { (stored, event) throws(MonitorError) in
            var reply = reply
            reply.event = event
            reply.record = try registry.database.perform(at: now) { () throws(StoreError) in
                try store.record(for: stored.identifier, of: id)
            }.map { service.message(of: $0, of: key, for: session) }
            return reply
        }
        // Events that the client may not know now can follow a new grant.
        known = Known(event: isAllowed ? newest : before?.event ?? last, monitor: monitor)
        // A reply at the time of an event would tell that there was one.
        guard isAllowed || before?.monitor != monitor else { return [] }
        return replies.isEmpty ? [reply] : replies
    }
}
