import Chronology
import Locator
import Permission
import Positioning
import Store
import Systemd
import Varlink
import Wire

/// Serves `WatchVisits`, `Visits` and `ForgetVisits` of `io.sextant.Location`.
///
/// The core knows only the subscribers that may know the full location. The others stay open here,
/// without any demand on receivers, until their permission changes. Visits are kept for programs
/// that may know the full location at any time.
final class VisitService: Service {
    private let core: Core
    private let server: ClientServer
    private let permissions: Permissions
    private let loop: EventLoop
    private let memory: MemoryTrimmer
    private let store: VisitStore
    /// The valid number of visits per page.
    private static let pageSizes = 1...100
    /// The sessions that get no visits.
    private var denied: Set<Int> = []

    init(
        core: Core, server: ClientServer, permissions: Permissions, loop: EventLoop, memory: MemoryTrimmer,
        store: VisitStore
    ) {
        self.core = core
        self.server = server
        self.permissions = permissions
        self.loop = loop
        self.memory = memory
        self.store = store
    }

    /// Returns whether a method of `io.sextant.Location` is one of this service.
    static func serves(_ method: String) -> Bool {
        method == LocationMethods.watchVisits.name || method == LocationMethods.visits.name
            || method == LocationMethods.forgetVisits.name
    }

    /// Applies the log level and the lifetime of visits.
    func apply(_ settings: Settings) { store.apply(settings) }

    /// When ``tick(at:)`` is due; nil if it is not.
    var deadline: Instant? { store.deadline }

    /// Closes the database when it was not used for a while.
    func tick(at now: Instant) { if store.tick(at: now) { memory.requestTrim() } }

    /// Writes the visits that wait for the disk, as a last attempt.
    func finish(at now: Instant) { store.finish(at: now) }

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
                ? WatchVisitsReply(
                    core.locator.currentVisit(continuing: openVisit(of: session, verdict), at: loop.now))
                : denial(verdict, to: session)
            return session.reply(to: LocationMethods.watchVisits, reply)
        }
        session.begin(.visits)
        begin(for: session, by: permissions.beginRequest(of: session.owner))
    }

    func sessionClosed(_ session: ClientSession) {
        guard session.activity.watchesVisits else { return }
        core.locator.cancel([StreamID(session.number)])
        denied.remove(session.number)
        permissions.endRequest(of: session.owner)
    }

    /// Sends a visit to all its subscribers. No visit is dropped.
    func publish(_ visit: Visit?, to watchers: [StreamID]) {
        if let visit { keep(visit, for: watchers) }
        for id in watchers {
            // The permission may have changed in the same turn.
            guard let session = server[id.rawValue], !denied.contains(id.rawValue) else { continue }
            session.reply(to: LocationMethods.watchVisits, WatchVisitsReply(visit), continues: true)
            server.advance(session)
        }
    }

    /// Applies a new verdict to the subscribers of a program. They stay open.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict) {
        // A change of what decided alone changes nothing for a program that gets everything.
        let sessions = server.sessions(of: program, where: \.watchesVisits).filter { session in
            denied.contains(session.number) || !verdict.allowsFullLocation
        }
        core.locator.cancel(Set(sessions.map { StreamID($0.number) }))
        for session in sessions {
            // A client that has not read its visits must not get them after a denial.
            if !verdict.allowsFullLocation { session.connection.discardUpdates() }
            begin(for: session, by: verdict)
            server.advance(session)
        }
    }

    private func begin(for session: ClientSession, by verdict: PermissionVerdict) {
        let reply: WatchVisitsReply
        if verdict.allowsFullLocation {
            denied.remove(session.number)
            let visit = core.locator.watchVisits(
                StreamID(session.number), continuing: openVisit(of: session, verdict), at: loop.now)
            if verdict.keepsVisits { store.begin(visit, for: session.peer.user, at: loop.now) }
            session.awaitsDisk = true
            reply = WatchVisitsReply(visit)
        } else {
            denied.insert(session.number)
            reply = denial(verdict, to: session)
        }
        session.reply(to: LocationMethods.watchVisits, reply, continues: true)
    }

    private func denial(_ verdict: PermissionVerdict, to session: ClientSession) -> WatchVisitsReply {
        WatchVisitsReply(permissionDenied: verdict.detail(for: session.owner) ?? verdict.decidedBy)
    }
}

// MARK: Kept visits
extension VisitService {
    /// Returns the visit that was open when the programs of the user watched last.
    private func openVisit(of session: ClientSession, _ verdict: PermissionVerdict) -> Visit? {
        verdict.keepsVisits ? store.openVisit(of: session.peer.user, at: loop.now) : nil
    }

    /// Stores a visit for the users of the subscribers that may know visits at any time.
    private func keep(_ visit: Visit, for watchers: [StreamID]) {
        var users: Set<UInt32> = []
        for id in watchers where !denied.contains(id.rawValue) {
            guard let session = server[id.rawValue], permissions.verdict(of: session.owner).keepsVisits else {
                continue
            }
            users.insert(session.peer.user)
        }
        store.record(visit, for: users, at: loop.now)
    }

    private func page(_ parameters: VisitsParameters, for session: ClientSession) throws(VarlinkError) -> VisitsReply {
        try requireAlways(session)
        let limit = parameters.limit ?? VisitService.pageSizes.upperBound
        guard VisitService.pageSizes.contains(limit) else { throw ServiceError.invalid("limit") }
        let number = parameters.after.map { Int64($0) } ?? .max
        guard let number, number > 0 else { throw ServiceError.invalid("after") }
        let since = try VisitService.time(parameters.since, of: "since") ?? .min
        let until = try VisitService.time(parameters.until, of: "until") ?? .max
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
        try requireAlways(session)
        let before = try VisitService.time(parameters.before, of: "before") ?? .max
        session.awaitsDisk = true
        return ForgetVisitsReply(
            visits: try saving { () throws(StoreError) in
                try store.erase(of: session.peer.user, before: before, at: loop.now)
            })
    }

    /// Visits of the past are known to nobody who may know the location only while in use.
    private func requireAlways(_ session: ClientSession) throws(VarlinkError) {
        let verdict = permissions.verdict(of: session.owner)
        guard !verdict.keepsVisits else { return }
        throw PermissionDeniedError(verdict, of: session.owner, needs: "the full location at any time").reply(
            in: .location)
    }

    private func saving<R>(_ work: () throws(StoreError) -> R) throws(VarlinkError) -> R {
        do throws(StoreError) { return try work() } catch {
            throw LocationError.persistenceUnavailable(reason: "\(error); \(error.remedy)").reply
        }
    }

    /// Returns a time parameter in milliseconds since 1970; nil if it is absent.
    private static func time(_ text: String?, of parameter: String) throws(VarlinkError) -> Int64? {
        guard let text else { return nil }
        guard let time = UTCTime(rfc3339: text) else { throw ServiceError.invalid(parameter) }
        return time.milliseconds
    }
}

extension PermissionVerdict {
    /// Whether the visits that the program learns of are kept, and it may read them later.
    fileprivate var keepsVisits: Bool { allowsFullLocation && authorization == .always }
}
