import Positioning

@_exported import enum SextantAPI.AccuracyAuthorization
@_exported import enum SextantAPI.Authorization
@_exported import enum SextantAPI.AuthorizationChoice
@_exported import enum SextantAPI.PermissionDefault
@_exported import struct SextantAPI.PermissionFlags
@_exported import enum SextantAPI.SessionRequirement
@_exported import enum SextantAPI.UseKind
@_exported import enum SextantAPI.UseState

/// The rules of the configuration: who may know the location, and how exactly.
package struct PermissionPolicy: Sendable, Equatable {
    /// What applies to programs without a rule and without a decision.
    package typealias Default = PermissionDefault

    /// What applies to programs without a rule and without a decision.
    package var standard = Default.always
    /// The place that sets ``standard``; `nil` if no file does.
    package var standardPlace: RulePlace?
    /// The accuracy for programs without a rule and without a decision.
    package var accuracy = AccuracyAuthorization.full
    /// The rules for programs, in the order of the files.
    package var grants: [PermissionRule] = []
    /// What ``Default/ask`` means while there is no agent to ask.
    package var withoutAgent = AuthorizationChoice.denied
    /// Whether programs count as in use on a system without logind, which knows the login sessions.
    package var isInUseWithoutLogind = true
    /// Whether streams and monitors require a declared session.
    package var requiresSession = false
    /// The groups whose members may change permissions, besides user 0.
    package var administratorGroups: Set<UInt32> = []

    /// The policy without a configuration: every program may know the full location at any time, as
    /// in versions without permissions.
    package init() {}

    /// Returns the rules for a program combined into one; `nil` if none applies.
    ///
    /// For each key, the most specific rule that sets it decides: one for the program before one
    /// for its user. Of equal rules the last one decides, so a drop-in can replace a rule. The
    /// place is
    /// that of the authorization, if a rule sets one.
    package func rule(for program: ProgramID) -> PermissionRule? {
        var combined: PermissionRule?
        for rank in PermissionRule.ranks {
            for rule in grants where rule.rank == rank && rule.applies(to: program) {
                combined = combined?.overridden(by: rule) ?? rule
            }
        }
        return combined
    }
}

/// A file and a line of the configuration.
package struct RulePlace: Sendable, Hashable, CustomStringConvertible {
    package var file: String
    /// The line, from 1; `nil` if unknown.
    package var line: Int?

    package init(file: String, line: Int?) {
        self.file = file
        self.line = line
    }

    package var description: String { line.map { "\(file):\($0)" } ?? file }
}

/// One `[[permissions.grant]]` of the configuration.
package struct PermissionRule: Sendable, Equatable {
    /// The user of the programs; `nil` for all users.
    package var user: UInt32?
    /// The unit of the program as in ``ProgramID/qualifiedUnit``; `nil` for any.
    package var unit: String?
    /// The identifier of a desktop program, Flatpak or snap; `nil` for any.
    package var application: String?
    /// What is allowed; `nil` if other rules, decisions and the default decide.
    package var authorization: AuthorizationChoice?
    /// The accuracy; `nil` if decisions and the default decide.
    package var accuracy: AccuracyAuthorization?
    /// The accuracy without a decision; `nil` if the policy decides.
    package var defaultAccuracy: AccuracyAuthorization?
    /// Whether the program counts as in use, such as a service without a user interface, or only
    /// with a lease. `nil` if the presence of its user decides.
    package var isInUse: Bool?
    /// Whether streams and monitors require a declared session; `nil` if the policy decides.
    package var requiresSession: Bool?
    /// The purposes for which a session gets full accuracy; `nil` if other rules decide.
    package var purposes: [String]?
    /// The configuration with the shortest interval that a stream of the program gets; `nil` if
    /// other rules decide.
    package var maxConfiguration: Configuration?
    /// Where the rule is; for combined rules, where the authorization is set.
    package var place: RulePlace
    fileprivate var accuracyPlace: RulePlace
    fileprivate var defaultAccuracyPlace: RulePlace

    package init(place: RulePlace) {
        (self.place, accuracyPlace) = (place, place)
        defaultAccuracyPlace = place
    }

    /// Where the rule sets what it overrules of a decision; `nil` if it overrules nothing.
    package func placeOverruling(_ decision: PermissionDecision?) -> RulePlace? {
        if authorization != nil { return place }
        return accuracyPlace(unlike: decision?.accuracy ?? .full)
    }

    /// Where the rule sets another accuracy than this; `nil` if it does not. Without a decision its
    /// default counts too.
    package func accuracyPlace(unlike other: AccuracyAuthorization, isDecided: Bool = true) -> RulePlace? {
        if let accuracy { return accuracy == other ? nil : accuracyPlace }
        return isDecided || defaultAccuracy ?? other == other ? nil : defaultAccuracyPlace
    }

    /// Returns the configuration that a stream gets when its program asks for another one.
    package func limited(_ configuration: Configuration) -> Configuration {
        guard let maxConfiguration, configuration.minimumInterval < maxConfiguration.minimumInterval else {
            return configuration
        }
        return maxConfiguration
    }

    func applies(to program: ProgramID) -> Bool {
        if let user, user != program.user { return false }
        if let unit, unit != program.qualifiedUnit { return false }
        if let application, application != program.application { return false }
        return true
    }

    /// How closely the rule describes a program: more for a unit or an application than for a user.
    fileprivate var rank: Int { (unit != nil || application != nil ? 2 : 0) + (user != nil ? 1 : 0) }
    /// All ranks, the least specific first.
    fileprivate static let ranks = 0...3

    /// Returns this rule with the keys that a more specific or later one sets.
    fileprivate func overridden(by other: PermissionRule) -> PermissionRule {
        var combined = self
        if let authorization = other.authorization {
            combined.authorization = authorization
            combined.place = other.place
        }
        if let accuracy = other.accuracy {
            combined.accuracy = accuracy
            combined.accuracyPlace = other.place
        }
        if let defaultAccuracy = other.defaultAccuracy {
            combined.defaultAccuracy = defaultAccuracy
            combined.defaultAccuracyPlace = other.place
        }
        combined.isInUse = other.isInUse ?? isInUse
        combined.requiresSession = other.requiresSession ?? requiresSession
        combined.purposes = other.purposes ?? purposes
        combined.maxConfiguration = other.maxConfiguration ?? maxConfiguration
        return combined
    }
}
