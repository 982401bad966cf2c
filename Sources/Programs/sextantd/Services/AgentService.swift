import Chronology
import Locator
import Permission
import ServiceRuntime
import SextantAPI
import SextantServiceAPI
import SystemCalls
import Varlink

/// Serves `io.sextant.Agent`: it passes requests to the agents, and their answers to the
/// permissions.
final class AgentService: Service {
    let context: ServiceContext
    let methods = [AgentMethods.serve.name, AgentMethods.answer.name]

    init(_ context: ServiceContext) { self.context = context }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case AgentMethods.serve.name: try serve(call, from: session)
        case AgentMethods.answer.name:
            try session.serve(AgentMethods.answer, call: call) { parameters throws(VarlinkError) in
                try answer(parameters, from: session)
            }
        default: throw call.methodNotImplemented
        }
    }

    private func serve(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        guard call.mode == .more else { throw ServiceError.expectedMore.reply }
        try check(session)
        session.begin(.agent)
        session.reply(to: AgentMethods.serve, ServeReply(), continues: true)
        permissions.addAgent(PermissionClientID(session.number), user: session.peer.user)
    }

    private func answer(_ parameters: AnswerParameters, from session: ClientSession) throws(VarlinkError)
        -> NoParameters
    {
        try check(session)
        guard !server.sessions(of: session.owner, where: \.activity.isAgent).isEmpty else {
            throw AgentError.notAllowed(detail: "only the program that serves as the agent may answer").reply
        }
        let user = session.peer.user
        let decision = PermissionDecision(
            parameters.authorization,
            accuracy: parameters.accuracy ?? permissions.defaultAccuracy(ofRequest: parameters.number, askedOf: user),
            by: .agent(user: user), at: HostClock.utc)
        session.awaitsDisk = true
        let isTemporary = parameters.temporary ?? false
        guard permissions.answer(parameters.number, with: decision, by: session.owner, isTemporary: isTemporary) else {
            throw AgentError.noSuchRequest(number: parameters.number).reply
        }
        return NoParameters()
    }

    /// An application or a service could otherwise allow itself the location.
    private func check(_ session: ClientSession) throws(VarlinkError) {
        if session.peer.user != 0, session.owner.application == nil, !session.owner.actsForUser {
            throw AgentError.notAllowed(
                detail: "the service \(session.owner) cannot be an agent; run \"sextant agent\" in a login session"
            ).reply
        }
        guard let application = session.owner.application else { return }
        throw AgentError.notAllowed(
            detail: "the application \(application) cannot be an agent; run \"sextant agent\" in a terminal or as a "
                + "service of the user"
        ).reply
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        if case .agent = session.activity { permissions.removeAgent(PermissionClientID(session.number)) }
    }

    func ask(_ request: AuthorizationRequest, agent: PermissionClientID) {
        send(ServeReply(request: AgentRequest(request)), to: agent)
    }

    /// Withdraws a request that needs no answer any more.
    func withdraw(_ request: Int, agent: PermissionClientID) { send(ServeReply(withdrawn: request), to: agent) }

    private func send(_ reply: ServeReply, to agent: PermissionClientID) {
        guard let session = server[agent.rawValue] else { return }
        session.reply(to: AgentMethods.serve, reply, continues: true)
        server.flush(session)
    }
}
