import Chronology
import Locator
import Permission
import Positioning
import Varlink

/// The methods of `io.sextant.Permission`.
package enum PermissionMethods {
    /// Decides about a program.
    package static let set = Method<SetParameters, SetReply>("Set", of: .permission)
    /// Deletes the decision about a program.
    package static let remove = Method<ProgramParameters, RemoveGrantReply>("Remove", of: .permission)
    /// Returns all decisions, rules and the switch.
    package static let list = Method<NoParameters, ListGrantsReply>("List", of: .permission)
    /// Explains what a program may know.
    package static let explain = Method<ExplainParameters, PermissionMessage>("Explain", of: .permission)
    /// Switches location on or off.
    package static let setEnabled = Method<SetEnabledParameters, NoParameters>("SetEnabled", of: .permission)
    /// Returns the record of use.
    package static let getUsage = Method<GetUsageParameters, GetUsageReply>("GetUsage", of: .permission)
    /// Erases the record of use and the remembered positions.
    package static let forget = Method<NoParameters, ForgetReply>("Forget", of: .permission)
}

/// The parameters of `io.sextant.Permission.Set`.
package struct SetParameters: Codable, Sendable, Equatable {
    /// The program in text form.
    package var program: String
    /// What is allowed.
    package var authorization: AuthorizationChoice
    /// Absent: ``AccuracyAuthorization/full``.
    package var accuracy: AccuracyAuthorization?

    /// Creates the parameters of a decision.
    package init(program: String, authorization: AuthorizationChoice, accuracy: AccuracyAuthorization? = nil) {
        self.program = program
        self.authorization = authorization
        self.accuracy = accuracy
    }
}

/// The reply to `io.sextant.Permission.Set`.
package struct SetReply: Codable, Sendable, Equatable {
    /// The rule that decides instead.
    package var overruledBy: String?

    /// Creates a reply.
    package init(overruledBy: String? = nil) { self.overruledBy = overruledBy }
}

/// The parameters of `io.sextant.Permission.Remove`.
package struct ProgramParameters: Codable, Sendable, Equatable {
    /// The program in text form.
    package var program: String

    /// Creates the parameters for a program.
    package init(program: String) { self.program = program }
}

/// The reply to `io.sextant.Permission.Remove`.
package struct RemoveGrantReply: Codable, Sendable, Equatable {
    /// Whether there was a decision.
    package var removed: Bool

    /// Creates a reply.
    package init(removed: Bool) { self.removed = removed }
}

/// The type `Grant` of `io.sextant.Permission`.
package struct GrantMessage: Codable, Sendable, Equatable {
    /// Who decided.
    package enum Author: String, Codable, Sendable { case administrator, agent }

    /// The program in text form.
    package var program: String
    /// What is allowed.
    package var authorization: AuthorizationChoice
    /// The accuracy that is allowed.
    package var accuracy: AccuracyAuthorization
    /// Who decided: an administrator, or the agent of a user.
    package var author: Author
    /// The user ID of the author.
    package var uid: Int
    /// UTC of the decision by the host's clock.
    package var date: String
    /// The rule that decides instead, as "FILE:LINE". Absent if this decision applies.
    package var overruledBy: String?
    /// Why the program wants the location, as it states in an open session; not verified.
    package var usageDescription: String?

    /// Creates the message for a decision.
    package init(
        _ decision: PermissionDecision, about program: ProgramID, overruledBy: RulePlace?,
        usageDescription: String? = nil
    ) {
        self.usageDescription = usageDescription
        self.program = program.description
        authorization = decision.authorization
        accuracy = decision.accuracy
        switch decision.author {
        case .administrator(let user): (author, uid) = (.administrator, Int(user))
        case .agent(let user): (author, uid) = (.agent, Int(user))
        }
        date = decision.date.description
        self.overruledBy = overruledBy?.description
    }
}

/// The type `Rule` of `io.sextant.Permission`.
package struct RuleMessage: Codable, Sendable, Equatable {
    /// The user ID of the programs. Absent: any.
    package var uid: Int?
    /// The unit of the program. Absent: any.
    package var unit: String?
    /// The identifier of a desktop program, Flatpak or snap. Absent: any.
    package var application: String?
    /// What is allowed. Absent: decisions and the default decide.
    package var authorization: AuthorizationChoice?
    /// The accuracy that is allowed. Absent: decisions and the default decide.
    package var accuracy: AccuracyAuthorization?
    /// The configuration with the shortest interval that a stream gets. Absent: any.
    package var maxConfiguration: LiveConfiguration?
    /// The file and line: "FILE:LINE".
    package var place: String

    /// Creates the message for a rule.
    package init(_ rule: PermissionRule) {
        uid = rule.user.map(Int.init)
        unit = rule.unit
        application = rule.application
        authorization = rule.authorization
        accuracy = rule.accuracy
        maxConfiguration = rule.maxConfiguration
        place = rule.place.description
    }
}

/// The type `Switch` of `io.sextant.Permission`.
package struct SwitchMessage: Codable, Sendable, Equatable {
    /// Whether location is switched on.
    package var enabled: Bool
    /// The user who used the switch last. Absent if nobody did.
    package var uid: Int?
    /// UTC of that by the host's clock.
    package var date: String?
    /// Why switch and decisions cannot be read, and how to fix it. Absent if they were read.
    package var problem: String?

    /// Creates the message for the state of the switch.
    package init(_ state: LocationSwitch) {
        problem = state.failure
        enabled = state.isOn
        uid = state.user.map(Int.init)
        date = state.date?.description
    }
}

/// The reply to `io.sextant.Permission.List`.
package struct ListGrantsReply: Codable, Sendable, Equatable {
    /// The decisions that the caller may see, sorted by program.
    package var grants: [GrantMessage]
    /// The rules of the configuration, in the order of the files.
    package var rules: [RuleMessage]
    /// What applies without a rule and without a decision.
    package var `default`: PermissionPolicy.Default
    /// The accuracy without a rule and without a decision.
    package var accuracy: AccuracyAuthorization
    /// The location switch.
    package var `switch`: SwitchMessage

    /// Creates the reply for a policy with these decisions.
    package init(_ policy: PermissionPolicy, grants: [GrantMessage], locationSwitch: LocationSwitch) {
        self.grants = grants
        rules = policy.grants.map(RuleMessage.init)
        `default` = policy.standard
        accuracy = policy.accuracy
        `switch` = SwitchMessage(locationSwitch)
    }
}

extension PermissionPolicy.Default: Codable {}

/// The parameters of `io.sextant.Permission.Explain`.
package struct ExplainParameters: Codable, Sendable, Equatable {
    /// Absent: the caller.
    package var program: String?

    /// Creates the parameters.
    package init(program: String? = nil) { self.program = program }
}

/// The parameters of `io.sextant.Permission.SetEnabled`.
package struct SetEnabledParameters: Codable, Sendable, Equatable {
    /// Whether location is switched on.
    package var enabled: Bool

    /// Creates the parameters.
    package init(enabled: Bool) { self.enabled = enabled }
}

/// The errors of `io.sextant.Permission`.
package enum PermissionError: Error, Equatable, Sendable {
    /// The caller may not change permissions.
    case notAllowed(detail: String)
    /// The text names no program.
    case invalidProgram(program: String, reason: String)
    /// The decision could not be saved, or the record of use could not be read or erased.
    case persistenceUnavailable(reason: String)

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        switch self {
        case .notAllowed(let detail):
            VarlinkError(name: Interface.permission.name(of: "NotAllowed"), parameters: ["detail": .string(detail)])
        case .invalidProgram(let program, let reason):
            VarlinkError(
                name: Interface.permission.name(of: "InvalidProgram"),
                parameters: ["program": .string(program), "reason": .string(reason)])
        case .persistenceUnavailable(let reason):
            VarlinkError(
                name: Interface.permission.name(of: "PersistenceUnavailable"),
                parameters: ["reason": .string(reason)])
        }
    }
}
