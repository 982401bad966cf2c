import Chronology
import SextantAPI
import Varlink

/// A program that calls methods without a stream: single locations, the status, receivers, energy.
final class Caller: Actor {
    let name: String
    private let plan: RunPlan
    private let peer: Machine.Peer
    private var random: RandomStream
    private var connection: Connection?
    private var callTime: Instant? = .zero
    /// When the rest of a call is sent.
    private var flushTime: Instant?
    /// When the last part of a call was sent.
    private var lastSent = Instant.zero

    init(_ name: String, _ plan: RunPlan) {
        self.name = name
        self.plan = plan
        peer = Machine.Peer(process: 3000, user: plan.breakage == 29 ? 0 : 1003, unit: "caller.service")
        random = RandomStream(seed: plan.seed, purpose: name)
    }

    var deadline: Instant? { earliest(callTime, flushTime) }

    func act(in world: World) {
        if let time = flushTime, time <= world.now {
            flushTime = nil
            receive(in: world)
        }
        guard let time = callTime, time <= world.now else { return }
        callTime = world.now + random.span(0.1..<300)
        if connection == nil { connection = Connection(name, as: peer, in: world) }
        guard let connection else { return }
        if plan.has(.splitCalls) { connection.sendLimit = random.integer(in: 1..<60) }
        switch random.integer(in: 0..<6) {
        case 0: connection.call(ManagerMethods.getStatus, NoParameters(), in: world)
        case 1: connection.call(ReceiverMethods.list, NoParameters(), in: world)
        case 2: connection.call(ManagerMethods.getPower, GetPowerParameters(), in: world)
        case 3:
            connection.call(SessionMethods.getAuthorization, NoParameters(), in: world)
            listMonitors(on: connection, in: world)
        default: getLocation(on: connection, in: world)
        }
        continueSending(in: world)
        if random.chance(0.2) {
            // Sometimes before the answers have come.
            if random.chance(0.5) { connection.shutWrite(in: world) } else { connection.close(in: world) }
            if !connection.isOpen { self.connection = nil }
        }
    }

    private func listMonitors(on connection: Connection, in world: World) {
        connection.call(MonitorMethods.listMonitors, NoParameters(), in: world) { [unowned self] answer in
            guard case .reply(let reply, _) = answer else { return }
            world.require(
                reply.monitors.isEmpty, 29, "\(name) sees \(reply.monitors.map { "\($0.program)/\($0.name)" })")
        }
    }

    private func getLocation(on connection: Connection, in world: World) {
        let timeout = random.logarithmic(in: 0.1..<300)
        let begin = world.now
        let starts = world.manager.starts
        let parameters = GetLocationParameters(
            maximumAge: random.chance(0.5) ? random.number(in: 0..<20) : nil,
            timeout: world.breaks(10) ? 300 : timeout)
        let earlier = connection.unanswered.count
        connection.call(LocationMethods.getLocation, parameters, in: world) { [unowned self] answer in
            if case .reply(let reply, _) = answer { world.judgeSwitch(reply.location, name) }
            switch answer {
            case .reply, .error:
                if case .error = answer { world.reached(.locationTimedOut) }
                // The time counts from the last byte of the call, and while the daemon serves.
                let span = (world.now - max(begin, lastSent, world.manager.readySince ?? begin)).seconds
                // Calls of one connection are served one after another.
                world.require(
                    earlier > 0 || starts != world.manager.starts || span <= timeout + 1, 10,
                    "GetLocation was answered after \(span) s of \(timeout) s")
            case .lost: break
            }
        }
    }

    private func continueSending(in world: World) {
        guard let connection, connection.wantsToSend else { return }
        lastSent = world.now
        flushTime = world.now + random.span(0.0001..<0.1)
    }

    func receive(in world: World) {
        guard let connection, connection.hasInput(in: world) else { return }
        let wasSending = connection.wantsToSend
        connection.pump(in: world)
        if wasSending { lastSent = world.now }
        continueSending(in: world)
        if !connection.isOpen { self.connection = nil }
    }

    func daemonEnded(in world: World) {
        connection?.close(in: world)
        connection = nil
    }

    func finish(in world: World) {
        for call in connection?.unanswered ?? [] {
            world.require(
                world.now - call.since < .seconds(310), 11, "\(name): \(call.method) has no answer")
        }
    }
}
