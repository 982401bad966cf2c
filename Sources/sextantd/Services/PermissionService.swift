import Chronology
import Permission
import Store
import Systemd
import Varlink
import Wire

/// Serves `io.sextant.Permission`: decisions about programs, and the location switch.
final class PermissionService: Service {
    private let permissions: Permissions

    init(permissions: Permissions) { self.permissions = permissions }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case PermissionMethods.set.name:
            try session.serve(PermissionMethods.set, call: call) { parameters throws(VarlinkError) in
                let decision = PermissionDecision(
                    parameters.authorization, accuracy: parameters.accuracy ?? .full,
                    by: .administrator(user: session.peer.user), at: HostTime.now)
                let program = try program(named: parameters.program)
                return SetReply(overruledBy: try decide(decision, about: program, for: session)?.description)
            }
        case PermissionMethods.remove.name:
            try session.serve(PermissionMethods.remove, call: call) { parameters throws(VarlinkError) in
                let program = try program(named: parameters.program)
                let isKnown = permissions.decisions[program] != nil
                _ = try decide(nil, about: program, for: session)
                return RemoveGrantReply(removed: isKnown)
            }
        case PermissionMethods.list.name: session.reply(to: PermissionMethods.list, list(for: session))
        case PermissionMethods.explain.name:
            try session.serve(PermissionMethods.explain, call: call) { parameters throws(VarlinkError) in
                try explain(parameters.program, to: session)
            }
        case PermissionMethods.setEnabled.name:
            try session.serve(PermissionMethods.setEnabled, call: call) { parameters throws(VarlinkError) in
                try setEnabled(parameters.enabled, for: session)
            }
        default: throw call.methodNotImplemented
        }
    }

    private func decide(
        _ decision: PermissionDecision?, about program: ProgramID, for session: ClientSession
    ) throws(VarlinkError) -> RulePlace? {
        try requireAdministrator(session)
        session.awaitsDisk = true
        return try saving { () throws(StoreError) in try permissions.decide(decision, about: program) }
    }

    private func setEnabled(_ isEnabled: Bool, for session: ClientSession) throws(VarlinkError) -> NoParameters {
        try requireAdministrator(session)
        session.awaitsDisk = true
        try saving { () throws(StoreError) in
            try permissions.set(LocationSwitch(isOn: isEnabled, user: session.peer.user, date: HostTime.now))
        }
        return NoParameters()
    }

    /// Returns the decisions that the caller may see: all for an administrator, else those about
    /// the programs of its own user.
    private func list(for session: ClientSession) -> ListGrantsReply {
        let seesAll = permissions.mayBeChanged(by: session)
        let decisions = permissions.decisions.filter { seesAll || $0.key.user == session.peer.user }
        let grants = decisions.sorted { $0.key < $1.key }.map { program, decision in
            let rule = permissions.policy.rule(for: program)
            return GrantMessage(decision, about: program, overruledBy: rule?.authorization == nil ? nil : rule?.place)
        }
        return ListGrantsReply(permissions.policy, grants: grants, locationSwitch: permissions.locationSwitch)
    }

    private func explain(_ name: String?, to session: ClientSession) throws(VarlinkError) -> ExplainReply {
        let program = try name.map { (name) throws(VarlinkError) in try self.program(named: name) } ?? session.owner
        if program.user != session.peer.user { try requireAdministrator(session) }
        return ExplainReply(permissions.verdict(of: program), of: program)
    }

    private func program(named text: String) throws(VarlinkError) -> ProgramID {
        if let program = ProgramID(text) { return program }
        throw PermissionError.invalidProgram(
            program: String(text.prefix(300)), reason: "must be \(ProgramID.format)"
        ).reply
    }

    private func requireAdministrator(_ session: ClientSession) throws(VarlinkError) {
        guard !permissions.mayBeChanged(by: session) else { return }
        throw PermissionError.notAllowed(
            detail: "only user 0 and members of the groups in permissions.administrators may do this; use sudo"
        ).reply
    }

    private func saving<R>(_ work: () throws(StoreError) -> R) throws(VarlinkError) -> R {
        do throws(StoreError) { return try work() } catch {
            throw PermissionError.persistenceUnavailable(reason: "\(error); \(error.remedy)").reply
        }
    }
}
