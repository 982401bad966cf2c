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
    /// The methods that can change the database.
    private static let changingMethods = [
        MonitorMethods.open.name, MonitorMethods.add.name, MonitorMethods.importConditions.name,
        MonitorMethods.remove.name, MonitorMethods.acknowledge.name, MonitorMethods.delete.name,
    ]
    let methods =
        changingMethods + [
            MonitorMethods.list.name, MonitorMethods.exportConditions.name, MonitorMethods.getRecord.name,
            MonitorMethods.listMonitors.name, MonitorMethods.nearest.name,
        ]
    private let permissions: MonitorPermissions
    private let registry: MonitorRegistry
    private let reader: MonitorReader
    /// The files of monitors with waiting events.
    private let wakeFiles: WakeFiles

    init(_ context: ServiceContext) {
        self.context = context
        let permissions = MonitorPermissions(context.permissions)
        self.permissions = permissions
        registry = MonitorRegistry(
            database: context.database, limits: MonitorLimits(context.settings),
            isAllowed: permissions.allowsMonitoring, log: context.log)
        reader = MonitorReader(registry)
        wakeFiles = WakeFiles(registry, socket: context.settings.socket, log: context.log) {
            permissions.refusal(of: [$0.owner]) == nil
        }
    }

    /// Applies the limits of settings.
    func apply(_ settings: Settings, at now: Instant) { registry.apply(MonitorLimits(settings), at: now) }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        // Decoding large calls and reading the database use memory that is no longer needed.
        memory.requestTrim()
        switch call.method {
        case MonitorMethods.open.name: try open(call, from: session)
        case MonitorMethods.add.name:
            try session.serve(MonitorMethods.add, call: call) { parameters throws(VarlinkError) in
                try add(to: parameters.name, of: parameters, from: session) { () throws(MonitorError) in
                    try parameters.conditions.map(NewCondition.init)
                }
            }
        case MonitorMethods.importConditions.name:
            try session.serve(MonitorMethods.importConditions, call: call) { parameters throws(VarlinkError) in
                try add(to: parameters.name, of: parameters, from: session) { () throws(MonitorError) in
                    do throws(GeoJSONError) { return try NewCondition.batch(geojson: parameters.geojson) } catch {
                        throw .invalidCondition(identifier: error.identifier ?? "", reason: "\(error)")
                    }
                }
            }
        case MonitorMethods.remove.name:
            try session.serve(MonitorMethods.remove, call: call) { parameters throws(VarlinkError) in
                let key = try keyForChange(parameters.name, of: parameters, for: session)
                return RemoveReply(
                    removed: try reporting { () throws(MonitorError) in
                        try registry.remove(parameters.identifiers, from: key, at: loop.now)
                    })
            }
        case MonitorMethods.acknowledge.name:
            try session.serve(MonitorMethods.acknowledge, call: call) { parameters throws(VarlinkError) in
                let key = try keyForChange(parameters.name, of: parameters, for: session)
                let count = try reporting { () throws(MonitorError) in
                    try registry.acknowledge(parameters.events, of: key, at: loop.now)
                }
                // A program that may not know the location must not learn whether one is pending.
                return AcknowledgeReply(acknowledged: permissions.refusal(of: [key.owner]) == nil ? count : 0)
            }
        case MonitorMethods.delete.name:
            try session.serve(MonitorMethods.delete, call: call) { parameters throws(VarlinkError) in
                let key = try keyForChange(parameters.name, of: parameters, for: session)
                try reporting { () throws(MonitorError) in try registry.delete(key, at: loop.now) }
                if (try? registry.hasMonitors(of: key.owner, at: loop.now)) == false { permissions.forget(key.owner) }
                return NoParameters()
            }
        default: try handleQuery(call, from: session)
        }
    }

    private func handleQuery(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case MonitorMethods.list.name:
            try session.serve(MonitorMethods.list, call: call) { parameters throws(VarlinkError) in
                let (key, page) = try page(parameters, from: session)
                let records = page.records.map { message(of: $0, of: key, for: session) }
                return ListReply(records: records, next: page.next)
            }
        case MonitorMethods.exportConditions.name:
            try session.serve(MonitorMethods.exportConditions, call: call) { parameters throws(VarlinkError) in
                let (_, page) = try page(parameters, from: session)
                let features = FeatureCollection(features: page.records.map { FenceFeature($0.added) })
                return ExportReply(geojson: features.json.object ?? [:], next: page.next)
            }
        case MonitorMethods.getRecord.name:
            try session.serve(MonitorMethods.getRecord, call: call) { parameters throws(VarlinkError) in
                let key = try key(parameters.name, of: parameters, for: session)
                let record = try reporting { () throws(MonitorError) in
                    try reader.record(parameters.identifier, of: key, at: loop.now)
                }
                return GetRecordReply(record: message(of: record, of: key, for: session))
            }
        case MonitorMethods.listMonitors.name:
            let user = session.peer.user == 0 ? nil : session.peer.user
            let monitors = try reporting { () throws(MonitorError) in try reader.monitors(ofUser: user, at: loop.now) }
            session.reply(to: MonitorMethods.listMonitors, withPermissions(monitors, for: session))
        case MonitorMethods.nearest.name:
            try session.serve(MonitorMethods.nearest, call: call) { parameters throws(VarlinkError) in
                try nearest(parameters, from: session)
            }
        default: throw call.methodNotImplemented
        }
    }

    /// Returns when a call may be served if that is later; `nil` if it may be served now.
    func postponement(of call: Call, at now: Instant) -> Instant? {
        guard MonitorService.changingMethods.contains(call.method) else { return nil }
        let next = registry.database.nextWrite
        return next > now ? next : nil
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        guard case .monitor(let key) = session.activity else { return }
        registry.subscriptions.close(key, session: session.number)
    }
}

// MARK: Calls
extension MonitorService {
    private func open(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        guard call.mode == .more else { throw ServiceError.expectedMore.reply }
        let parameters = try call.decode(MonitorMethods.open)
        let key = try keyForCreation(parameters.name, of: parameters, for: session)
        let status = try reporting { () throws(MonitorError) in
            try MonitorName.check(parameters.name)
            let subscription = MonitorSubscriptions.Subscription(
                session: session.number, process: session.peer.process, delivers: parameters.deliver ?? true,
                latestOnly: parameters.latestOnly ?? false)
            return try registry.open(key, subscription, at: loop.now)
        }
        session.begin(.monitor(key))
        session.reply(
            to: MonitorMethods.open, OpenReply(monitor: permissions.message(status, of: key.owner, for: session)),
            continues: true)
    }

    /// Returns the record of a condition, without its state for a program that may not know it.
    private func message(of record: ConditionRecord, of key: MonitorKey, for session: ClientSession) -> RecordMessage {
        var message = reader.message(of: record, of: key, in: context.locator, at: loop.now)
        if let verdict = permissions.refusal(of: [session.owner, key.owner]) { message.withhold(verdict.flags) }
        return message
    }

    private func withPermissions(_ reply: ListMonitorsReply, for session: ClientSession) -> ListMonitorsReply {
        var reply = reply
        reply.monitors = reply.monitors.map { message in
            ProgramID(stored: message.program).map { permissions.message(message, of: $0, for: session) } ?? message
        }
        return reply
    }

    /// Adds conditions to a monitor, which is created if it does not exist.
    private func add(
        to name: String, of parameters: some OwnerParameters, from session: ClientSession,
        _ batch: () throws(MonitorError) -> [NewCondition]
    ) throws(VarlinkError) -> AddReply {
        let key = try keyForCreation(name, of: parameters, for: session)
        return try reporting { () throws(MonitorError) in
            try MonitorName.check(name)
            return try registry.add(try batch(), to: key, at: loop.now)
        }
    }

    private func page(_ parameters: PageParameters, from session: ClientSession) throws(VarlinkError) -> (
        MonitorKey, (records: [ConditionRecord], next: String?)
    ) {
        guard parameters.limit.map(MonitorService.pageSizes.contains) ?? true else {
            throw ServiceError.invalid("limit")
        }
        let key = try key(parameters.name, of: parameters, for: session)
        return (
            key,
            try reporting { () throws(MonitorError) in try reader.page(parameters, of: key, at: loop.now) }
        )
    }

    private func nearest(
        _ parameters: NearestParameters, from session: ClientSession
    ) throws(VarlinkError) -> NearestReply {
        let count = parameters.count ?? 10
        guard MonitorService.neighbourCounts.contains(count) else { throw ServiceError.invalid("count") }
        let key = try key(parameters.name ?? "", of: parameters, for: session)
        if let verdict = permissions.refusal(of: [session.owner]) {
            throw PermissionDeniedError(verdict, of: session.owner).reply(in: .monitor)
        }
        return try reporting { () throws(MonitorError) in
            try reader.neighbours(of: key, named: parameters.name, count: count, in: context.locator, at: loop.now)
        }
    }

    /// Returns the key of the requested monitor. Only its own user and the administrator may name
    /// another program's monitor.
    private func key(
        _ name: String, of parameters: some OwnerParameters, for session: ClientSession
    ) throws(VarlinkError) -> MonitorKey {
        var owner = session.owner
        if let program = parameters.program {
            owner = try reporting { () throws(MonitorError) in try registry.owner(named: program, at: loop.now) }
            try requireAccess(to: owner, from: session)
        }
        return MonitorKey(owner: try owner.part(parameters.application) ?? owner, name: name)
    }

    /// Throws unless a client may use the monitors of an owner.
    private func requireAccess(to owner: ProgramID, from session: ClientSession) throws(VarlinkError) {
        guard session.peer.user != 0 else { return }
        guard session.peer.user == owner.user else { throw ServiceError.permissionDenied.reply }
        // Conditions of another program that is allowed would reveal the location to this one.
        guard owner.withoutNamespace != session.owner, let verdict = permissions.refusal(of: [session.owner]) else {
            return
        }
        throw PermissionDeniedError(verdict, of: session.owner).reply(in: .monitor)
    }

    /// Returns the key of a monitor that the call may change. Its reply waits for the disk.
    private func keyForChange(
        _ name: String, of parameters: some OwnerParameters, for session: ClientSession
    ) throws(VarlinkError) -> MonitorKey {
        session.awaitsDisk = true
        return try key(name, of: parameters, for: session)
    }

    /// Returns the key of a monitor that the call may create.
    ///
    /// A user could otherwise invent any number of programs. Only the administrator may create the
    /// first monitor of a program that the kernel has not confirmed. Namespaces of a confirmed one
    /// count toward the limits of the user.
    private func keyForCreation(
        _ name: String, of parameters: some OwnerParameters, for session: ClientSession
    ) throws(VarlinkError) -> MonitorKey {
        let key = try keyForChange(name, of: parameters, for: session)
        let program = key.owner.withoutNamespace
        if session.peer.user == 0 || program == session.owner || program.description == "\(program.user)" { return key }
        if server.isConnected(program) { return key }
        return try reporting { () throws(MonitorError) in
            if try registry.hasMonitors(of: key.owner, at: loop.now) { return key }
            throw .invalidProgram(
                program: key.owner.description,
                reason: "must own a monitor or be connected; create its first monitor from the program itself")
        }
    }

    private func reporting<R>(_ work: () throws(MonitorError) -> R) throws(VarlinkError) -> R {
        do throws(MonitorError) { return try work() } catch { throw error.reply }
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
            context.uses.setMonitoring(registry.monitoringOwners, at: now)
        case .determined(let determinations): registry.record(determinations, at: now)
        }
    }

    /// Applies the changes of the monitored conditions to the core.
    func applyConditionChanges(at now: Instant) {
        guard let changes = registry.takeChanges(at: now) else { return }
        if changes.resetsAll {
            context.locator.removeConditions(context.locator.conditionIdentifiers, at: now)
        }
        if !changes.removed.isEmpty { context.locator.removeConditions(changes.removed, at: now) }
        context.locator.addConditions(changes.added, at: now)
        context.uses.setMonitoring(registry.monitoringOwners, at: now)
    }

    /// Sends pending notifications, and updates what depends on them.
    func endTurn(at now: Instant) {
        sendPendingNotifications()
        wakeFiles.update(at: now)
        context.uses.count(registry.subscriptions.takeSent(), at: now)
    }

    /// The programs with monitored conditions.
    var monitoringOwners: some Sequence<ProgramID> { registry.monitoringOwners }

    /// Applies a new verdict: conditions are monitored only with the full location.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {
        // Clients of this program may have monitors of other programs open, and the reverse.
        var open = registry.subscriptions.keys(of: program)
        for session in server.sessions(of: program, where: \.activity.isMonitor) {
            if case .monitor(let key) = session.activity, !open.contains(key) { open.append(key) }
        }
        for key in open { withholdUnread(of: key) }
        registry.permissionChanged(of: permissions.owners(of: program), notifying: open, at: now)
    }

    /// Discards what a client of a monitor has not read and may not know any more. The events stay
    /// in the database and are sent again after a new grant.
    private func withholdUnread(of key: MonitorKey) {
        guard let subscription = registry.subscriptions[key], let session = server[subscription.session],
            session.connection.wantsOutput, permissions.refusal(of: [session.owner, key.owner]) != nil
        else { return }
        server.discardUpdates(of: session)
        registry.subscriptions.resendEvents(of: key)
    }

    /// Writes the changes of a turn's calls to disk. Returns `false` if that is uncertain.
    func saveCalls(at now: Instant) -> Bool { registry.saveCalls(at: now) }

    /// Writes the events buffered in memory, as a last attempt.
    func stop(at now: Instant) { registry.finish(at: now) }
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
        if case .monitor(let key) = session.activity { registry.subscriptions.notify(key) }
    }

    /// Sends the next events to a client of a monitor. Further ones follow in later turns, as fast
    /// as the client reads.
    private func sendEvents(to session: ClientSession) {
        guard case .monitor(let key) = session.activity, !session.hasPendingOutput,
            let subscription = registry.subscriptions[key], subscription.session == session.number
        else { return }
        if subscription.isInvalidated { return server.close(session) }
        if subscription.needsStatus { sendStatus(of: key, to: session) }
        let batch = MonitorService.eventBatchSize
        let records = reading("conditions", of: key) { () throws(MonitorError) in
            try registry.takeChangedRecords(of: key, limit: batch, at: loop.now)
        }
        for record in records {
            let reply = OpenReply(record: message(of: record, of: key, for: session))
            session.reply(to: MonitorMethods.open, reply, continues: true)
        }
        let isAllowed = permissions.refusal(of: [session.owner, key.owner]) == nil
        let events = reading("events", of: key) { () throws(MonitorError) in
            isAllowed && subscription.delivers ? try registry.takeEvents(of: key, limit: batch, at: loop.now) : []
        }
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

    private func sendStatus(of key: MonitorKey, to session: ClientSession) {
        guard let status = registry.takeStatus(of: key, at: loop.now) else { return }
        session.reply(
            to: MonitorMethods.open, OpenReply(monitor: permissions.message(status, of: key.owner, for: session)),
            continues: true)
    }

    /// Returns what is read of a monitor; nothing if the database cannot be read, which is logged.
    private func reading<R>(_ contents: String, of key: MonitorKey, _ read: () throws(MonitorError) -> [R]) -> [R] {
        do throws(MonitorError) { return try read() } catch {
            log.error("cannot read \(contents) of the monitor \(key.name): \(error.reply)")
            return []
        }
    }
}
