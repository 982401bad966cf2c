import Chronology
import Locator
import Logging
import Permission
import SQLite
import ServiceRuntime
import SextantAPI
import StateStore
import SystemCalls
import Varlink

/// Serves `io.sextant.Permission`: decisions about programs, the location switch, and the record of
/// use.
final class PermissionService: Service {
    /// The valid number of records per page.
    private static let pageSizes = 1...100

    let context: ServiceContext
    let methods = [
        PermissionMethods.set.name, PermissionMethods.remove.name, PermissionMethods.list.name,
        PermissionMethods.explain.name, PermissionMethods.setEnabled.name, PermissionMethods.getUsage.name,
        PermissionMethods.forget.name,
    ]
    private let location: LocationService
    private let visits: VisitStore
    private let track: TrackService
    private let assistance: AssistanceService

    init(
        _ context: ServiceContext, location: LocationService, visits: VisitStore, track: TrackService,
        assistance: AssistanceService
    ) {
        self.context = context
        self.location = location
        self.visits = visits
        self.track = track
        self.assistance = assistance
    }

    /// When ``tick(at:)`` and ``endTurn(at:)`` are due; nil if nothing is.
    var deadline: Instant? { earliest(permissions.deadline, context.uses.deadline) }

    func tick(at now: Instant) { permissions.tick(at: now) }

    func endTurn(at now: Instant) {
        context.uses.endTurn(at: now)
        // Last: any of the above, and any service before, may have found the database damaged.
        permissions.endTurn(at: now)
    }

    func stop(at now: Instant) { context.uses.finish(at: now) }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case PermissionMethods.set.name:
            try session.serve(PermissionMethods.set, call: call) { parameters throws(VarlinkError) in
                let decision = PermissionDecision(
                    parameters.authorization, accuracy: parameters.accuracy ?? .full,
                    by: .administrator(user: session.peer.user), at: HostClock.utc)
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
        case PermissionMethods.getUsage.name:
            try session.serve(PermissionMethods.getUsage, call: call) { parameters throws(VarlinkError) in
                try usage(parameters, for: session)
            }
        case PermissionMethods.forget.name: session.reply(to: PermissionMethods.forget, try forget(for: session))
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
            try permissions.set(LocationSwitch(isOn: isEnabled, user: session.peer.user, date: HostClock.utc))
        }
        return NoParameters()
    }

    /// Returns the decisions that the caller may see: all for an administrator, else those about
    /// the programs of its own user.
    private func list(for session: ClientSession) -> ListGrantsReply {
        let seesAll = permissions.mayBeChanged(by: session)
        let decisions = permissions.decisions.filter { seesAll || $0.key.user == session.peer.user }
        let grants = decisions.sorted { $0.key < $1.key }.map { program, decision in
            let place = permissions.policy.rule(for: program)?.placeOverruling(decision)
            return Grant(
                decision, about: program, overruledBy: place,
                usageDescription: permissions.usageDescription(of: program))
        }
        return ListGrantsReply(permissions.policy, grants: grants, locationSwitch: permissions.locationSwitch)
    }

    private func explain(_ name: String?, to session: ClientSession) throws(VarlinkError) -> Permission {
        let program = try name.map { (name) throws(VarlinkError) in try self.program(named: name) } ?? session.owner
        if program.user != session.peer.user { try requireAdministrator(session) }
        return Permission(permissions.verdict(of: program), of: program)
    }

    private func program(named text: String) throws(VarlinkError) -> ProgramID {
        // A namespace has the permission of its program.
        if let program = ProgramID(text), program.namespace == nil { return program }
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

// MARK: The record of use
extension PermissionService {
    private func usage(
        _ parameters: GetUsageParameters, for session: ClientSession
    ) throws(VarlinkError) -> GetUsageReply {
        let limit = parameters.limit ?? PermissionService.pageSizes.upperBound
        guard PermissionService.pageSizes.contains(limit) else { throw ServiceError.invalid("limit") }
        let number = parameters.after.map { Int64($0) } ?? .max
        guard let number, number > 0 else { throw ServiceError.invalid("after") }
        let selection = try selection(named: parameters.program, for: session)
        let page = try saving { () throws(StoreError) in
            try context.uses.page(selection, before: number, limit: limit, at: loop.now)
        }
        return GetUsageReply(records: page.records.map(Use.init), next: page.next.map { "\($0)" })
    }

    /// Returns the records that the caller may see. The use by another program reveals when
    /// the device moves, so it requires the full location.
    private func selection(named name: String?, for session: ClientSession) throws(VarlinkError) -> UseRow.Selection {
        let seesUser = permissions.verdict(of: session.owner).allowsFullLocation
        guard let name else {
            if permissions.mayBeChanged(by: session) { return .all }
            return seesUser ? .user(session.peer.user) : .program(session.owner.description)
        }
        let program = try program(named: name)
        if program != session.owner, program.user != session.peer.user || !seesUser {
            try requireAdministrator(session)
        }
        return .program(program.description)
    }

    /// Erases the record of use and the remembered positions.
    private func forget(for session: ClientSession) throws(VarlinkError) -> ForgetReply {
        try requireAdministrator(session)
        session.awaitsDisk = true
        // Positions in memory are forgotten even if the disk fails.
        let places = context.locator.forgetPositions(at: loop.now)
        location.forgetLocation()
        assistance.forgetPlace(at: loop.now)
        // First what can be erased on a full disk too.
        let points = try saving { () throws(StoreError) in try track.erase() }
        let kept = try saving { () throws(StoreError) in try visits.erase(of: nil, at: loop.now) }
        let count = try saving { () throws(StoreError) in try context.uses.erase(at: loop.now) }
        let user = session.peer.user
        log.notice(
            "user \(user) erased the record of use, the visits, the track and the last positions", .forgetting,
            ["user": "\(user)"])
        return ForgetReply(
            uses: count, positions: places.positions, visits: max(kept, places.visits), points: points)
    }
}
