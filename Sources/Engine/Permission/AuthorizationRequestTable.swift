/// The agents, and the authorization requests that wait for an answer.
///
/// An agent may answer for the programs of its own user; an agent of user 0 for all. Every agent
/// that may answer is asked, and the first answer counts.
struct AuthorizationRequestTable: Sendable {
    private var agents: [PermissionClientID: UInt32] = [:]
    private var open: [ProgramID: AuthorizationRequest] = [:]
    private var nextNumber = 1

    /// Returns whether an agent may answer for a program.
    func canAsk(about program: ProgramID) -> Bool {
        agents.contains { AuthorizationRequestTable.may($0.value, answerFor: program) }
    }

    /// Returns the open request with this number, if an agent of the user was asked.
    func request(_ number: Int, askedOf user: UInt32) -> AuthorizationRequest? {
        guard agents.values.contains(user), let request = open.values.first(where: { $0.number == number }),
            AuthorizationRequestTable.may(user, answerFor: request.program)
        else { return nil }
        return request
    }

    /// Asks about a program, unless a request is open.
    mutating func ask(
        about program: ProgramID, _ requirement: SessionRequirement, purpose: String?, usageDescription: String?,
        effects: inout [PermissionEffect]
    ) {
        guard open[program] == nil else { return }
        let request = AuthorizationRequest(
            number: nextNumber, program: program, requirement: requirement, purpose: purpose,
            usageDescription: usageDescription)
        nextNumber += 1
        open[program] = request
        for agent in agents(for: program) { effects.append(.ask(agent: agent, request)) }
    }

    /// Closes the request about a program, if one is open.
    mutating func close(about program: ProgramID, effects: inout [PermissionEffect]) {
        guard let request = open.removeValue(forKey: program) else { return }
        for agent in agents(for: program) { effects.append(.withdraw(agent: agent, request: request.number)) }
    }

    /// Adds an agent and asks it the open requests.
    mutating func addAgent(_ agent: PermissionClientID, user: UInt32, effects: inout [PermissionEffect]) {
        agents[agent] = user
        let requests = open.values.filter { AuthorizationRequestTable.may(user, answerFor: $0.program) }
        for request in requests.sorted(by: { $0.number < $1.number }) {
            effects.append(.ask(agent: agent, request))
        }
    }

    /// Removes an agent. Requests that no agent can answer any more are closed.
    mutating func removeAgent(_ agent: PermissionClientID) {
        guard agents.removeValue(forKey: agent) != nil else { return }
        open = open.filter { canAsk(about: $0.key) }
    }

    private func agents(for program: ProgramID) -> [PermissionClientID] {
        let asked = agents.filter { AuthorizationRequestTable.may($0.value, answerFor: program) }
        return asked.keys.sorted { $0.rawValue < $1.rawValue }
    }

    private static func may(_ user: UInt32, answerFor program: ProgramID) -> Bool {
        user == 0 || user == program.user
    }
}

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

    /// Returns an answer that knows whether the request required `always`.
    package func answered(with decision: PermissionDecision) -> PermissionDecision {
        var answer = decision
        answer.isAboutAlways = requirement == .always
        return answer
    }
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
