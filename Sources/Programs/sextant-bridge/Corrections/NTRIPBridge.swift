import Bridges
import Chronology
import Glibc
import ServiceRuntime
import Settings
import SextantAPI
import SystemCalls
import Varlink

/// The role `inlet` with a caster: fetches corrections, and writes them to a receiver through the
/// daemon.
///
/// It asks for no location itself: while no other program uses the receiver, there is no connection
/// to the caster.
final class NTRIPBridge {
    /// The age in seconds up to which the first location of the stream is the present one.
    private static let maxAge = 10.0

    private let loop: EventLoop
    private let log: ProgramLog
    private let caster: HostPort
    private let writer: CorrectionWriter
    private var session: NTRIPSession
    private var connection: (any RepeatedConnection)?
    private var updates: DaemonStream<SubscribeParameters, SubscribeReply>?
    private var problem = RepeatedProblem()
    private var simulation = RepeatedProblem()

    /// Creates the bridge. It connects to the caster when the receiver has a position.
    ///
    /// - Parameters:
    ///   - authorities: The file with the certificates that a caster's certificate is verified
    ///     with; nil for those of the system.
    ///   - receiver: The receiver that gets the corrections; nil for the primary one.
    ///   - socket: The path of the daemon's socket.
    init(
        _ address: NTRIPAddress, password: String, authorities: String?, receiver: String?, socket: String,
        loop: EventLoop, log: ProgramLog
    ) throws(SystemError) {
        self.loop = loop
        self.log = log
        caster = address.caster
        session = NTRIPSession(
            NTRIPRequest(
                host: address.caster.description, mountpoint: address.mountpoint, user: address.user,
                password: password, agent: "Sextant/\(SextantVersion.current)"))
        writer = CorrectionWriter(
            source: "\(address.caster.host)/\(address.mountpoint)", receiver: receiver, to: socket, in: loop, log: log)
        updates = DaemonStream(LocationMethods.subscribe, of: socket, in: loop, isInSession: true) {
            [weak self] event in
            switch event {
            case .reply(let reply): self?.receive(reply)
            case .lost(let error): self?.report("\(error)")
            }
        }
        updates?.request(SubscribeParameters(receiver: receiver, passive: true))
        let handler = { [weak self] (event: HostConnection.Event) in
            guard let self else { return }
            switch event {
            case .started: session.connected(at: loop.now)
            case .received(let bytes): session.receive(bytes, at: loop.now)
            case .failed(let reason): session.connectionEnded(reason, at: loop.now)
            }
        }
        connection =
            address.isEncrypted
            ? EncryptedConnection(to: address.caster, authorities: authorities, in: loop, handler: handler)
            : HostConnection(to: address.caster, in: loop, handler: handler)
        loop.onDeadline = { [unowned self] now in
            updates?.tick(at: now)
            session.tick(at: now)
        }
        loop.afterEachIteration = { [unowned self] in finishTurn() }
        loop.setDeadline(deadline)
    }

    private var deadline: Instant? { earliest(updates?.deadline, session.deadline) }

    private func receive(_ reply: SubscribeReply) {
        // Any flag means that the program may not know the exact location.
        guard reply.permission.isEmpty else { return session.permissionEnded(at: loop.now) }
        guard let location = reply.location, reply.locationUnavailable != true, reply.age ?? 0 <= NTRIPBridge.maxAge
        else { return }
        if let reason = location.simulationReason, simulation.shouldLog(reason) {
            log.write(reason, priority: .warning)
        }
        session.receive(location, at: loop.now)
    }

    private func finishTurn() {
        var actions = session.takeActions()
        while !actions.isEmpty {
            for action in actions { perform(action) }
            actions = session.takeActions()
        }
        loop.setDeadline(deadline)
    }

    private func perform(_ action: NTRIPSession.Action) {
        switch action {
        case .connect: connection?.open()
        case .send(let bytes): connection?.send(bytes)
        case .close: connection?.close()
        case .write(let frames):
            problem.reset()
            connection?.recordSuccess()
            writer.write(frames)
        case .report(let problem): report(problem)
        }
    }

    /// Logs each problem once.
    private func report(_ reason: String) {
        if problem.shouldLog(reason) { log.write("\(caster): \(reason); trying again later", priority: .warning) }
    }
}
