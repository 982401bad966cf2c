import Chronology
import Locator
import Permission
import ServiceRuntime
import SextantAPI
import Varlink

/// Serves `WatchHeading` of `io.sextant.Location`. A heading shows movement, so it needs the full
/// location.
final class HeadingService: Service {
    let context: ServiceContext
    let methods = [LocationMethods.watchHeading.name]
    private let requests: PermittedRequests

    init(_ context: ServiceContext) {
        self.context = context
        requests = PermittedRequests(context, where: \.watchesHeading)
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let request: HeadingRequest
        let parameters = try call.decode(LocationMethods.watchHeading)
        do throws(ServiceError) { request = try parameters.request() } catch { throw error.reply }
        guard call.mode == .more else {
            let verdict = permissions.verdict(of: session.owner)
            let reply =
                verdict.allowsFullLocation
                ? HeadingUpdate(context.locator.currentHeading(at: loop.now)) : denial(verdict, to: session)
            return session.reply(to: LocationMethods.watchHeading, reply)
        }
        session.begin(.heading(ActiveRequest(.heading, program: session.program, receiver: nil, at: loop.now), request))
        begin(request, for: session, by: requests.begin(session))
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        if session.activity.watchesHeading { requests.end(session) }
    }

    /// Sends a new heading, or that there is none any more. The latest replaces an unread one.
    func publish(_ update: HeadingChange, to watchers: [RequestID]) {
        let text = HeadingUpdate(update).encoded
        for id in watchers {
            // The permission may have changed in the same turn.
            guard let session = requests[full: id] else { continue }
            session.publish(text)
            server.flush(session)
        }
    }

    /// Applies a new verdict to the subscribers of a program. They stay open.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {
        requests.verdictChanged(of: program, to: verdict) { session in
            if case .heading(_, let request) = session.activity { begin(request, for: session, by: verdict) }
        }
    }

    private func begin(_ request: HeadingRequest, for session: ClientSession, by verdict: PermissionVerdict) {
        requests[session.number] = verdict.allowsFullLocation ? .full : .denied(verdict)
        let reply: HeadingUpdate
        if verdict.allowsFullLocation {
            let update = context.locator.watchHeading(request, id: RequestID(session.number), at: loop.now)
            reply = HeadingUpdate(update)
        } else {
            reply = denial(verdict, to: session)
        }
        session.publish(reply.encoded)
    }

    private func denial(_ verdict: PermissionVerdict, to session: ClientSession) -> HeadingUpdate {
        HeadingUpdate(denied: verdict.flags, detail: verdict.detail(for: session.owner))
    }
}
