import Chronology
import Permission

/// What the rules allow, written down a second time and without effects: the random events of
/// ``PermissionRandomTests`` compare the table with it.
struct PermissionModel {
    struct Session {
        var program: ProgramID
        var purpose: String?
        var counts: Bool
        var isImplicit: Bool
    }

    /// The lease of a program: its open connections, and the end of the grace period.
    struct HeldLease {
        var holders: Set<Int> = []
        var graceEnd: Instant?
    }

    var policy = PermissionPolicy()
    var isOn = true
    var activeUsers: Set<UInt32>?
    var decisions: [ProgramID: PermissionDecision] = [:]
    var answers: [ProgramID: PermissionDecision] = [:]
    var requests: [ProgramID: Int] = [:]
    var sessions: [Int: Session] = [:]
    var leases: [ProgramID: HeldLease] = [:]
    /// The effective sessions that require `always`, which continue like leases.
    var alwaysSessions: [ProgramID: HeldLease] = [:]
    var agents: [Int: UInt32] = [:]

    /// Whether a program gets a location, and whether it gets the full one.
    func allows(_ program: ProgramID) -> (location: Bool, full: Bool) {
        guard isOn else { return (false, false) }
        let authorized =
            switch authorization(of: program) {
            case .always: true
            case .whenInUse: isInUse(program)
            case .denied, .unknown, nil: false
            }
        let own = sessions.values.filter { $0.program == program && $0.counts }
        let requiresSession = strongest(program, \.requiresSession) ?? policy.requiresSession
        guard authorized, !requiresSession || own.contains(where: { !$0.isImplicit }) else { return (false, false) }
        let accuracy =
            strongest(program, \.accuracy) ?? (answers[program] ?? decisions[program])?.accuracy
            ?? strongest(program, \.defaultAccuracy) ?? policy.accuracy
        let purposes = strongest(program, \.purposes) ?? []
        return (true, accuracy == .full || own.contains { $0.purpose.map(purposes.contains) == true })
    }

    /// What was chosen for a program; `nil` while an agent is asked.
    func authorization(of program: ProgramID) -> AuthorizationChoice? {
        if let choice = strongest(program, \.authorization) { return choice }
        if let decision = answers[program] ?? decisions[program] { return decision.authorization }
        switch policy.standard {
        case .always: return .always
        case .whenInUse: return .whenInUse
        case .denied, .unknown: return .denied
        case .ask: return agents.values.contains { $0 == 0 || $0 == program.user } ? nil : policy.withoutAgent
        }
    }

    func isInUse(_ program: ProgramID) -> Bool {
        if leases[program] != nil { return true }
        if let isInUse = strongest(program, \.isInUse) { return isInUse }
        guard let activeUsers else { return policy.isInUseWithoutLogind }
        return activeUsers.contains(program.user)
    }

    /// The key of the rule that describes a program most closely; of equal ones that of the last.
    private func strongest<Value>(_ program: ProgramID, _ key: KeyPath<PermissionRule, Value?>) -> Value? {
        let matching = policy.grants.enumerated().filter { _, rule in
            (rule.user == nil || rule.user == program.user) && (rule.unit == nil || rule.unit == program.qualifiedUnit)
                && (rule.application == nil || rule.application == program.application)
        }
        let ordered = matching.sorted { a, b in
            let (first, second) = (PermissionModel.closeness(a.element), PermissionModel.closeness(b.element))
            return first == second ? a.offset < b.offset : first < second
        }
        return ordered.last { $0.element[keyPath: key] != nil }?.element[keyPath: key]
    }

    private static func closeness(_ rule: PermissionRule) -> Int {
        if rule.unit != nil || rule.application != nil { return rule.user == nil ? 2 : 3 }
        return rule.user == nil ? 0 : 1
    }
}

// MARK: Events
extension PermissionModel {
    mutating func decide(_ decision: PermissionDecision?, about program: ProgramID) {
        answers[program] = nil
        decisions[program] = decision
        if decision == nil || decision?.authorization == .denied { revoke(program) }
        forgetAnswerIfUnused(program)
    }

    mutating func answer(_ decision: PermissionDecision, isTemporary: Bool, about program: ProgramID) {
        answers[program] = isTemporary ? decision : nil
        guard !isTemporary else { return }
        decisions[program] = decision
        if decision.authorization == .denied { revoke(program) }
    }

    private mutating func revoke(_ program: ProgramID) {
        leases[program] = nil
        alwaysSessions[program] = nil
    }

    mutating func declare(
        _ client: Int, _ requirement: SessionRequirement, purpose: String?, isImplicit: Bool, of program: ProgramID
    ) {
        let counts =
            requirement != .always || isInUse(program) || authorization(of: program) == .always
            || alwaysSessions[program] != nil
        if requirement == .always, counts {
            alwaysSessions[program, default: HeldLease()].holders.insert(client)
            alwaysSessions[program]?.graceEnd = nil
        }
        sessions[client] = Session(program: program, purpose: purpose, counts: counts, isImplicit: isImplicit)
    }

    mutating func endSession(_ client: Int, at now: Instant) {
        for program in Array(alwaysSessions.keys) where alwaysSessions[program]?.holders.remove(client) != nil {
            alwaysSessions[program]?.graceEnd = now + .seconds(60)
        }
        if let session = sessions.removeValue(forKey: client) { forgetAnswerIfUnused(session.program) }
    }

    mutating func endRequest(of program: ProgramID) {
        requests[program, default: 0] -= 1
        forgetAnswerIfUnused(program)
    }

    mutating func keepActive(_ client: Int, of program: ProgramID) -> Bool {
        guard isInUse(program), authorization(of: program) != .denied else { return false }
        leases[program, default: HeldLease()].holders.insert(client)
        leases[program]?.graceEnd = nil
        return true
    }

    mutating func releaseLease(_ client: Int, at now: Instant) {
        for program in Array(leases.keys) where leases[program]?.holders.remove(client) != nil {
            leases[program]?.graceEnd = now + .seconds(60)
        }
    }

    mutating func tick(at now: Instant) {
        endGraces { _, end in end <= now }
    }

    mutating func endGrace(of program: ProgramID) {
        endGraces { owner, _ in owner == program }
    }

    private mutating func endGraces(where isEnded: (ProgramID, Instant) -> Bool) {
        for (program, session) in alwaysSessions {
            guard let end = session.graceEnd, isEnded(program, end) else { continue }
            alwaysSessions[program]?.graceEnd = nil
            if session.holders.isEmpty { alwaysSessions[program] = nil }
        }
        for (program, lease) in leases {
            guard let end = lease.graceEnd, isEnded(program, end) else { continue }
            leases[program]?.graceEnd = nil
            if lease.holders.isEmpty { leases[program] = nil }
            forgetAnswerIfUnused(program)
        }
    }

    private mutating func forgetAnswerIfUnused(_ program: ProgramID) {
        let isUsed =
            requests[program, default: 0] > 0 || sessions.values.contains { $0.program == program }
            || leases[program] != nil
        if !isUsed { answers[program] = nil }
    }
}
