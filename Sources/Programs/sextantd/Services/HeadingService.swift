import Locator
import Permission
import ServiceRuntime
import Varlink
import Wire

/// Serves `WatchHeading` of `io.sextant.Location`.
///
/// The core knows only the subscribers that may know the full location, because a heading shows
/// movement. The others stay open here, without any demand on receivers, until their permission
/// changes.
final class HeadingService: Service {
    private let core: Core
    private let server: ClientServer
    private let permissions: Permissions
    private let loop: EventLoop
    /// The sessions that get no heading.
    private var denied: Set<Int> = []

    init(core: Core, server: ClientServer, permissions: Permissions, loop: EventLoop) {
        self.core = core
        self.server = server
        self.permissions = permissions
        self.loop = loop
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let request: HeadingRequest
        let parameters = try call.decode(LocationMethods.watchHeading)
        do throws(ServiceError) { request = try parameters.request() } catch { throw error.reply }
        guard call.mode == .more else {
            let verdict = permissions.verdict(of: session.owner)
            let reply =
                verdict.allowsFullLocation
                ? WatchHeadingReply(core.locator.currentHeading(at: loop.now)) : denial(verdict, to: session)
            return session.reply(to: LocationMethods.watchHeading, reply)
        }
        session.begin(.heading(ActiveRequest(.heading, program: session.program, receiver: nil, at: loop.now), request))
        begin(request, for: session, by: permissions.beginRequest(of: session.owner))
    }

    func sessionClosed(_ session: ClientSession) {
        guard session.activity.watchesHeading else { return }
        core.locator.cancel([StreamID(session.number)])
        denied.remove(session.number)
        permissions.endRequest(of: session.owner)
    }

    /// Sends a new heading, or that there is none any more. The latest replaces an unread one.
    func publish(_ update: HeadingUpdate, to watchers: [StreamID]) {
        let text = WatchHeadingReply(update).text
        for id in watchers {
            // The permission may have changed in the same turn.
            guard let session = server[id.rawValue], !denied.contains(id.rawValue) else { continue }
            session.publish(text)
            server.advance(session)
        }
    }

    /// Applies a new verdict to the subscribers of a program. They stay open.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict) {
        // A change of what decided alone changes nothing for a program that gets everything.
        let sessions = server.sessions(of: program, where: \.watchesHeading).filter { session in
            denied.contains(session.number) || !verdict.allowsFullLocation
        }
        core.locator.cancel(Set(sessions.map { StreamID($0.number) }))
        for session in sessions {
            guard case .heading(_, let request) = session.activity else { continue }
            // A client that has not read its headings must not get them after a denial.
            if !verdict.allowsFullLocation { session.connection.discardUpdates() }
            begin(request, for: session, by: verdict)
            server.advance(session)
        }
    }

    private func begin(_ request: HeadingRequest, for session: ClientSession, by verdict: PermissionVerdict) {
        let reply: WatchHeadingReply
        if verdict.allowsFullLocation {
            denied.remove(session.number)
            let update = core.locator.watchHeading(request, id: StreamID(session.number), at: loop.now)
            reply = WatchHeadingReply(update)
        } else {
            denied.insert(session.number)
            reply = denial(verdict, to: session)
        }
        session.publish(reply.text)
    }

    private func denial(_ verdict: PermissionVerdict, to session: ClientSession) -> WatchHeadingReply {
        WatchHeadingReply(denied: verdict.flags, detail: verdict.detail(for: session.owner))
    }
}
