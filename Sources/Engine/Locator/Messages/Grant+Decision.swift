import Chronology
import Permission
import SextantAPI
import SextantServiceAPI

extension Grant {
    /// Creates the message for a decision.
    package init(
        _ decision: PermissionDecision, about program: ProgramID, overruledBy: RulePlace?,
        usageDescription: String? = nil
    ) {
        let (author, user): (GrantAuthor, UInt32) =
            switch decision.author {
            case .administrator(let user): (.administrator, user)
            case .agent(let user): (.agent, user)
            }
        self.init(
            program: program.description, authorization: decision.authorization, accuracy: decision.accuracy,
            author: author, uid: Int(user), date: decision.date, overruledBy: overruledBy?.description,
            usageDescription: usageDescription)
    }
}

extension Rule {
    /// Creates the message for a rule.
    package init(_ rule: PermissionRule) {
        self.init(
            uid: rule.user.map(Int.init), unit: rule.unit, application: rule.application,
            authorization: rule.authorization, accuracy: rule.accuracy, defaultAccuracy: rule.defaultAccuracy,
            inUse: rule.isInUse, requireSession: rule.requiresSession, maxConfiguration: rule.maxConfiguration,
            place: rule.place.description)
    }
}

extension SwitchState {
    /// Creates the message for the state of the switch.
    package init(_ state: LocationSwitch) {
        self.init(
            enabled: state.isOn, uid: state.user.map(Int.init), date: state.date, problem: state.failure)
    }
}

extension ListGrantsReply {
    /// Creates the reply for a policy with these decisions.
    package init(_ policy: PermissionPolicy, grants: [Grant], locationSwitch: LocationSwitch) {
        self.init(
            grants: grants, rules: policy.grants.map(Rule.init), default: policy.standard,
            accuracy: policy.accuracy, switch: SwitchState(locationSwitch))
    }
}

extension Use {
    /// Creates the message for a record.
    package init(_ record: UseRecord) {
        self.init(
            program: record.use.program.description, application: record.use.program.application,
            kind: record.use.kind, accuracy: record.use.accuracy, decidedBy: record.use.decidedBy,
            state: record.state, from: record.from, to: record.to,
            seconds: record.duration.seconds, updates: record.updates)
    }
}

extension Permission {
    /// Creates the message for the verdict of a program.
    package init(_ verdict: PermissionVerdict, of program: ProgramID) {
        self.init(
            program: program.description, authorization: verdict.authorization, accuracy: verdict.accuracy,
            decidedBy: verdict.decidedBy, detail: verdict.detail(for: program), permission: verdict.flags)
    }
}

extension DeclareReply {
    package init(_ flags: PermissionFlags) { self.init(diagnostics: SessionDiagnostics(permission: flags)) }
}

extension PermissionDeniedError {
    /// Creates the error for the verdict of a program.
    ///
    /// - Parameter need: What the call needs, if the program is not limited otherwise.
    package init(_ verdict: PermissionVerdict, of program: ProgramID, needs need: String = "the full location") {
        self.init(
            authorization: verdict.authorization, decidedBy: verdict.decidedBy,
            detail: verdict.detail(for: program) ?? "this needs \(need)")
    }
}

extension AgentRequest {
    /// Creates the message for a request.
    package init(_ request: AuthorizationRequest) {
        self.init(
            number: request.number, program: request.program.description, application: request.program.application,
            requirement: request.requirement, purpose: request.purpose, usageDescription: request.usageDescription)
    }
}
