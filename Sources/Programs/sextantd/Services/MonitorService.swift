import Chronology
import Geofencing
import Locator
import Logging
import Permission
import SQLite
import ServiceRuntime
import SextantAPI
import StateStore
import Varlink

/// Serves `io.sextant.Monitor`: monitors with conditions, and the delivery of their events.
///
/// Events are recorded in the database first and then sent to the clients that have the monitors
/// open. Changes of the monitored conditions are collected; the turn applies them to the core.
final class MonitorService: Service {
    /// The valid number of records per page.
    private static let pageSizes = 1...1000
    /// The valid number of conditions returned by a call of `Nearest`.
    private static let neighbourCounts = 1...100
    /// The maximum number of events encoded at a time. Further unread events remain in the
    /// database.
    private static let eventBatchSize = 16

    let context: ServiceContext
    private static let changingMethods = [
        MonitorMethods.open.name, MonitorMethods.add.name, MonitorMethods.importConditions.name,
        MonitorMethods.remove.name, MonitorMethods.acknowledge.name, MonitorMethods.delete.name,
    ]
    let methods =
        changingMethods + [
            MonitorMethods.list.name, MonitorMethods.exportConditions.name, MonitorMethods.getRecord.name,
            MonitorMethods.listMonitors.name, MonitorMethods.nearest.name, MonitorMethods.watch.name,
        ]
    private(set) lazy var registry = MonitorRegistry(
        database: context.database, limits: MonitorLimits(context.settings),
        isAllowed: { [unowned self] in allowsMonitoring($0) }, log: log)
    /// Who may use which monitors.
    private(set) lazy var access = MonitorAccess(context: context, registry: registry)
    /// The clients that watch monitors without taking their events.
    private lazy var watches = MonitorWatches(self)
    /// The files of monitors with waiting events.
    private lazy var wakeFiles = WakeFiles(registry, socket: context.settings.socket, log: log) { [unowned self] in
        access.refusal(of: [$0.owner]) == nil
    }
    /// The programs whose verdicts are followed, with the owners of their monitors.
    private var followed: [ProgramID: Set<ProgramID>] = [:]

    init(_ context: ServiceContext) { self.context = context }

    func apply(_ settings: Settings, at now: Instant) {
        registry.apply(MonitorLimits(settings), at: now)
        watches.applySettings()
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        // Decoding large calls and reading the database use memory that is no longer needed.
        memory.requestTrim()
        // The reply waits for the disk.
        if MonitorService.changingMethods.contains(call.method) { session.awaitsDisk = true }
        switch call.method {
        case MonitorMethods.open.name: try reporting { try open(call, from: session) }
        case MonitorMethods.add.name:
            try serve(MonitorMethods.add, call, session) { parameters in
                try add(to: parameters.name, of: parameters, from: session) {
                    try parameters.conditions.map(NewCondition.init)
                }
            }
        case MonitorMethods.importConditions.name:
            try serve(MonitorMethods.importConditions, call, session) { parameters in
                try add(to: parameters.name, of: parameters, from: session) {
                    try NewCondition.batch(geojson: parameters.geojson)
                }
            }
        case MonitorMethods.remove.name:
            try serve(MonitorMethods.remove, call, session) { parameters in
                let key = try access.key(parameters.name, of: parameters, for: session, .editing)
                return RemoveReply(removed: try registry.remove(parameters.identifiers, from: key, at: loop.now))
            }
        case MonitorMethods.acknowledge.name:
            try serve(MonitorMethods.acknowledge, call, session) { parameters in
                let key = try access.key(parameters.name, of: parameters, for: session, .taking)
                let count = try registry.acknowledge(parameters.events, of: key, at: loop.now)
                // A program that may not know the location must not learn whether one is pending.
                return AcknowledgeReply(acknowledged: access.refusal(of: [key.owner]) == nil ? count : 0)
            }
        case MonitorMethods.delete.name:
            try serve(MonitorMethods.delete, call, session) { parameters in
                let key = try access.key(parameters.name, of: parameters, for: session, .editing)
                try registry.delete(key, at: loop.now)
                if (try? registry.hasMonitors(of: key.owner, at: loop.now)) == false { unfollow(key.owner) }
                return NoParameters()
            }
        default: try handleQuery(call, from: session)
        }
    }

    private func handleQuery(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case MonitorMethods.list.name:
            try serve(MonitorMethods.list, call, session) { parameters in
                let (key, page) = try page(parameters, from: session)
                let records = page.records.map { message(of: $0, of: key, for: session) }
                return ListReply(records: records, next: page.next)
            }
        case MonitorMethods.exportConditions.name:
            try serve(MonitorMethods.exportConditions, call, session) { parameters in
                let (_, page) = try page(parameters, from: session)
                let features = FeatureCollection(features: page.records.map { FenceFeature($0.added) })
                return ExportReply(geojson: features.json.object ?? [:], next: page.next)
            }
        case MonitorMethods.getRecord.name:
            try serve(MonitorMethods.getRecord, call, session) { parameters in
                let key = try access.key(parameters.name, of: parameters, for: session, .reading)
                let record = try registry.record(parameters.identifier, of: key, at: loop.now)
                return GetRecordReply(record: message(of: record, of: key, for: session))
            }
        case MonitorMethods.listMonitors.name:
            try serve(MonitorMethods.listMonitors, call, session) { _ in
                var reply = try registry.monitors(ofUser: access.listedUser(for: session), at: loop.now)
                reply.monitors = reply.monitors.map { withPermission($0, for: session) }
                return reply
            }
        case MonitorMethods.nearest.name: try serve(MonitorMethods.nearest, call, session) { try nearest($0, session) }
        case MonitorMethods.watch.name: try reporting { try watches.begin(call, from: session) }
        default: throw call.methodNotImplemented
        }
    }

    /// Answers a call of `method` with one reply, which `reply` makes from the parameters.
    private func serve<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, _ call: Call, _ session: ClientSession,
        reply: (Parameters) throws -> Reply
    ) throws(VarlinkError) {
        let parameters = try call.decode(method)
        session.reply(to: method, try reporting { try reply(parameters) })
    }

    private func reporting<R>(_ work: () throws -> R) throws(VarlinkError) -> R {
        do { return try work() } catch let error as MonitorError { throw error.reply } catch {
            throw error as? VarlinkError ?? ManagerError.internal.reply
        }
    }

    /// Returns when a call may be served if that is later; `nil` if it may be served now.
    func postponement(of call: Call, at now: Instant) -> Instant? {
        guard MonitorService.changingMethods.contains(call.method) else { return nil }
        let next = registry.database.nextWrite
        return next > now ? next : nil
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        if let key = session.activity.monitor { registry.subscriptions.close(key, session: session.number) }
        if session.activity.isWatch { watches.end(session) }
    }
}

// MARK: Calls
extension MonitorService {
    private func open(_ call: Call, from session: ClientSession) throws {
        guard call.mode == .more else { throw ServiceError.expectedMore.reply }
        let parameters = try call.decode(MonitorMethods.open)
        let key = try access.keyForCreation(parameters.name, of: parameters, for: session, .taking)
        try MonitorName.check(parameters.name)
        let subscription = MonitorSubscriptions.Subscription(
            session: session.number, process: session.peer.process, delivers: parameters.deliver ?? true,
            latestOnly: parameters.latestOnly ?? false)
        let status = try registry.open(key, subscription, at: loop.now)
        session.begin(.monitor(key))
        send(status, to: session)
        guard context.beaconProblem != nil, let store = registry.database.openStore else { return }
        let ids = (try? store.conditions(of: key.owner.description, monitor: key.name)) ?? []
        registry.monitored.recordsChanged(ids.filter { context.locator.conditions.beacons.state(of: $0) != nil })
        server.scheduleTurn()
    }

    /// Returns the record of a condition, without its state for a program that may not know it.
    func message(of record: StoredCondition, of key: MonitorKey, for session: ClientSession) -> ConditionRecord {
        let exceedsLimit = registry.monitored.exceedsLimit(record.ordinal, of: key.owner)
        var message = ConditionRecord(record, exceedsLimit: exceedsLimit, in: context.locator, at: loop.now)
        message.persistenceUnavailable = registry.database.trouble != nil
        if let problem = context.beaconProblem, message.condition.beacon != nil { message.setUnsupported(problem) }
        if let verdict = access.refusal(of: [session.owner, key.owner]) { message.withhold(verdict.flags) }
        return message
    }

    /// Informs the clients of conditions on beacons that these cannot be received, or can again.
    func beaconProblemChanged() {
        registry.monitored.recordsChanged(context.locator.conditions.beacons.identifiers)
        server.scheduleTurn()
    }

    /// Adds conditions to a monitor, which is created if it does not exist.
    private func add(
        to name: String, of parameters: some OwnerParameters, from session: ClientSession,
        _ batch: () throws -> [NewCondition]
    ) throws -> Addition {
        let key = try access.keyForCreation(name, of: parameters, for: session, .editing)
        try MonitorName.check(name)
        return try registry.add(try batch(), to: key, at: loop.now)
    }

    private func page(_ parameters: PageParameters, from session: ClientSession) throws -> (
        MonitorKey, (records: [StoredCondition], next: String?)
    ) {
        guard parameters.limit.map(MonitorService.pageSizes.contains) ?? true else {
            throw ServiceError.invalid("limit")
        }
        let key = try access.key(parameters.name, of: parameters, for: session, .reading)
        return (key, try registry.page(parameters, of: key, at: loop.now))
    }

    /// The cost depends on the conditions of this owner only.
    private func nearest(_ parameters: NearestParameters, _ session: ClientSession) throws -> Neighbourhood {
        let count = parameters.count ?? 10
        guard MonitorService.neighbourCounts.contains(count) else { throw ServiceError.invalid("count") }
        let key = try access.key(parameters.name ?? "", of: parameters, for: session, .reading)
        if let verdict = access.refusal(of: [session.owner]) {
            throw PermissionDeniedError(verdict, of: session.owner).reply(in: .monitor)
        }
        if parameters.name != nil { _ = try registry.message(of: key, at: loop.now) }
        let position = CurrentPosition(in: context.locator, at: loop.now)
        guard let position, let store = try registry.database.open(at: loop.now) else {
            return Neighbourhood(location: position?.message, neighbours: [])
        }
        return try registry.database.perform(at: loop.now) { () throws(StoreError) in
            try store.neighbours(of: key.owner, monitor: parameters.name, count: count, at: position, context.locator)
        }
    }
}

// MARK: Permission
extension MonitorService {
    /// Returns whether the conditions of an owner may be monitored, and follows the verdict of its
    /// program from now on.
    private func allowsMonitoring(_ owner: ProgramID) -> Bool {
        let program = owner.program
        let isNew = followed[program] == nil
        followed[program, default: []].insert(owner)
        return (isNew ? permissions.follow(program) : permissions.verdict(of: program)).allowsFullLocation
    }

    /// Ends following an owner that has no monitors any more.
    private func unfollow(_ owner: ProgramID) {
        let program = owner.program
        guard followed[program]?.remove(owner) != nil, followed[program]?.isEmpty == true else { return }
        followed[program] = nil
        permissions.unfollow(program)
    }

    /// Returns the message of a monitor with the flags of its owner and of the client.
    func withPermission(_ message: MonitorState, for session: ClientSession) -> MonitorState {
        var message = message
        let owner = ProgramID(stored: message.program) ?? session.owner
        if let verdict = access.refusal(of: [session.owner, owner]) { message.withhold(verdict.flags) }
        return message
    }
}

// MARK: The turn
extension MonitorService {
    /// Loads the monitors of earlier runs.
    func start(at now: Instant) { registry.start(at: now) }

    /// The next instant for ``tick(at:)``.
    var deadline: Instant? { earliest(registry.deadline, wakeFiles.deadline) }

    /// Retries failed operations on the database.
    func tick(at now: Instant) { registry.tick(at: now) }

    /// Records new states of conditions, before any client receives their events.
    func perform(_ effect: Effect.Fence, at now: Instant) {
        switch effect {
        case .changed(let events):
            registry.record(events, at: now)
            // The last condition of a program may have expired.
            context.uses.setMonitoring(registry.monitored.owners, at: now)
        case .determined(let determinations):
            registry.record(determinations, at: now)
            watches.determined(determinations.lazy.map(\.condition))
        }
    }

    func applyConditionChanges(at now: Instant) {
        guard let changes = registry.takeChanges(at: now) else { return }
        if changes.resetsAll {
            context.locator.removeConditions(context.locator.conditions.identifiers, at: now)
        }
        if !changes.removed.isEmpty { context.locator.removeConditions(changes.removed, at: now) }
        context.locator.addConditions(changes.added, at: now)
        if context.beaconProblem != nil {
            let beacons = changes.added.filter { if case .beacon = $0.condition.subject { true } else { false } }
            registry.monitored.recordsChanged(beacons.map(\.id))
            server.scheduleTurn()
        }
        context.uses.setMonitoring(registry.monitored.owners, at: now)
    }

    /// Sends pending notifications, and updates what depends on them.
    func endTurn(at now: Instant) {
        sendPendingNotifications()
        let changed = registry.subscriptions.takeChanged()
        watches.add(changed)
        watches.endTurn()
        wakeFiles.update(changed, at: now)
        context.uses.count(registry.subscriptions.takeSent(), at: now)
    }

    /// Applies a new verdict: conditions are monitored only with the full location.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {
        // Clients of this program may have monitors of other programs open, and the reverse.
        var open = registry.subscriptions.keys(of: program)
        let sessions = server.sessions(of: program, where: { $0.activity.monitor != nil })
        for key in sessions.compactMap(\.activity.monitor) where !open.contains(key) { open.append(key) }
        for key in open {
            guard let subscription = registry.subscriptions[key], let session = server[subscription.session],
                session.connection.wantsOutput, access.refusal(of: [session.owner, key.owner]) != nil
            else { continue }
            // The client may not know any more what it has not read. The events stay in the
            // database and are sent again after a new grant.
            server.discardUpdates(of: session)
            registry.subscriptions.resendEvents(of: key)
        }
        if !verdict.allowsFullLocation { watches.discardUnread(of: program) }
        registry.permissionChanged(of: followed[program, default: []].sorted(), notifying: open, at: now)
    }

    /// Writes the changes of a turn's calls to disk. Returns `false` if that is uncertain.
    func saveCalls(at now: Instant) -> Bool { registry.database.saveCalls(at: now) }

    /// Writes the events buffered in memory, as a last attempt.
    func stop(at now: Instant) { registry.database.finish(at: now) }
}

// MARK: Delivery of events
extension MonitorService {
    /// The maximum number of clients that get events in a turn. The others get theirs in the next.
    private static let clientsPerTurn = 4

    /// Sends pending notifications to the clients of open monitors.
    private func sendPendingNotifications() {
        // A client that is notified again meanwhile waits for those before it.
        for _ in 0..<min(MonitorService.clientsPerTurn, registry.subscriptions.notifiedCount) {
            guard let subscription = registry.subscriptions.takeNotified() else { break }
            if let session = server[subscription.session] { sendEvents(to: session) }
        }
        if registry.subscriptions.notifiedCount > 0 { server.scheduleTurn() }
    }

    /// Continues to send events to a client that has read the previous ones.
    func outputDrained(of session: ClientSession) {
        if let key = session.activity.monitor { registry.subscriptions.notify(key) }
        watches.outputDrained(of: session)
    }

    /// Sends the next events to a client of a monitor. Further ones follow in later turns, as fast
    /// as the client reads.
    private func sendEvents(to session: ClientSession) {
        guard let key = session.activity.monitor, !session.hasPendingOutput,
            let subscription = registry.subscriptions[key], subscription.session == session.number
        else { return }
        if subscription.isInvalidated { return server.close(session) }
        if subscription.needsStatus, let status = registry.takeStatus(of: key, at: loop.now) {
            send(status, to: session)
        }
        let batch = MonitorService.eventBatchSize
        let records =
            reading(
                "conditions of the monitor \(key.name)",
                try registry.takeChangedRecords(of: key, limit: batch, at: loop.now)) ?? []
        for record in records {
            let reply = OpenReply(record: message(of: record, of: key, for: session))
            session.reply(to: MonitorMethods.open, reply, continues: true)
        }
        let isAllowed = access.refusal(of: [session.owner, key.owner]) == nil
        let events =
            reading(
                "events of the monitor \(key.name)",
                isAllowed && subscription.delivers ? try registry.takeEvents(of: key, limit: batch, at: loop.now) : [])
            ?? []
        for event in events {
            session.reply(to: MonitorMethods.open, OpenReply(event: event), continues: true)
        }
        guard subscription.needsStatus || !records.isEmpty || !events.isEmpty else { return }
        registry.subscriptions.countSent(events.count, of: key.owner, to: session.owner)
        server.flush(session)
        let mayHaveMore = !records.isEmpty || !events.isEmpty
        if mayHaveMore, server[session.number] === session, !session.hasPendingOutput {
            registry.subscriptions.notify(key)
        }
    }

    private func send(_ status: MonitorState, to session: ClientSession) {
        let reply = OpenReply(monitor: withPermission(status, for: session))
        session.reply(to: MonitorMethods.open, reply, continues: true)
    }

    /// Returns what is read from the database; nil if it cannot be read, which is logged.
    func reading<R>(_ contents: String, _ read: @autoclosure () throws(MonitorError) -> [R]) -> [R]? {
        do throws(MonitorError) { return try read() } catch {
            log.error("cannot read \(contents): \(error.reply)")
            return nil
        }
    }
}
