import Chronology
import Logging
import Permission
import SQLite
import ServiceRuntime
import SystemCalls

/// The permissions of all programs, shared by the services: the table, its stored decisions, and
/// the login sessions.
final class PermissionCenter {
    private var table = PermissionTable()
    private let store: PermissionStore
    private let log: Logger
    private var logins: LoginMonitor?
    /// The secret of reduced locations; nil before it is needed, unless it was stored.
    private var secret: ReducedSecret?
    /// How often the store was replaced when everything was last written to it.
    private var replacementCount = 0
    /// When everything is written again after a failure to do so.
    private var nextReplacement = Instant.zero
    /// Why the stored permissions could not be read; nil if they were.
    private(set) var failure: StoreError?
    /// When the permissions that could not be read are read again.
    private var nextLoad: Instant?
    /// Whether the stored permissions are in the table.
    private var isLoaded = false
    private var loadBackoff = ExponentialBackoff()
    /// The messages about programs that were written.
    private var notices = ProgramNotices()
    /// When each lease that is held by a connection began.
    private var leaseStarts: [PermissionClientID: (program: ProgramID, at: Instant)] = [:]
    /// Whether the leases have changed, or the secret was created, since they were stored.
    private var areLeasesUnsaved = false
    private var isSecretUnsaved = false
    /// When leases and secret are written again after a failure to do so; nil without a failure.
    private var nextSave: Instant?
    private var hasLoggedSaveError = false
    /// The time after which a failed write is repeated.
    private static let retryInterval = Instant.Span.seconds(10)
    /// The longest time after which a failed read is repeated: nothing but a repair may help.
    private static let maxLoadInterval = Instant.Span.seconds(600)

    init(database: StateDatabase, policy: PermissionPolicy, log: Logger) {
        store = PermissionStore(database)
        self.log = log
        table.apply(policy)
    }

    /// Loads the decisions of earlier runs, and starts to watch the login sessions.
    func start(on loop: EventLoop) {
        do throws(StoreError) { try load(at: loop.now) } catch { loadingFailed(error, at: loop.now) }
        replacementCount = store.replacementCount
        logins = LoginMonitor(loop: loop) { [unowned self] in updateActiveUsers() }
        updateActiveUsers()
    }

    /// Loads what is stored, if that has failed so far: a change must not hide the decisions that
    /// could not be read.
    private func load(at now: Instant) throws(StoreError) {
        guard !isLoaded else { return }
        let contents: PermissionStore.Contents
        do throws(StoreError) { contents = try store.contents() } catch {
            guard store.replacementCount > 0 else { throw error }
            // The next start would find an intact, empty file.
            let off = LocationSwitch(isOn: false, date: HostClock.utc)
            table.restore([:], locationSwitch: off, at: now)
            isLoaded = true
            (failure, nextLoad) = (nil, nil)
            try? store.save(off)
            throw error
        }
        secret = contents.secret ?? secret
        table.restore(
            contents.decisions, locationSwitch: contents.locationSwitch, leases: contents.leases, at: now)
        isLoaded = true
        (failure, nextLoad) = (nil, nil)
        // A secret that was created meanwhile is kept if none was stored.
        if isSecretUnsaved { nextSave = now }
    }

    private func loadAgain(at now: Instant) {
        do throws(StoreError) {
            try load(at: now)
            log.notice("permissions can be read again; location is switched \(locationSwitch.isOn ? "on" : "off")")
        } catch {
            loadingFailed(error, at: now)
        }
    }

    /// Denies location to all programs, because what was decided about them cannot be read: a
    /// denied program must not get it because the disk failed.
    private func loadingFailed(_ error: StoreError, at now: Instant) {
        if failure == nil {
            log.critical("cannot read permissions: \(error); no program gets the location. \(error.remedy)")
        }
        guard !isLoaded else { return }
        table.set(LocationSwitch(isOn: false, failure: "\(error); \(error.remedy)"))
        failure = error
        nextLoad = now + loadBackoff.next(from: PermissionCenter.retryInterval, max: PermissionCenter.maxLoadInterval)
    }

    private func updateActiveUsers() { table.setActiveUsers(logins?.activeUsers) }

    /// Applies the rules of settings.
    func apply(_ policy: PermissionPolicy) { table.apply(policy) }

    /// Returns the secret of reduced locations, and creates it the first time. It stays the same:
    /// the answers of two secrets reveal more than those of one.
    func reducedSecret() -> ReducedSecret {
        if let secret { return secret }
        let new = ReducedSecret()
        secret = new
        isSecretUnsaved = true
        if isLoaded { save(at: HostClock.now) }
        return new
    }

    /// Writes everything again if the file was damaged or lost and has been replaced by another
    /// one, and what could not be written before.
    func endTurn(at now: Instant) {
        guard isLoaded else { return }
        if let nextSave, nextSave <= now { save(at: now) }
        guard nextReplacement <= now else { return }
        do throws(StoreError) { try saveAgainIfReplaced(at: now) } catch {
            log.critical("cannot store permissions again: \(error); a restart would lose them. \(error.remedy)")
        }
    }

    /// Stores a change. If that finds another file, everything is written to it before the change.
    private func change(_ save: () throws(StoreError) -> Void) throws(StoreError) {
        try save()
        guard store.replacementCount != replacementCount else { return }
        try saveAgainIfReplaced(at: HostClock.now)
        try save()
    }

    private func saveAgainIfReplaced(at now: Instant) throws(StoreError) {
        guard store.replacementCount != replacementCount else { return }
        nextReplacement = now + PermissionCenter.retryInterval
        try store.replace(
            with: PermissionStore.Contents(
                decisions: decisions, locationSwitch: locationSwitch, leases: table.leaseHolders, secret: secret))
        replacementCount = store.replacementCount
    }

    /// Stores the leases if they have changed, before their calls are answered.
    func saveLeases() {
        guard areLeasesUnsaved, isLoaded, nextSave == nil else { return }
        save(at: HostClock.now)
    }

    private func save(at now: Instant) {
        do throws(StoreError) {
            if areLeasesUnsaved { try store.save(table.leaseHolders) }
            areLeasesUnsaved = false
            if isSecretUnsaved, let secret { try store.save(secret) }
            isSecretUnsaved = false
            nextSave = nil
            hasLoggedSaveError = false
        } catch {
            if !hasLoggedSaveError {
                log.error("cannot save leases or the secret of reduced locations: \(error); \(error.remedy)")
            }
            hasLoggedSaveError = true
            nextSave = now + PermissionCenter.retryInterval
        }
    }
}

// MARK: Verdicts
extension PermissionCenter {
    func verdict(of program: ProgramID) -> PermissionVerdict { table.verdict(of: program) }

    /// Records that a program begins a stream or a call that needs the location.
    func beginRequest(of program: ProgramID) -> PermissionVerdict {
        let verdict = table.beginRequest(of: program)
        if let detail = verdict.detail(for: program), admits(.refusal, about: program) {
            log.notice(
                "\(detail)", .refusal,
                ["program": "\(program)", "authorization": "\(verdict.authorization.rawValue)"])
        }
        return verdict
    }

    /// Whether to write a message about a program now.
    private func admits(_ kind: ProgramNotices.Kind, about program: ProgramID) -> Bool {
        notices.admits(kind, about: program, at: HostClock.now)
    }

    /// Records the end of a stream or a call.
    func endRequest(of program: ProgramID) { table.endRequest(of: program) }

    func follow(_ program: ProgramID) -> PermissionVerdict { table.follow(program) }

    /// Ends ``follow(_:)``.
    func unfollow(_ program: ProgramID) { table.unfollow(program) }

    /// When ``tick(at:)`` and ``endTurn(at:)`` are due; `nil` if nothing is.
    var deadline: Instant? {
        let isReplaced = isLoaded && store.replacementCount != replacementCount
        return earliest(earliest(table.deadline, nextLoad), earliest(nextSave, isReplaced ? nextReplacement : nil))
    }

    /// Ends the grace periods that are over, and reads what could not be read before.
    func tick(at now: Instant) {
        if let nextLoad, nextLoad <= now { loadAgain(at: now) }
        table.tick(at: now)
    }

    var hasEffects: Bool { table.hasEffects }

    /// Moves the effects that wait into `output`.
    func drainEffects(into output: inout [PermissionEffect]) { table.drainEffects(into: &output) }
}

// MARK: Decisions
extension PermissionCenter {
    var policy: PermissionPolicy { table.rules }
    /// The decisions of administrators and agents.
    var decisions: [ProgramID: PermissionDecision] { table.decisions }
    var locationSwitch: LocationSwitch { table.locationSwitch }

    /// Returns whether a client may change permissions: user 0, or a member of a group that the
    /// configuration names, in a terminal or a service of the user. An application, or a service of
    /// the system, could otherwise allow itself the location.
    func mayBeChanged(by session: ClientSession) -> Bool {
        guard session.peer.user != 0 else { return true }
        return session.owner.actsForUser && !policy.administratorGroups.isDisjoint(with: session.state.groups)
    }

    /// Decides about a program, or deletes the decision with `nil`. The decision is on disk before
    /// it applies.
    ///
    /// - Returns: The rule of the configuration that decides instead; `nil` if the decision does.
    func decide(_ decision: PermissionDecision?, about program: ProgramID) throws(StoreError) -> RulePlace? {
        try load(at: HostClock.now)
        try change { () throws(StoreError) in try store.save(decision, about: program) }
        log(decision, about: program)
        return table.decide(decision, about: program)
    }

    /// Switches location on or off for all programs.
    func set(_ locationSwitch: LocationSwitch) throws(StoreError) {
        try load(at: HostClock.now)
        try change { () throws(StoreError) in try store.save(locationSwitch) }
        let (state, id) = locationSwitch.isOn ? ("on", JournalMessageID.enable) : ("off", .disable)
        let user = locationSwitch.user ?? 0
        log.notice("user \(user) switched location \(state)", id, ["user": "\(user)"])
        table.set(locationSwitch)
    }

    private func log(_ decision: PermissionDecision?, about program: ProgramID) {
        var fields: Logger.Metadata = ["program": "\(program)"]
        guard let decision else {
            return log.notice("the decision about the program \(program) was deleted", .revocation, fields)
        }
        let isReduced = decision.accuracy == .reduced
        let location = isReduced ? "a reduced location" : "the location"
        let text =
            switch decision.authorization {
            case .denied, .unknown: "may not know the location"
            case .whenInUse: "may know \(location) while it is in use"
            case .always: "may know \(location) at any time"
            }
        fields["user"] = "\(decision.author.user)"
        fields["authorization"] = "\(decision.authorization.rawValue)"
        fields["accuracy"] = "\(decision.accuracy.rawValue)"
        switch decision.author {
        case .agent(let user):
            log.notice("the program \(program) \(text), answer of user \(user) to an agent", .agentAnswer, fields)
        case .administrator(let user):
            let id: JournalMessageID =
                decision.authorization == .denied ? .denial : isReduced ? .limit : .grant
            log.notice("the program \(program) \(text), decision of user \(user)", id, fields)
        }
    }
}

// MARK: Sessions, leases and agents
extension PermissionCenter {
    /// Declares what a program needs, and returns the first diagnostics.
    func declare(
        _ requirement: SessionRequirement, purpose: String?, usageDescription: String?, isImplicit: Bool,
        for client: PermissionClientID, of program: ProgramID
    ) -> PermissionFlags {
        table.declare(
            requirement, purpose: purpose, usageDescription: usageDescription, isImplicit: isImplicit, for: client,
            of: program)
    }

    /// Why a program wants the location, as it states in an open session.
    func usageDescription(of program: ProgramID) -> String? { table.usageDescription(of: program) }

    /// Returns the diagnostics that such a session would get first. No agent is asked.
    func diagnostics(_ requirement: SessionRequirement, purpose: String?, of program: ProgramID) -> PermissionFlags {
        var trial = table
        return trial.declare(requirement, purpose: purpose, for: PermissionClientID(-1), of: program)
    }

    func endSession(_ client: PermissionClientID, at now: Instant) { table.endSession(client, at: now) }

    func endGrace(of program: ProgramID) { table.endGrace(of: program) }

    /// Begins a lease. Returns `false` if the program is not in use.
    func keepActive(_ client: PermissionClientID, of program: ProgramID) -> Bool {
        let fields: Logger.Metadata = ["program": "\(program)"]
        guard table.keepActive(client, of: program, date: HostClock.utc) else {
            if admits(.leaseRefusal, about: program) {
                log.notice("the program \(program) gets no lease, because it is not in use", .refusal, fields)
            }
            return false
        }
        leaseStarts[client] = (program, HostClock.now)
        if admits(.lease, about: program) {
            log.notice("the program \(program) counts as in use, because it holds a lease", .lease, fields)
        }
        return true
    }

    /// The duration of a lease below which its program has probably not kept the connection.
    private static let briefLease = Instant.Span.seconds(1)

    /// Starts the grace period of a lease.
    func releaseLease(_ client: PermissionClientID, at now: Instant) {
        table.releaseLease(client, at: now)
        guard let start = leaseStarts.removeValue(forKey: client), now - start.at < PermissionCenter.briefLease,
            admits(.briefLease, about: start.program)
        else { return }
        log.warning(
            """
            the program \(start.program) ended its lease at once; keep the session, or its connection, as long as the \
            location is needed
            """,
            .lease, ["program": "\(start.program)"])
    }

    func hasLease(_ program: ProgramID) -> Bool { table.leaseHolders.contains { $0.program == program } }

    var openSessions: [OpenSession] { table.openSessions }

    var leaseHolders: [(program: ProgramID, since: UTCTime)] { table.leaseHolders }

    func holdsLease(_ program: ProgramID) -> Bool { table.holdsLease(program) }

    /// Records that leases have changed. They are stored once for all calls of a turn.
    func leasesChanged() {
        areLeasesUnsaved = true
        nextSave = nil
    }

    func addAgent(_ agent: PermissionClientID, user: UInt32) { table.addAgent(agent, user: user) }

    func removeAgent(_ agent: PermissionClientID) { table.removeAgent(agent) }

    /// The maximum number of stored answers of a user. A user can have any number of programs.
    private static let maxStoredAnswers = 256

    private func storedAnswers(of user: UInt32) -> Int { decisions.values.count { $0.author == .agent(user: user) } }

    /// The accuracy that an answer of an agent gives unless it says which.
    func defaultAccuracy(ofRequest number: Int, askedOf user: UInt32) -> AccuracyAuthorization {
        table.request(number, askedOf: user).map { table.defaultAccuracy(ofAnswerAbout: $0.program) } ?? .full
    }

    /// Applies an answer of an agent. An answer that cannot be saved, or exceeds the limit of its
    /// user, counts until the program ends its sessions.
    ///
    /// - Parameter agent: The program of the agent, which cannot answer about itself. A login
    ///   session is not one program.
    /// - Returns: Whether the request was open for this user.
    func answer(_ number: Int, with decision: PermissionDecision, by agent: ProgramID, isTemporary: Bool) -> Bool {
        guard let request = table.request(number, askedOf: decision.author.user),
            request.program != agent || agent.unit == nil
        else { return false }
        let user = decision.author.user
        // Another answer about a program replaces the stored one.
        let isStored = decisions[request.program]?.author == .agent(user: user)
        var isTemporary =
            isTemporary || !isStored && storedAnswers(of: user) >= PermissionCenter.maxStoredAnswers
        if !isTemporary {
            do throws(StoreError) { try store.save(request.answered(with: decision), about: request.program) } catch {
                log.error("cannot save an answer about \(request.program): \(error); it counts until the program ends")
                isTemporary = true
            }
        }
        log(decision, about: request.program)
        return table.answer(number, with: decision, isTemporary: isTemporary) != nil
    }
}
