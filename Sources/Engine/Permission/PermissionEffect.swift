/// A request to an agent.
package struct AuthorizationRequest: Sendable, Equatable {
    /// The number of the request, unique for the lifetime of the process.
    package var number: Int
    package var program: ProgramID
    /// What the program needs.
    package var requirement: SessionRequirement
    /// The purpose that the program states, for display; not verified.
    package var purpose: String?
    /// Why the program wants the location, as it states, for display; not verified.
    package var usageDescription: String?
}

/// An action that the table requests from its caller.
package enum PermissionEffect: Sendable, Equatable {
    /// The verdict of a program changed.
    case verdictChanged(ProgramID, PermissionVerdict)
    /// The diagnostics of a declared session changed.
    case diagnosticsChanged(PermissionClientID, PermissionFlags)
    /// An agent must ask the user.
    case ask(agent: PermissionClientID, AuthorizationRequest)
    /// A request has an answer, or needs none any more.
    case withdraw(agent: PermissionClientID, request: Int)
    /// A lease began, or its grace period ended.
    case leaseChanged(ProgramID)
}
