import Chronology
import Locator
import Permission
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// Serves `io.sextant.Session`: what a program declares that it needs, and what it may know.
final class SessionService: Service {
    /// The maximum length of a purpose or description in bytes, so that many do not fill the output
    /// queue of an agent.
    private static let maxTextLength = 255

    let context: ServiceContext
    let methods = [
        SessionMethods.declare.name, SessionMethods.keepActive.name, SessionMethods.getAuthorization.name,
        SessionMethods.watchAuthorization.name, SessionMethods.endGrace.name, SessionMethods.actFor.name,
    ]

    init(_ context: ServiceContext) { self.context = context }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case SessionMethods.declare.name: try declare(call, from: session)
        case SessionMethods.keepActive.name: try keepActive(call, from: session)
        case SessionMethods.getAuthorization.name:
            let verdict = permissions.verdict(of: session.owner)
            session.reply(to: SessionMethods.getAuthorization, reply(verdict, to: session))
        case SessionMethods.watchAuthorization.name: try watchAuthorization(call, from: session)
        case SessionMethods.endGrace.name:
            permissions.endGrace(of: session.owner)
            session.reply(to: SessionMethods.endGrace, NoParameters())
        case SessionMethods.actFor.name: try act(from: session)
        default: throw call.methodNotImplemented
        }
    }

    private func declare(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let parameters = try call.decode(SessionMethods.declare)
        for (name, text) in [("purpose", parameters.purpose), ("usageDescription", parameters.usageDescription)] {
            guard (text ?? "").utf8.count <= SessionService.maxTextLength else { throw ServiceError.invalid(name) }
        }
        let requirement = parameters.requirement ?? .whenInUse
        guard call.mode == .more else {
            let flags = permissions.diagnostics(requirement, purpose: parameters.purpose, of: session.owner)
            return session.reply(to: SessionMethods.declare, DeclareReply(flags))
        }
        session.begin(.permission(.session))
        let flags = permissions.declare(
            requirement, purpose: parameters.purpose, usageDescription: parameters.usageDescription,
            isImplicit: parameters.implicit ?? false, for: PermissionClientID(session.number), of: session.owner)
        session.reply(to: SessionMethods.declare, DeclareReply(flags), continues: true)
    }

    private func keepActive(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        guard call.mode == .more else { throw ServiceError.expectedMore.reply }
        guard permissions.keepActive(PermissionClientID(session.number), of: session.owner) else {
            throw SessionError.notInUse(
                detail: "user \(session.peer.user) has no active login session, or in_use = false applies to the "
                    + "program; begin the lease while the user is logged in, or set in_use = true for the program"
            ).reply
        }
        session.begin(.permission(.lease))
        session.reply(to: SessionMethods.keepActive, KeepActiveReply(held: true), continues: true)
    }

    private func watchAuthorization(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        guard call.mode == .more else { throw ServiceError.expectedMore.reply }
        session.begin(.permission(.authorization))
        session.publish(reply(permissions.follow(session.owner), to: session), to: SessionMethods.watchAuthorization)
    }

    /// Makes a connection one of the program at the other end of the socket that came with the
    /// call.
    private func act(from session: ClientSession) throws(VarlinkError) {
        guard session.mayAct else {
            throw SessionError.notAllowed(
                detail: "only programs of user 0, of the daemon's user and of sextant-places may act for others"
            ).reply
        }
        guard session.callCount == 1, let socket = session.takePassedDescriptor(),
            PassedDescriptors.isConnectedStream(socket)
        else {
            throw SessionError.unknownClient(
                detail: "exactly one connected Unix stream socket must come with the first call of the connection"
            ).reply
        }
        guard var client = try? PeerCredentials(of: socket.number) else {
            throw SessionError.unknownClient(detail: "the process that opened the socket has ended").reply
        }
        client.user = server.owner(of: client.user)
        let state = ClientState(
            actingFor: client, groups: PeerCredentials.groups(of: socket.number), over: session.descriptor)
        do throws(ConnectionRefusal) { try server.transfer(session, to: state, of: client.user) } catch {
            throw error.reply
        }
        session.reply(to: SessionMethods.actFor, NoParameters())
    }

    private func reply(_ verdict: PermissionVerdict, to session: ClientSession) -> AuthorizationReply {
        AuthorizationReply(permission: Permission(verdict, of: session.owner))
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        guard case .permission(let activity) = session.activity else { return }
        let client = PermissionClientID(session.number)
        switch activity {
        case .session: permissions.endSession(client, at: now)
        case .lease: permissions.releaseLease(client, at: now)
        case .authorization: permissions.unfollow(session.owner)
        }
    }
}

// MARK: Changes of permission
extension SessionService {
    /// Sends a new verdict to the clients of a program that watch it. The latest replaces an unread
    /// one.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {
        for session in server.sessions(of: program, where: \.watchesAuthorization) {
            session.publish(reply(verdict, to: session), to: SessionMethods.watchAuthorization)
            server.flush(session)
        }
    }

    func diagnosticsChanged(of client: PermissionClientID, to flags: PermissionFlags) {
        guard let session = server[client.rawValue] else { return }
        session.publish(DeclareReply(flags), to: SessionMethods.declare)
        server.flush(session)
    }

    /// Notifies the clients that hold a lease of a program if it was revoked.
    func leaseChanged(of program: ProgramID) {
        guard !permissions.hasLease(program) else { return }
        for session in server.sessions(of: program, where: \.isLease) {
            session.end()
            session.reply(to: SessionMethods.keepActive, KeepActiveReply(held: false))
            server.flush(session)
        }
    }
}

extension ClientState {
    fileprivate var watchesAuthorization: Bool {
        if case .permission(.authorization) = activity { true } else { false }
    }

    fileprivate var isLease: Bool { if case .permission(.lease) = activity { true } else { false } }
}
