import Chronology
import Locator
import Permission
import ServiceRuntime
import Varlink

/// The services of the daemon, in the order of the turn, and what they do together.
final class DaemonServices {
    let location: LocationService
    let receivers: ReceiverService
    let feeds: FeedService
    let monitors: MonitorService
    let track: TrackService
    let station: StationService
    private let visits: VisitService
    private let headings: HeadingService
    private let sessions: SessionService
    private let agents: AgentService
    /// All services in the order of the turn: events come first, and the preparation of the next
    /// update last.
    let all: [any Service]
    private let byMethod: [String: any Service]
    private let context: ServiceContext
    /// The effects that are performed; empty between turns.
    private var effects: [Effect] = []
    private var permissionEffects: [PermissionEffect] = []

    init(_ context: ServiceContext) {
        self.context = context
        track = TrackService(context)
        station = StationService(context)
        location = LocationService(context, track: track)
        let sentences = SentenceService(context)
        receivers = ReceiverService(context, location: location, sentences: sentences)
        feeds = FeedService(context, location: location, sentences: sentences)
        monitors = MonitorService(context)
        visits = VisitService(context)
        headings = HeadingService(context)
        sessions = SessionService(context)
        agents = AgentService(context)
        let assistance = AssistanceService(context)
        let beacons = BeaconService(context, monitors: monitors)
        receivers.assistance = assistance
        all = [
            monitors,
            station,
            ManagerService(
                context, location: location, receivers: receivers, monitors: monitors, track: track, beacons: beacons),
            MotionService(context),
            assistance,
            sessions,
            agents,
            PermissionService(
                context, location: location, visits: visits.store, track: track, assistance: assistance),
            receivers,
            feeds,
            CorrectionService(context, feeds: feeds, receivers: receivers),
            sentences,
            location,
            track,
            visits,
            headings,
            beacons,
            SuspendService(context, receivers: receivers),
        ]
        byMethod = Dictionary(
            all.flatMap { service in service.methods.map { ($0, service) } }, uniquingKeysWith: { first, _ in first })
        receivers.contributors = all.compactMap { $0 as? any ReceiverContributor }
    }

    /// Answers a call or begins its stream.
    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        guard let service = byMethod[call.method] else { throw call.methodNotImplemented }
        station.updateClock(at: context.loop.now)
        try service.handle(call, from: session)
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        context.uses.sessionClosed(session, at: now)
        for service in all { service.sessionClosed(session, at: now) }
    }

    func apply(_ settings: Settings, at now: Instant) {
        context.apply(settings, at: now)
        for service in all { service.apply(settings, at: now) }
    }

    /// When ``tick(at:)`` is due; nil if it is not.
    var deadline: Instant? {
        let core = context.locator.deadline(isWatched: receivers.isWatched)
        return all.reduce(core) { earliest($0, $1.deadline) }
    }

    /// Performs due work.
    func tick(at now: Instant) {
        receivers.tickPorts(at: now)
        for service in all {
            service.tick(at: now)
            // The services behind that of the permissions find its changes applied.
            if context.permissions.hasEffects { performPermissionEffects(at: now) }
        }
        for id in context.locator.tick(at: now) { receivers.burstEnded(id, at: now) }
    }

    /// Performs the effects of the core, and ends the turn of each service.
    func endTurn(at now: Instant) {
        repeat {
            performPermissionEffects(at: now)
            monitors.applyConditionChanges(at: now)
            context.locator.drainEffects(into: &effects)
            for effect in effects { perform(effect, at: now) }
            // Recorded events may change the monitored conditions: an expired one makes room for
            // another.
        } while !effects.isEmpty || context.permissions.hasEffects
        for service in all { service.endTurn(at: now) }
    }

    func stop(at now: Instant) { for service in all { service.stop(at: now) } }
}

// MARK: Effects
extension DaemonServices {
    private func perform(_ effect: Effect, at now: Instant) {
        switch effect {
        case .request(let effect): location.perform(effect, at: now)
        case .visit(let visit, let watchers): visits.publish(visit, to: watchers)
        case .heading(let update, let watchers): headings.publish(update, to: watchers)
        case .receiver(let effect): receivers.perform(effect, at: now)
        case .fence(let effect): monitors.perform(effect, at: now)
        }
    }

    /// Performs the effects of the permissions, and saves leases that have changed.
    func performPermissionEffects(at now: Instant) {
        context.permissions.drainEffects(into: &permissionEffects)
        for effect in permissionEffects { perform(effect, at: now) }
        permissionEffects.removeAll(keepingCapacity: true)
        context.permissions.saveLeases()
    }

    private func perform(_ effect: PermissionEffect, at now: Instant) {
        switch effect {
        case .verdictChanged(let program, _):
            // A later effect of this turn may have changed it again.
            let verdict = context.permissions.verdict(of: program)
            let requests = context.uses.willChangeVerdict(of: program)
            for service in all { service.verdictChanged(of: program, to: verdict, at: now) }
            context.uses.didChangeVerdict(of: program, for: requests, at: now)
        case .diagnosticsChanged(let client, let flags): sessions.diagnosticsChanged(of: client, to: flags)
        case .ask(let agent, let request): agents.ask(request, agent: agent)
        case .withdraw(let agent, let request): agents.withdraw(request, agent: agent)
        case .leaseChanged(let program):
            context.permissions.leasesChanged()
            sessions.leaseChanged(of: program)
        }
    }
}
