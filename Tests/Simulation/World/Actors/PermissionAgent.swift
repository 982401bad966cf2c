import Chronology
import SextantAPI
import Varlink

/// A program that asks for the location, and an agent that answers for its user: late, twice, with
/// numbers of others, or not at all. The administrator deletes the answers now and then.
final class PermissionAgent: Actor {
    /// Without an agent every program may know the location, as without this configuration.
    static let configuration = "[permissions]\ndefault = \"ask\"\nwithout_agent = \"always\"\n"
    private static let user: UInt32 = 1005

    let name = "agent"
    private let plan: RunPlan
    private let agentPeer = Machine.Peer(process: 5700, user: PermissionAgent.user)
    private let programPeer = Machine.Peer(process: 5701, user: PermissionAgent.user, unit: "asker.service")
    private let administrator = Machine.Peer(process: 5702, user: 0)
    private var random: RandomStream
    private var agenda = Agenda()
    private var agent: Connection?
    private var others: [Connection] = []
    /// What may apply: the confirmed answer, and those of calls without a reply. A temporary one
    /// ends by itself.
    private var possible: [AuthorizationChoice] = [.always]
    private var generation = 0

    init(_ plan: RunPlan) {
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: name)
        agenda.at(.zero) { [unowned self] world in
            serve(in: world)
            declare(in: world)
            look(in: world)
            forget(in: world)
        }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private static func method(_ name: String) -> Method<AnyMessage, AnyMessage> {
        Method(named: "io.sextant.Agent.\(name)")
    }

    private func later(_ span: Range<Double>, in world: World, _ action: @escaping (World) -> Void) {
        agenda.at(world.now + random.span(span), action)
    }

    private func connect(_ role: String, as peer: Machine.Peer, in world: World) -> Connection? {
        let connection = Connection("\(name).\(role)", as: peer, in: world)
        if let connection { others.append(connection) }
        return connection
    }

    /// The agent is there for a while.
    private func serve(in world: World) {
        guard !world.faultsHaveEnded else { return }
        later(20..<4000, in: world) { [unowned self] in serve(in: $0) }
        agent?.close(in: world)
        agent = nil
        guard random.chance(0.8), let connection = connect("serving", as: agentPeer, in: world) else { return }
        agent = connection
        connection.call(PermissionAgent.method("Serve"), AnyMessage(), mode: .more, in: world) {
            [unowned self] answer in
            guard case .reply(let reply, _) = answer, let number = reply.members["request"]?["number"] else { return }
            world.reached(.agentAsked)
            guard random.chance(0.8) else { return }
            later(0.01..<600, in: world) { [unowned self] in self.answer(number, in: $0) }
        }
    }

    private func answer(_ number: JSONValue, in world: World) {
        guard let connection = connect("answer", as: agentPeer, in: world) else { return }
        for _ in 0..<(random.chance(0.1) ? 2 : 1) {
            let choice = random.element(of: AuthorizationChoice.allCases) ?? .always
            let isTemporary = random.chance(0.3)
            possible.append(choice)
            generation += 1
            var members: [String: JSONValue] = [
                "number": random.chance(0.05) ? 1_000_000 : number, "temporary": .bool(isTemporary),
                "authorization": .string(world.breaks(75) ? "denied" : choice.rawValue),
            ]
            if random.chance(0.3) { members["accuracy"] = "reduced" }
            let parameters = AnyMessage(members: members)
            connection.call(PermissionAgent.method("Answer"), parameters, in: world) { [unowned self] answer in
                generation += 1
                switch answer {
                // A temporary answer ends with the program's last session.
                case .reply where isTemporary: world.reached(.temporaryAnswer)
                case .reply: possible = world.breaks(75) ? [.always] : [choice]
                case .error, .lost: break
                }
            }
        }
        later(1..<60, in: world) { connection.close(in: $0) }
    }

    /// The program declares what it needs, and waits for a location.
    private func declare(in world: World) {
        guard !world.faultsHaveEnded else { return }
        later(20..<2000, in: world) { [unowned self] in declare(in: $0) }
        guard let connection = connect("session", as: programPeer, in: world),
            let stream = connect("stream", as: programPeer, in: world)
        else { return }
        let parameters = DeclareParameters(
            requirement: random.element(of: [nil, .whenInUse, .always]) ?? nil, purpose: "navigation",
            usageDescription: random.chance(0.5) ? "To show the way." : nil)
        connection.call(SessionMethods.declare, parameters, mode: .more, in: world)
        stream.call(LocationMethods.subscribe, SubscribeParameters(), mode: .more, in: world) { answer in
            if case .reply(let update, _) = answer { world.mark(update) }
        }
        later(1..<1000, in: world) {
            connection.close(in: $0)
            stream.close(in: $0)
        }
    }

    /// What the program may know is what was answered; without an answer it is not determined.
    private func look(in world: World) {
        later(1..<600, in: world) { [unowned self] in look(in: $0) }
        guard let connection = connect("question", as: programPeer, in: world) else { return }
        let before = generation
        connection.call(SessionMethods.getAuthorization, NoParameters(), in: world) { [unowned self] answer in
            connection.close(in: world)
            guard case .reply(let reply, _) = answer, before == generation, !world.locationMayBeOff(),
                !(reply.permission.detail?.contains(part: "cannot be read") ?? false)
            else { return }
            let authorization = reply.permission.authorization
            if authorization == .notDetermined { return world.reached(.notDetermined) }
            world.require(
                possible.contains { $0.rawValue == authorization.rawValue }, 75,
                "the program may know \(authorization), and the answers were \(possible)")
        }
    }

    private func forget(in world: World) {
        guard !world.faultsHaveEnded else { return }
        later(300..<6000, in: world) { [unowned self] in forget(in: $0) }
        guard let connection = connect("administrator", as: administrator, in: world) else { return }
        possible.append(.always)
        generation += 1
        let parameters = ProgramParameters(program: "\(PermissionAgent.user):\(programPeer.unit)")
        connection.call(PermissionMethods.remove, parameters, in: world) { [unowned self] _ in
            generation += 1
            connection.close(in: world)
        }
    }

    func receive(in world: World) {
        for connection in others where connection.hasInput(in: world) { connection.pump(in: world) }
        others.removeAll { !$0.isOpen }
    }

    func daemonEnded(in world: World) {
        for connection in others { connection.close(in: world) }
        others = []
        agent = nil
        // What was answered before holds again when a temporary answer has ended.
        generation += 1
    }

    func endFaults(in world: World) { daemonEnded(in: world) }
}
