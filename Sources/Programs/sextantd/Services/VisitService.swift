import Chronology
import Locator
import Permission
import Positioning
import SQLite
import ServiceRuntime
import SextantAPI
import Varlink

/// Serves `WatchVisits`, `Visits` and `ForgetVisits` of `io.sextant.Location`. Visits are kept for
/// programs that may know the full location at any time.
final class VisitService: Service {
    let context: ServiceContext
    let methods = [LocationMethods.watchVisits.name, LocationMethods.visits.name, LocationMethods.forgetVisits.name]
    let store: VisitStore
    /// The valid number of visits per page.
    private static let pageSizes = 1...100
    private let requests: PermittedRequests

    init(_ context: ServiceContext) {
        self.context = context
        requests = PermittedRequests(context, where: \.watchesVisits)
        store = VisitStore(context.database, settings: context.settings, log: context.log)
    }

    func apply(_ settings: Settings, at now: Instant) { store.apply(settings) }

    /// When ``tick(at:)`` is due; nil if it is not.
    var deadline: Instant? { store.deadline }

    /// Closes the database when it was not used for a while.
    func tick(at now: Instant) { if store.tick(at: now) { memory.requestTrim() } }

    /// Writes the visits that wait for the disk, as a last attempt.
    func stop(at now: Instant) { store.finish(at: now) }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case LocationMethods.visits.name:
            return try session.serve(LocationMethods.visits, call: call) { parameters throws(VarlinkError) in
                try page(parameters, for: session)
            }
        case LocationMethods.forgetVisits.name:
            return try session.serve(LocationMethods.forgetVisits, call: call) { parameters throws(VarlinkError) in
                try forget(parameters, for: session)
            }
        default: break
        }
        guard call.mode == .more else {
            let verdict = permissions.verdict(of: session.owner)
            let reply =
                verdict.allowsFullLocation
                ? VisitUpdate(
                    context.locator.currentVisit(continuing: openVisit(of: session, verdict), at: loop.now))
                : denial(verdict, to: session)
            return session.reply(to: LocationMethods.watchVisits, reply)
        }
        session.begin(.visits)
        begin(for: session, by: requests.begin(session))
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        if session.activity.watchesVisits { requests.end(session) }
    }

    /// Sends a visit to all its subscribers. No visit is dropped.
    func publish(_ visit: Stay?, to watchers: [RequestID]) {
        if let visit { keep(visit, for: watchers) }
        for id in watchers {
            // The permission may have changed in the same turn.
            guard let session = requests[full: id] else { continue }
            session.reply(to: LocationMethods.watchVisits, VisitUpdate(visit), continues: true)
            server.flush(session)
        }
        context.uses.visitSent(to: watchers.map(\.rawValue))
    }

    /// Applies a new verdict to the subscribers of a program. They stay open.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {
        requests.verdictChanged(of: program, to: verdict) { session in begin(for: session, by: verdict) }
    }

    private func begin(for session: ClientSession, by verdict: PermissionVerdict) {
        requests[session.number] = verdict.allowsFullLocation ? .full : .denied(verdict)
        let reply: VisitUpdate
        if verdict.allowsFullLocation {
            let visit = context.locator.watchVisits(
                RequestID(session.number), continuing: openVisit(of: session, verdict), at: loop.now)
            if verdict.allowsPast { store.begin(visit, for: session.peer.user, at: loop.now) }
            session.awaitsDisk = true
            reply = VisitUpdate(visit)
        } else {
            reply = denial(verdict, to: session)
        }
        session.reply(to: LocationMethods.watchVisits, reply, continues: true)
    }

    private func denial(_ verdict: PermissionVerdict, to session: ClientSession) -> VisitUpdate {
        VisitUpdate(permissionDenied: verdict.detail(for: session.owner) ?? verdict.decidedBy)
    }
}

// MARK: Kept visits
extension VisitService {
    /// Returns the visit that was open when the programs of the user watched last.
    private func openVisit(of session: ClientSession, _ verdict: PermissionVerdict) -> Stay? {
        verdict.allowsPast ? store.openVisit(of: session.peer.user, at: loop.now) : nil
    }

    /// Stores a visit for the users of the subscribers that may know visits at any time.
    private func keep(_ visit: Stay, for watchers: [RequestID]) {
        var users: Set<UInt32> = []
        for id in watchers {
            guard let session = requests[full: id], permissions.verdict(of: session.owner).allowsPast else { continue }
            users.insert(session.peer.user)
        }
        store.record(visit, for: users, at: loop.now)
    }

    private func page(_ parameters: VisitsParameters, for session: ClientSession) throws(VarlinkError) -> VisitsReply {
        try session.requirePast(in: context)
        let limit = parameters.limit ?? VisitService.pageSizes.upperBound
        guard VisitService.pageSizes.contains(limit) else { throw ServiceError.invalid("limit") }
        let number = parameters.after.map { Int64($0) } ?? .max
        guard let number, number > 0 else { throw ServiceError.invalid("after") }
        let since = try ServiceError.time(parameters.since, of: "since") ?? .min
        let until = try ServiceError.time(parameters.until, of: "until") ?? .max
        guard since <= until else { throw ServiceError.invalid("until") }
        let found = try saving { () throws(StoreError) in
            try store.visits(
                of: session.peer.user, before: number, in: since..<until, limit: limit + 1, at: loop.now)
        }
        let page = found.prefix(limit)
        return VisitsReply(
            visits: page.map(\.visit), next: found.count > limit ? page.last.map { "\($0.number)" } : nil)
    }

    private func forget(
        _ parameters: ForgetVisitsParameters, for session: ClientSession
    ) throws(VarlinkError) -> ForgetVisitsReply {
        try session.requirePast(in: context)
        let before = try ServiceError.time(parameters.before, of: "before") ?? .max
        session.awaitsDisk = true
        return ForgetVisitsReply(
            visits: try saving { () throws(StoreError) in
                try store.erase(of: session.peer.user, before: before, at: loop.now)
            })
    }

    private func saving<R>(_ work: () throws(StoreError) -> R) throws(VarlinkError) -> R {
        do throws(StoreError) { return try work() } catch {
            throw LocationError.persistenceUnavailable(reason: "\(error); \(error.remedy)").reply
        }
    }
}
