internal import Dispatch
import Foundation
internal import SextantAPI
internal import Varlink
internal import VarlinkClient

/// The tasks of one ``CLLocationManager``.
final class ManagerCore: Sendable {
    /// What a manager does for its delegate until it is stopped.
    enum Activity: Hashable, Sendable {
        case authorization
        case updates
        case oneLocation
        case significantChanges
        case visits
        case headings
        case ranging(Ranging)
    }

    /// The beacons that are ranged.
    struct Ranging: Hashable, Sendable {
        var identity: CLBeaconIdentityConstraint.Identity
        /// The identifier of the region; nil for a constraint.
        var region: String?
    }

    /// What the program may know.
    struct Permission: Sendable, Equatable {
        var status = CLAuthorizationStatus.notDetermined
        var accuracy = CLAccuracyAuthorization.fullAccuracy
    }

    private struct State {
        var tasks: [Activity: Task<Void, Never>] = [:]
        var sessions: [String: SessionDeclaration] = [:]
        var request: SubscribeParameters?
        var location: CLLocation?
        var heading: CLHeading?
    }

    /// How long the watch of the permission waits after a failure.
    private static let retryDelay = Duration.seconds(5)

    let transport: Transport
    let delegates: DelegateQueue
    private let state = Locked(State())

    init(queue: DispatchQueue, transport: Transport) {
        delegates = DelegateQueue(queue)
        self.transport = transport
    }

    var regions: RegionWatch { RegionWatch.shared(of: transport) }

    /// Passes a location to the delegate.
    func deliver(_ location: CLLocation) {
        state.withLock { $0.location = location }
        delegates.deliver(location)
    }

    /// Passes a heading to the delegate.
    func deliver(_ heading: CLHeading) {
        state.withLock { $0.heading = heading }
        delegates.deliver(heading)
    }

    // MARK: Tasks

    /// Begins an activity. One that is active is replaced.
    func run(_ activity: Activity, _ body: @escaping @Sendable (ManagerCore) async -> Void) {
        let task = Task { [weak self] in
            guard let self else { return }
            await body(self)
        }
        state.withLock { $0.tasks.updateValue(task, forKey: activity) }?.cancel()
    }

    var ranged: [Ranging] {
        state.withLock { state in
            state.tasks.keys.compactMap { if case .ranging(let ranging) = $0 { ranging } else { nil } }
        }
    }

    /// Whether an activity was begun and not stopped.
    func isRunning(_ activity: Activity) -> Bool { state.withLock { $0.tasks[activity] != nil } }

    func stop(_ activity: Activity) {
        let task = state.withLock { state in
            if activity == .updates { state.request = nil }
            return state.tasks.removeValue(forKey: activity)
        }
        task?.cancel()
    }

    /// Ends all activities and sessions.
    func stopAll() {
        let (tasks, sessions) = state.withLock { state in
            defer {
                state.tasks = [:]
                state.sessions = [:]
            }
            return (Array(state.tasks.values), Array(state.sessions.values))
        }
        for task in tasks { task.cancel() }
        for session in sessions { session.end() }
        regions.remove(self)
    }

    // MARK: Permission

    /// Watches what the program may know for a new delegate, and delivers events of regions.
    func delegateChanged(hasDelegate: Bool) {
        guard hasDelegate else {
            regions.remove(self)
            return stop(.authorization)
        }
        regions.add(self)
        run(.authorization) { core in
            var last: Permission?
            while !Task.isCancelled {
                let call = core.transport.stream(
                    SessionMethods.watchAuthorization, NoParameters(), delivery: .latest)
                while let reply = try? await call.next()?.reply(to: SessionMethods.watchAuthorization) {
                    let permission = Permission(reply)
                    if permission != last { core.delegates.deliver(permission) }
                    last = permission
                }
                if last == nil, !Task.isCancelled {
                    last = Permission()
                    core.delegates.deliver(Permission())
                }
                // No daemon has answered for a while.
                try? await Task.sleep(for: Self.retryDelay)
            }
        }
    }

    /// What the program may know now.
    func permission() -> Permission {
        (try? transport.callBlocking(SessionMethods.getAuthorization, NoParameters())).map(Permission.init)
            ?? Permission()
    }

    /// Whether it was decided what the program may know.
    func isDetermined() async throws -> Bool {
        Permission(try await transport.call(SessionMethods.getAuthorization, NoParameters())).status != .notDetermined
    }

    /// Declares what the program needs, until the manager is released.
    @discardableResult
    func declare(_ requirement: SessionRequirement, purpose: String? = nil) -> SessionDeclaration {
        let session = SessionDeclaration(requirement, purpose: purpose, of: transport)
        let key = purpose.map { "purpose \($0)" } ?? requirement.rawValue
        state.withLock { $0.sessions.updateValue(session, forKey: key) }?.end()
        return session
    }

    /// Declares a purpose, and returns when it gives full accuracy.
    func declarePurpose(_ purpose: String) async throws {
        let session = declare(.whenInUse, purpose: purpose)
        for try await flags in session.diagnostics.reader() where !flags.contains(.authorizationRequestInProgress) {
            guard !flags.isDisjoint(with: PermissionFlags.blocking.union(.fullAccuracyDenied)) else { return }
            let reason =
                flags.contains(.fullAccuracyDenied)
                ? "the purpose “\(purpose)” gives no full accuracy" : "the program may not know the location"
            throw CLError(.promptDeclined, because: reason)
        }
        throw CLError(.network, because: "sextantd has ended the session")
    }

    static func isLocationEnabled(of transport: Transport) -> Bool {
        guard let reply = try? transport.callBlocking(ManagerMethods.getStatus, NoParameters()) else { return false }
        return reply.status.enabled ?? true
    }

    // MARK: Last values

    /// The last location of a task or of the daemon.
    func lastLocation() -> CLLocation? {
        if let location = state.withLock({ $0.location }) { return location }
        let parameters = GetLocationParameters(maximumAge: 86_400, timeout: 0)
        return (try? transport.callBlocking(LocationMethods.getLocation, parameters)).map { CLLocation($0) }
    }

    var lastHeading: CLHeading? { state.withLock { $0.heading } }

    /// Forgets the options of updates that have ended, unless others have begun.
    func forget(_ request: SubscribeParameters) {
        state.withLock { if $0.request == request { $0.request = nil } }
    }

    /// Notes the options of updates. Returns whether updates are active with others.
    func note(_ request: SubscribeParameters, isStart: Bool) -> Bool {
        state.withLock { state in
            guard isStart || state.request != nil, state.request != request else { return false }
            state.request = request
            return true
        }
    }
}

extension ManagerCore.Permission {
    /// The permission of a reply of `io.sextant.Session`.
    init(_ reply: AuthorizationReply) {
        status =
            switch reply.permission.authorization {
            case .restricted: .restricted
            case .denied: .denied
            case .always: .authorizedAlways
            case .whenInUse: .authorizedWhenInUse
            case .notDetermined, .unknown: .notDetermined
            }
        accuracy = reply.permission.accuracy == .reduced ? .reducedAccuracy : .fullAccuracy
    }
}
