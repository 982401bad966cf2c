import Locator
import Permission
import Positioning
import Systemd
import Varlink
import Wire

/// Serves `WatchVisits` of `io.sextant.Location`.
///
/// The core knows only the subscribers that may know the full location. The others stay open here,
/// without any demand on receivers, until their permission changes.
final class VisitService: Service {
    private let core: Core
    private let server: ClientServer
    private let permissions: Permissions
    private let loop: EventLoop
    /// The sessions that get no visits.
    private var denied: Set<Int> = []

    init(core: Core, server: ClientServer, permissions: Permissions, loop: EventLoop) {
        self.core = core
        self.server = server
        self.permissions = permissions
        self.loop = loop
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        guard call.mode == .more else {
            let verdict = permissions.verdict(of: session.owner)
            let reply =
                verdict.allowsFullLocation
                ? WatchVisitsReply(core.locator.currentVisit(at: loop.now)) : denial(verdict, to: session)
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
            reply = WatchVisitsReply(core.locator.watchVisits(StreamID(session.number), at: loop.now))
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
