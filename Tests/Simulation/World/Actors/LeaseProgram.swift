import Chronology
import SextantAPI
import Varlink

/// A service that may know the location while it is in use, and holds a lease: it stays in use when
/// its user has logged out, and after restarts of the daemon.
final class LeaseProgram: Actor {
    let name = "lease"
    private static let user: UInt32 = 1005
    /// The place of its user among those of the machine, after those of ``LoginManager``.
    private static let userIndex: Int32 = 4
    static let program = "1005:lease.service"
    /// A lease outlives its connection for 60 s.
    private static let longestPause = Instant.Span.seconds(50)

    private let peer = Machine.Peer(process: 5100, user: LeaseProgram.user, unit: "lease.service")
    private let administrator = Machine.Peer(process: 5101, user: 0)
    private let plan: RunPlan
    private var random: RandomStream
    private var agenda = Agenda()
    private var connections: [Connection] = []
    private var lease: Connection?
    /// When the daemon has confirmed the lease last.
    private var heldSince: Instant?
    /// A lease that could not be saved is saved soon after the disk works again.
    private static let saveTime = Instant.Span.seconds(60)
    /// Whether the daemon has confirmed the lease.
    private var isHeld = false
    /// Whether it is on disk: the disk has worked since.
    private var isSaved = false
    /// When the last connection with the lease ended, or the daemon was ready after that.
    private var pausedSince: Instant?
    /// How long the machine had been suspended by then: its time counts for a lease too.
    private var suspendedAtPause: Int64 = 0

    init(_ plan: RunPlan) {
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: name)
        agenda.at(.zero) { [unowned self] world in decide(.whenInUse, in: world) { [unowned self] in begin(in: $0) } }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private func later(_ span: Range<Double>, in world: World, _ action: @escaping (World) -> Void) {
        agenda.at(world.now + random.span(span), action)
    }

    func receive(in world: World) {
        for connection in connections where connection.hasInput(in: world) { connection.pump(in: world) }
        connections.removeAll { !$0.isOpen }
        if let lease, !lease.isOpen { pause(in: world) }
    }

    func daemonEnded(in world: World) {
        for connection in connections { connection.close(in: world) }
        connections = []
        if lease != nil { pause(in: world) }
    }

    private func connect(as peer: Machine.Peer, in world: World) -> Connection? {
        guard let connection = Connection(name, as: peer, in: world) else { return nil }
        connections.append(connection)
        return connection
    }

    /// The administrator decides about the program, until that is confirmed.
    private func decide(
        _ authorization: AuthorizationChoice, in world: World, then next: @escaping (World) -> Void
    ) {
        guard let connection = connect(as: administrator, in: world) else {
            return later(1..<5, in: world) { [unowned self] in decide(authorization, in: $0, then: next) }
        }
        let parameters = SetParameters(program: LeaseProgram.program, authorization: authorization)
        connection.call(PermissionMethods.set, parameters, in: world) { [unowned self] answer in
            if case .reply = answer {
                agenda.at(world.now, next)
            } else {
                later(1..<10, in: world) { [unowned self] in decide(authorization, in: $0, then: next) }
            }
            connection.close(in: world)
        }
    }

    private func begin(in world: World) {
        // Without logind all programs are in use, also those without a lease.
        if !plan.has(.logins) { world.machine.setLogind(true) }
        logIn(in: world)
        keepActive(in: world)
        look(in: world)
        renew(in: world)
    }

    private func logIn(in world: World) {
        (isHeld, isSaved) = (false, false)
        world.machine.setSession(of: LeaseProgram.user, at: LeaseProgram.userIndex, isActive: true)
    }

    /// Now and then the lease ends, and another one begins with the user.
    private func renew(in world: World) {
        later(100..<4000, in: world) { [unowned self] world in
            guard !world.faultsHaveEnded else { return }
            renew(in: world)
            guard let lease else { return }
            self.lease = nil
            logIn(in: world)
            lease.close(in: world)
            agenda.at(world.now + .seconds(70)) { [unowned self] in
                beginInTrouble(in: $0, until: $0.now + .seconds(900))
            }
        }
    }

    /// Begins the lease while the disk has trouble, if it has some before a time.
    private func beginInTrouble(in world: World, until end: Instant) {
        guard world.diskWorks, world.now < end, !world.faultsHaveEnded else { return keepActive(in: world) }
        agenda.at(world.now + .seconds(5)) { [unowned self] in beginInTrouble(in: $0, until: end) }
    }

    // MARK: The lease

    private func keepActive(in world: World) {
        guard lease == nil else { return }
        guard let connection = connect(as: peer, in: world) else {
            return later(0.5..<5, in: world) { [unowned self] in keepActive(in: $0) }
        }
        lease = connection
        connection.call(SessionMethods.keepActive, NoParameters(), mode: .more, in: world) { [unowned self] answer in
            switch answer {
            case .reply(let reply, _):
                world.require(reply.held || world.locationMayBeOff(), 28, "the lease was revoked")
                isHeld = true
                heldSince = world.now
                pausedSince = nil
                isSaved = isSaved || world.diskWorks
                // The user goes: only the lease keeps the program in use.
                world.machine.setSession(of: LeaseProgram.user, at: LeaseProgram.userIndex, isActive: nil)
                breakOff(connection, in: world)
                if world.breaks(28) { decide(.denied, in: world) { _ in } }
            case .error:
                judgeRefusal(in: world)
                lease = nil
                connection.close(in: world)
                later(1..<10, in: world) { [unowned self] in keepActive(in: $0) }
            case .lost: break
            }
        }
    }

    private func judgeRefusal(in world: World) {
        let wasSuspended = pausedSince != nil && world.machine.suspended != suspendedAtPause
        let isRecent = pausedSince.map { world.now - $0 < LeaseProgram.longestPause } ?? true
        let mustHold =
            isHeld && isSaved && isRecent && !wasSuspended && world.diskWorks && !world.manager.deniesAll
            && !world.locationMayBeOff()
        world.require(!mustHold, 28, "a lease that was confirmed is not continued")
        logIn(in: world)
    }

    /// Closes the connection now and then, and continues the lease within its time.
    private func breakOff(_ connection: Connection, in world: World) {
        guard plan.has(.crashingPrograms), !world.faultsHaveEnded else { return }
        later(10..<4000, in: world) { [unowned self] world in
            guard connection === lease, !world.faultsHaveEnded else { return }
            connection.close(in: world)
            pause(in: world)
        }
    }

    private func pause(in world: World) {
        lease = nil
        pausedSince = world.now
        suspendedAtPause = world.machine.suspended
        later(0.05..<40, in: world) { [unowned self] world in
            // The time of a lease begins again with the daemon.
            if let ready = world.manager.readySince { pausedSince = pausedSince.map { max($0, ready) } }
            keepActive(in: world)
        }
    }

    /// Looks whether the program counts as in use.
    private func look(in world: World) {
        later(10..<600, in: world) { [unowned self] in look(in: $0) }
        isSaved = isSaved || isHeld && world.diskWorks
        if isConfirmed, let heldSince, world.diskWorks, !world.locationMayBeOff(),
            world.now - max(heldSince, world.diskChanged) > LeaseProgram.saveTime
        {
            StoreJudge.judgeLease(in: world)
        }
        guard isHeld, lease != nil, let connection = connect(as: peer, in: world) else { return }
        let held = lease
        connection.call(SessionMethods.getAuthorization, NoParameters(), in: world) { [unowned self] answer in
            if case .reply(let reply, _) = answer, held === lease, !world.manager.deniesAll {
                world.require(
                    !reply.permission.permission.contains(.insufficientlyInUse), 28,
                    "the program holds a lease and is not in use: \(reply.permission)")
            }
            connection.close(in: world)
        }
    }

    /// Whether the daemon has confirmed its lease, and its connection is open.
    var isConfirmed: Bool { isHeld && lease != nil }

    func finish(in world: World) {
        world.require(isConfirmed, 28, "the program has no lease")
    }
}
