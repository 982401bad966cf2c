import Chronology

/// Decides what each program may know, from the rules of the configuration, decisions, answers of
/// agents, presence of users, sessions, leases and the switch for the whole device.
///
/// The table has no clock and performs nothing: changes come out as effects, in order. The caller
/// stores a decision before it applies it.
package struct PermissionTable: Sendable {
    private var policy = PermissionPolicy()
    package private(set) var locationSwitch = LocationSwitch()
    /// The decisions of administrators and agents, by program.
    package private(set) var decisions: [ProgramID: PermissionDecision] = [:]
    /// The users with an active login session; `nil` without logind.
    private var activeUsers: Set<UInt32>?
    private var uses: [ProgramID: ProgramUse] = [:]
    private var sessionPrograms: [PermissionClientID: ProgramID] = [:]
    private var leases = LeaseTable()
    private var leasePrograms: [PermissionClientID: ProgramID] = [:]
    /// The programs with an effective session that requires `always`. Like a lease, another one can
    /// continue it in a grace period, in which the program need not be in use.
    private var alwaysSessions = LeaseTable()
    private var authorizationRequests = AuthorizationRequestTable()
    private var effects: [PermissionEffect] = []

    /// Creates a table that allows everything to every program.
    package init() {}

    /// When ``tick(at:)`` is due; `nil` if nothing is.
    package var deadline: Instant? { earliest(leases.deadline, alwaysSessions.deadline) }
    package var rules: PermissionPolicy { policy }
    package var leaseHolders: [(program: ProgramID, since: UTCTime)] { leases.programs }
    /// Returns whether a connection of a program holds a lease, which is not in its grace period.
    package func holdsLease(_ program: ProgramID) -> Bool { leases.isHeld(by: program) }

    package var hasEffects: Bool { !effects.isEmpty }

    /// Moves the effects that wait into `output`.
    package mutating func drainEffects(into output: inout [PermissionEffect]) {
        output.append(contentsOf: effects)
        effects.removeAll(keepingCapacity: true)
    }

    /// Ends the grace periods that are over.
    package mutating func tick(at now: Instant) {
        _ = alwaysSessions.tick(at: now)
        for program in leases.tick(at: now) { leaseEnded(of: program) }
    }

    /// Ends the grace periods of a program now: it has ended its leases and sessions itself.
    package mutating func endGrace(of program: ProgramID) {
        _ = alwaysSessions.endGrace(of: program)
        if leases.endGrace(of: program) { leaseEnded(of: program) }
    }

    private mutating func leaseEnded(of program: ProgramID) {
        effects.append(.leaseChanged(program))
        releaseIfUnused(program)
        refresh(program)
    }
}

// MARK: What decides
extension PermissionTable {
    /// Applies the rules of the configuration.
    package mutating func apply(_ policy: PermissionPolicy) {
        guard policy != self.policy else { return }
        self.policy = policy
        refreshAll()
    }

    /// Sets the decisions and the switch of earlier runs, and continues their leases.
    package mutating func restore(
        _ decisions: [ProgramID: PermissionDecision], locationSwitch: LocationSwitch,
        leases restored: [(program: ProgramID, since: UTCTime)] = [], at now: Instant
    ) {
        self.decisions = decisions
        self.locationSwitch = locationSwitch
        for lease in restored { leases.restore(lease.program, since: lease.since, at: now) }
        refreshAll()
    }

    /// Sets the users with an active login session; `nil` without logind.
    package mutating func setActiveUsers(_ users: Set<UInt32>?) {
        guard users != activeUsers else { return }
        activeUsers = users
        refreshAll()
    }

    /// Decides about a program, or deletes the decision with `nil`.
    ///
    /// - Returns: The rule of the configuration that decides instead; `nil` if the decision does.
    @discardableResult
    package mutating func decide(_ decision: PermissionDecision?, about program: ProgramID) -> RulePlace? {
        uses[program]?.answer = nil
        decisions[program] = decision
        if decision == nil || decision?.authorization == .denied { endLease(of: program) }
        refresh(program)
        return policy.rule(for: program)?.placeOverruling(decision)
    }

    /// Ends the lease of a program: a later grant must not continue it.
    private mutating func endLease(of program: ProgramID) {
        alwaysSessions.revoke(program)
        guard leases.contains(program) else { return }
        leases.revoke(program)
        leasePrograms = leasePrograms.filter { $0.value != program }
        effects.append(.leaseChanged(program))
    }

    /// Switches location on or off for all programs.
    package mutating func set(_ locationSwitch: LocationSwitch) {
        let isChanged = locationSwitch.isOn != self.locationSwitch.isOn || self.locationSwitch.failure != nil
        self.locationSwitch = locationSwitch
        if isChanged { refreshAll() }
    }
}

// MARK: Who uses location
extension PermissionTable {
    /// Records that a program begins a stream or a call that needs the location. This is an
    /// implicit session: a program that nobody has decided about is asked about.
    package mutating func beginRequest(of program: ProgramID) -> PermissionVerdict {
        uses[program, default: ProgramUse()].requests += 1
        return refresh(program)
    }

    /// Records the end of a stream or a call.
    package mutating func endRequest(of program: ProgramID) {
        uses[program]?.requests -= 1
        releaseIfUnused(program)
        refresh(program)
    }

    /// Follows the verdict of a program that does not ask for the location now, such as the owner
    /// of monitors.
    package mutating func follow(_ program: ProgramID) -> PermissionVerdict {
        uses[program, default: ProgramUse()].followers += 1
        return refresh(program)
    }

    /// Ends ``follow(_:)``.
    package mutating func unfollow(_ program: ProgramID) {
        uses[program]?.followers -= 1
        releaseIfUnused(program)
    }

    /// Returns the verdict of a program, without any effect.
    package func verdict(of program: ProgramID) -> PermissionVerdict {
        uses[program]?.verdict ?? evaluate(program)
    }

    private mutating func releaseIfUnused(_ program: ProgramID) {
        guard let use = uses[program] else { return }
        if use.requirement == nil { authorizationRequests.close(about: program, effects: &effects) }
        guard use.requests == 0, use.sessions.isEmpty else { return }
        if !leases.contains(program) { uses[program]?.answer = nil }
        if use.followers == 0, uses[program]?.answer == nil { uses[program] = nil }
    }
}

// MARK: Sessions
extension PermissionTable {
    /// Declares what a program needs while a connection is open, and returns the first diagnostics.
    ///
    /// - Parameters:
    ///   - purpose: The purpose for which the program needs full accuracy.
    ///   - usageDescription: Why the program wants the location, for its user.
    ///   - isImplicit: Whether the session satisfies no configuration that requires one.
    package mutating func declare(
        _ requirement: SessionRequirement, purpose: String?, usageDescription: String? = nil,
        isImplicit: Bool = false, for client: PermissionClientID, of program: ProgramID
    ) -> PermissionFlags {
        // Others that require always may begin only while the program is in use, as with Apple.
        let isEffective =
            requirement != .always || isInUse(program) || isAlwaysAllowed(program) || alwaysSessions.contains(program)
        let session = OpenSession(
            program: program, requirement: requirement, purpose: purpose, usageDescription: usageDescription,
            isImplicit: isImplicit, isEffective: isEffective)
        if requirement == .always, isEffective {
            // Nobody asks when it began.
            alwaysSessions.begin(client, of: program, date: UTCTime(milliseconds: 0))
        }
        sessionPrograms[client] = program
        uses[program, default: ProgramUse()].sessions[client] = session
        refresh(program)
        let flags = diagnostics(of: session)
        uses[program]?.diagnostics[client] = flags
        return flags
    }

    /// Ends a declared session whose connection ended.
    package mutating func endSession(_ client: PermissionClientID, at now: Instant) {
        guard let program = sessionPrograms.removeValue(forKey: client) else { return }
        alwaysSessions.release(client, of: program, at: now)
        uses[program]?.sessions[client] = nil
        uses[program]?.diagnostics[client] = nil
        releaseIfUnused(program)
        refresh(program)
    }

    /// Begins a lease, with which a program counts as in use. Returns `false` if the program is not
    /// in use now and continues no earlier lease.
    package mutating func keepActive(
        _ client: PermissionClientID, of program: ProgramID, date: UTCTime
    ) -> Bool {
        let authorization = decided(program).authorization
        guard isInUse(program), authorization != .denied, authorization != .restricted else { return false }
        // The caller stores the leases after this effect, so a further one of the program has none.
        if !leases.contains(program) { effects.append(.leaseChanged(program)) }
        leases.begin(client, of: program, date: date)
        leasePrograms[client] = program
        refresh(program)
        return true
    }

    /// Starts the grace period of a lease whose connection ended.
    package mutating func releaseLease(_ client: PermissionClientID, at now: Instant) {
        guard let program = leasePrograms.removeValue(forKey: client) else { return }
        leases.release(client, of: program, at: now)
    }

    /// Why a program wants the location, as it states in an open session.
    package func usageDescription(of program: ProgramID) -> String? { uses[program]?.usageDescription }

    /// The declared sessions that are open, by program.
    package var openSessions: [OpenSession] {
        let clients = sessionPrograms.sorted { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
        return clients.compactMap { client, program in uses[program]?.sessions[client] }
    }

    private func diagnostics(of session: OpenSession) -> PermissionFlags {
        let verdict = verdict(of: session.program)
        var flags = verdict.flags.subtracting([.serviceSessionRequired, .accuracyLimited])
        if session.requirement == .always {
            if verdict.authorization == .whenInUse {
                let isAsked = session.isEffective && isAskedForAlways(session.program)
                flags.insert(isAsked ? .authorizationRequestInProgress : .alwaysAuthorizationDenied)
            }
            if !session.isEffective { flags.insert(.insufficientlyInUse) }
        }
        if session.purpose != nil, verdict.accuracy == .reduced { flags.insert(.fullAccuracyDenied) }
        return flags
    }
}

// MARK: Agents
extension PermissionTable {
    /// Adds an agent, which is asked about the programs of its user; that of user 0 about all.
    package mutating func addAgent(_ agent: PermissionClientID, user: UInt32) {
        authorizationRequests.addAgent(agent, user: user, effects: &effects)
        refreshAll()
    }

    package mutating func removeAgent(_ agent: PermissionClientID) {
        authorizationRequests.removeAgent(agent)
        refreshAll()
    }

    /// Returns the open request with this number, if an agent of the user was asked.
    package func request(_ number: Int, askedOf user: UInt32) -> AuthorizationRequest? {
        authorizationRequests.request(number, askedOf: user)
    }

    /// Applies an answer of an agent, which is the author of the decision.
    ///
    /// - Parameter isTemporary: Whether the answer ends with the sessions of the program.
    /// - Returns: The program; `nil` if no agent of this user was asked, or the request is closed.
    package mutating func answer(
        _ number: Int, with decision: PermissionDecision, isTemporary: Bool
    ) -> ProgramID? {
        guard let request = authorizationRequests.request(number, askedOf: decision.author.user) else { return nil }
        let program = request.program
        let decision = request.answered(with: decision)
        authorizationRequests.close(about: program, effects: &effects)
        uses[program]?.answer = isTemporary ? decision : nil
        if !isTemporary {
            decisions[program] = decision
            if decision.authorization == .denied { endLease(of: program) }
        }
        refresh(program)
        return program
    }
}

// MARK: Verdicts
extension PermissionTable {
    private mutating func refreshAll() {
        for program in uses.keys.sorted() { refresh(program) }
    }

    /// Evaluates a program again, asks about it if necessary, and emits what changed.
    @discardableResult
    private mutating func refresh(_ program: ProgramID) -> PermissionVerdict {
        guard let use = uses[program] else { return evaluate(program) }
        let needsAnswer = decided(program).authorization == .notDetermined || isAskedForAlways(program)
        if !needsAnswer || !locationSwitch.isOn || locationSwitch.failure != nil {
            authorizationRequests.close(about: program, effects: &effects)
        } else if let requirement = use.requirement {
            authorizationRequests.ask(
                about: program, requirement, purpose: use.purpose, usageDescription: use.usageDescription,
                effects: &effects)
        }
        let verdict = evaluate(program)
        if use.verdict != verdict {
            uses[program]?.verdict = verdict
            if use.verdict != nil { effects.append(.verdictChanged(program, verdict)) }
        }
        for (client, session) in use.sessions {
            let flags = diagnostics(of: session)
            guard let last = use.diagnostics[client], last != flags else { continue }
            uses[program]?.diagnostics[client] = flags
            effects.append(.diagnosticsChanged(client, flags))
        }
        return verdict
    }

    private func evaluate(_ program: ProgramID) -> PermissionVerdict {
        if let reason = locationSwitch.failure {
            return PermissionVerdict(.denied, flags: .authorizationDenied, basis: .unreadable(reason: reason))
        }
        guard locationSwitch.isOn else {
            return PermissionVerdict(
                .denied, flags: [.authorizationDenied, .authorizationDeniedGlobally],
                basis: .locationSwitch(user: locationSwitch.user))
        }
        let use = uses[program]
        var verdict = decided(program)
        switch verdict.authorization {
        case .notDetermined: verdict.flags = .authorizationRequestInProgress
        case .restricted: verdict.flags = [.authorizationDenied, .authorizationRestricted]
        case .denied, .unknown: verdict.flags = .authorizationDenied
        case .whenInUse: if !isInUse(program) { verdict.flags = .insufficientlyInUse }
        case .always: break
        }
        let requiresSession = policy.rule(for: program)?.requiresSession ?? policy.requiresSession
        if requiresSession, verdict.flags.isEmpty, use?.hasRequiredSession != true {
            verdict.flags.insert(.serviceSessionRequired)
        }
        if verdict.accuracy == .reduced {
            let purposes = policy.rule(for: program)?.purposes ?? []
            if use?.hasSession(forOneOf: purposes) == true {
                verdict.accuracy = .full
            } else {
                verdict.flags.insert(.accuracyLimited)
                if verdict.flags == .accuracyLimited,
                    let place = policy.rule(for: program)?.accuracyPlace(
                        unlike: .full, isDecided: decision(about: program) != nil)
                {
                    verdict.basis = .rule(place)
                }
            }
        }
        return verdict
    }

    /// The decision that counts about a program, a temporary answer before a stored one.
    private func decision(about program: ProgramID) -> PermissionDecision? {
        uses[program]?.answer ?? decisions[program]
    }

    /// Returns what was decided about a program, without the circumstances.
    private func decided(_ program: ProgramID) -> PermissionVerdict {
        let rule = policy.rule(for: program)
        let answer = uses[program]?.answer
        let decision = answer ?? decisions[program]
        let accuracy = rule?.accuracy ?? decision?.accuracy ?? rule?.defaultAccuracy ?? policy.accuracy
        if let rule, let choice = rule.authorization {
            let authorization = choice == .denied ? Authorization.restricted : Authorization(choice)
            return PermissionVerdict(authorization, accuracy: accuracy, basis: .rule(rule.place))
        }
        if let decision {
            return PermissionVerdict(
                Authorization(decision.authorization), accuracy: accuracy,
                basis: answer == nil
                    ? .decision(decision.author, decision.date) : .temporaryAnswer(user: decision.author.user))
        }
        let basis = policy.standardPlace.map(PermissionVerdict.Basis.standard) ?? .builtIn
        guard let choice = policy.standard.choice else {
            guard authorizationRequests.canAsk(about: program) else {
                return PermissionVerdict(Authorization(policy.withoutAgent), accuracy: accuracy, basis: .withoutAgent)
            }
            return PermissionVerdict(.notDetermined, accuracy: accuracy, basis: basis)
        }
        return PermissionVerdict(Authorization(choice), accuracy: accuracy, basis: basis)
    }

    /// Returns whether an agent is asked once more: a session requires `always`, and the answer so
    /// far is `whenInUse`, to a request that did not require more.
    private func isAskedForAlways(_ program: ProgramID) -> Bool {
        guard policy.standard == .ask, policy.rule(for: program)?.authorization == nil,
            uses[program]?.requirement == .always, let answer = decision(about: program),
            case .agent = answer.author
        else { return false }
        return answer.authorization == .whenInUse && !answer.isAboutAlways
            && authorizationRequests.canAsk(about: program)
    }

    /// The accuracy of an answer that states none: that of the earlier answer, so that a second
    /// question raises it only if the user says so.
    package func defaultAccuracy(ofAnswerAbout program: ProgramID) -> AccuracyAuthorization {
        decision(about: program)?.accuracy ?? policy.rule(for: program)?.defaultAccuracy ?? .full
    }

    private func isAlwaysAllowed(_ program: ProgramID) -> Bool { decided(program).authorization == .always }

    private func isInUse(_ program: ProgramID) -> Bool {
        if leases.contains(program) { return true }
        return policy.rule(for: program)?.isInUse ?? activeUsers.map { $0.contains(program.user) }
            ?? policy.isInUseWithoutLogind
    }
}

extension Authorization {
    /// Creates what a choice means for a program.
    fileprivate init(_ choice: AuthorizationChoice) {
        switch choice {
        case .denied, .unknown: self = .denied
        case .whenInUse: self = .whenInUse
        case .always: self = .always
        }
    }
}

extension PermissionPolicy.Default {
    /// What applies without asking; `nil` if an agent is asked.
    fileprivate var choice: AuthorizationChoice? {
        switch self {
        case .always: .always
        case .whenInUse: .whenInUse
        case .denied, .unknown: .denied
        case .ask: nil
        }
    }
}

extension PermissionDecision.Author {
    package var user: UInt32 {
        switch self {
        case .administrator(let user), .agent(let user): user
        }
    }
}
