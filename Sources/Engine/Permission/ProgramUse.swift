/// What a program declares that it needs, while a connection is open.
package struct OpenSession: Sendable, Equatable {
    package var program: ProgramID
    package var requirement: SessionRequirement
    /// The purpose for which the session needs full accuracy.
    package var purpose: String?
    /// Why the program wants the location, for its user.
    var usageDescription: String?
    /// Whether the session satisfies no configuration that requires one: the program declares it
    /// only to state what a request needs.
    var isImplicit: Bool
    /// Whether the session counts. A session that requires `always` must begin while the program is
    /// in use, or in the grace period of another one, as with Apple.
    package var isEffective: Bool
}

/// What a program does with the location.
struct ProgramUse: Sendable {
    /// The number of open streams and calls that need the location.
    var requests = 0
    /// The number of users of the verdict that need no location now.
    var followers = 0
    var sessions: [PermissionClientID: OpenSession] = [:]
    /// The last diagnostics of each session.
    var diagnostics: [PermissionClientID: PermissionFlags] = [:]
    /// An answer that ends with the sessions of the program.
    var answer: PermissionDecision?
    /// The last verdict; `nil` before the first.
    var verdict: PermissionVerdict?

    /// What the program needs; `nil` if nothing that would have to be asked for.
    var requirement: SessionRequirement? {
        let declared = sessions.values.filter(\.isEffective).map(\.requirement).max() ?? .none
        let needed = requests > 0 ? max(declared, .whenInUse) : declared
        return needed == .none ? nil : needed
    }

    /// The purpose that the program states.
    var purpose: String? { sessions.values.compactMap(\.purpose).min() }
    /// Why the program wants the location, as it states.
    var usageDescription: String? { sessions.values.compactMap(\.usageDescription).filter { !$0.isEmpty }.min() }
    /// Whether a session was declared that satisfies a configuration that requires one.
    var hasRequiredSession: Bool { sessions.values.contains { $0.isEffective && !$0.isImplicit } }

    func hasSession(forOneOf purposes: [String]) -> Bool {
        sessions.values.contains { session in session.isEffective && session.purpose.map(purposes.contains) ?? false }
    }
}
