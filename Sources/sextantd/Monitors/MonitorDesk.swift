import Chronology
import Geofencing
import Locator
import Logging
import Store
import Systemd
import Varlink
import Wire

/// Serves the calls of `io.sextant.Monitor`.
extension Daemon {
    /// Records in a page, at most.
    private static let pages = 1...1000
    /// Conditions that one call may name.
    private static let neighbours = 1...100

    func serveMonitor(_ call: Call, for session: ClientSession) throws(ServiceError) {
        do throws(MonitorRefusal) {
            switch call.member {
            case "Open": try openMonitor(call, session)
            case "Add": try add(call, session)
            case "Import": try importFences(call, session)
            case "Remove": try remove(call, session)
            case "Acknowledge": try acknowledge(call, session)
            case "List": try listConditions(call, session)
            case "Export": try exportFences(call, session)
            case "GetRecord": try getRecord(call, session)
            case "ListMonitors": try listMonitors(session)
            case "Delete": try deleteMonitor(call, session)
            case "Nearest": try nearest(call, session)
            default: throw .service(.methodNotImplemented(method: call.method))
            }
        } catch {
            switch error {
            case .service(let error): throw error
            case .monitor(let error): session.connection.fail(error.reply)
            }
        }
        carryOutWatchChanges()
    }

    private func openMonitor(_ call: Call, _ session: ClientSession) throws(MonitorRefusal) {
        guard call.mode == .more else { throw .service(.expectedMore) }
        let wish = try decode(MonitorParameters.self, call)
        let key = try key(wish.name, wish.program, session)
        try refusing { () throws(MonitorError) in
            try MonitorName.check(wish.name)
            try monitors.open(key, session: session.number, process: session.peer.process, at: loop.now)
            session.held = .monitor(key)
            do throws(MonitorError) {
                reply(OpenReply(monitor: try monitors.message(of: key, at: loop.now)), to: session, continues: true)
            } catch {
                monitors.close(key, session: session.number)
                session.held = .nothing
                throw error
            }
        }
    }

    private func add(_ call: Call, _ session: ClientSession) throws(MonitorRefusal) {
        let wish = try decode(AddParameters.self, call)
        let key = try key(wish.name, wish.program, session)
        let done = try refusing { () throws(MonitorError) in
            try MonitorName.check(wish.name)
            var batch: [NewCondition] = []
            for message in wish.conditions { batch.append(try NewCondition(message)) }
            return try monitors.add(batch, to: key, at: loop.now)
        }
        reply(done, to: session)
    }

    private func remove(_ call: Call, _ session: ClientSession) throws(MonitorRefusal) {
        let wish = try decode(RemoveParameters.self, call)
        let key = try key(wish.name, wish.program, session)
        let count = try refusing { () throws(MonitorError) in try monitors.remove(wish.identifiers, from: key, at: loop.now) }
        reply(RemoveReply(removed: count), to: session)
    }

    private func acknowledge(_ call: Call, _ session: ClientSession) throws(MonitorRefusal) {
        let wish = try decode(AcknowledgeParameters.self, call)
        let key = try key(wish.name, wish.program, session)
        let count = try refusing { () throws(MonitorError) in try monitors.acknowledge(wish.events, of: key, at: loop.now) }
        reply(AcknowledgeReply(acknowledged: count), to: session)
    }

    private func listConditions(_ call: Call, _ session: ClientSession) throws(MonitorRefusal) {
        let (key, page) = try page(call, session)
        reply(ListReply(records: page.records.map { live($0, of: key) }, next: page.next), to: session)
    }

    private func getRecord(_ call: Call, _ session: ClientSession) throws(MonitorRefusal) {
        let wish = try decode(GetRecordParameters.self, call)
        let key = try key(wish.name, wish.program, session)
        let record = try refusing { () throws(MonitorError) in try monitors.record(wish.identifier, of: key, at: loop.now) }
        reply(GetRecordReply(record: live(record, of: key)), to: session)
    }

    private func listMonitors(_ session: ClientSession) throws(MonitorRefusal) {
        let user = session.peer.user == 0 ? nil : session.peer.user
        reply(
            ListMonitorsReply(monitors: try refusing { () throws(MonitorError) in try monitors.monitors(ofUser: user, at: loop.now) }),
            to: session)
    }

    private func deleteMonitor(_ call: Call, _ session: ClientSession) throws(MonitorRefusal) {
        let wish = try decode(MonitorParameters.self, call)
        let key = try key(wish.name, wish.program, session)
        try refusing { () throws(MonitorError) in try monitors.delete(key, at: loop.now) }
        session.connection.reply()
    }

    func page(_ call: Call, _ session: ClientSession) throws(MonitorRefusal) -> (MonitorKey, (records: [ConditionRecord], next: String?)) {
        let wish = try decode(PageParameters.self, call)
        guard wish.limit.map(Daemon.pages.contains) ?? true else { throw .service(.invalidParameter(parameter: "limit")) }
        let key = try key(wish.name, wish.program, session)
        return (key, try refusing { () throws(MonitorError) in try monitors.page(wish, of: key, at: loop.now) })
    }

    /// Which monitor is meant. Another program's may be named by its own user, who reaches it anyway, and by the administrator.
    func key(_ name: String, _ program: String?, _ session: ClientSession) throws(MonitorRefusal) -> MonitorKey {
        guard let program else { return MonitorKey(owner: MonitorOwner(of: session.peer), name: name) }
        guard let owner = MonitorOwner(program) else { throw .service(.invalidParameter(parameter: "program")) }
        guard session.peer.user == 0 || session.peer.user == owner.user else { throw .service(.permissionDenied) }
        return MonitorKey(owner: owner, name: name)
    }

    func decode<P: Decodable>(_ type: P.Type, _ call: Call) throws(MonitorRefusal) -> P {
        do throws(ServiceError) { return try call.decode(type) } catch { throw .service(error) }
    }

    func refusing<R>(_ work: () throws(MonitorError) -> R) throws(MonitorRefusal) -> R {
        do throws(MonitorError) { return try work() } catch { throw .monitor(error) }
    }

    private func nearest(_ call: Call, _ session: ClientSession) throws(MonitorRefusal) {
        let wish = try decode(NearestParameters.self, call)
        let count = wish.count ?? 10
        guard Daemon.neighbours.contains(count) else { throw .service(.invalidParameter(parameter: "count")) }
        let key = try key(wish.name ?? "", wish.program, session)
        reply(try neighbours(of: key, named: wish.name, count), to: session)
    }
}

/// Why a call to `io.sextant.Monitor` fails: as any might, or in the interface's own words.
enum MonitorRefusal: Error {
    case service(ServiceError)
    case monitor(MonitorError)
}
