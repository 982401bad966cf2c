import Chronology
import SextantAPI
import Varlink

/// A program whose permission changes, with the administrator who changes it.
final class GuestProgram: Actor {
    let name = "guest"
    private let peer = Machine.Peer(process: 5000, user: 1002, unit: "guest.service")
    private let administrator = Machine.Peer(process: 5001, user: 0)
    private var random: RandomStream
    private var agenda = Agenda()
    private var stream: Connection?
    private var control: Connection?
    private var questions: [Connection] = []
    private var judge = PermissionJudge()
    private var powerCuts = 0

    init(_ plan: RunPlan) {
        random = RandomStream(seed: plan.seed, purpose: name)
        agenda.at(.zero) { [unowned self] world in
            subscribe(in: world)
            decide(in: world)
            ask(in: world)
        }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    func receive(in world: World) {
        for connection in [stream, control].compactMap(\.self) + questions where connection.hasInput(in: world) {
            connection.pump(in: world)
        }
        questions.removeAll { !$0.isOpen }
        if let stream, !stream.isOpen {
            self.stream = nil
            agenda.at(world.now + random.span(0.05..<5)) { [unowned self] in subscribe(in: $0) }
        }
        if let control, !control.isOpen { self.control = nil }
    }

    func daemonEnded(in world: World) {
        if world.manager.powerCuts != powerCuts, world.plan.has(.failingSyncs) { judge.powerFailed() }
        powerCuts = world.manager.powerCuts
        stream?.close(in: world)
        control?.close(in: world)
        for question in questions { question.close(in: world) }
        questions = []
        if let stream, !stream.isOpen {
            self.stream = nil
            agenda.at(world.now + random.span(0.05..<5)) { [unowned self] in subscribe(in: $0) }
        }
        control = nil
    }

    private func subscribe(in world: World) {
        guard stream == nil else { return }
        guard let connection = Connection("guest.stream", as: peer, in: world) else {
            return agenda.at(world.now + .seconds(1)) { [unowned self] in subscribe(in: $0) }
        }
        stream = connection
        connection.call(LocationMethods.subscribe, SubscribeParameters(), mode: .more, in: world) {
            [unowned self] answer in
            if case .reply(let update, _) = answer { judge.observe(update, in: world) }
        }
    }

    /// The administrator decides about the program.
    private func decide(in world: World) {
        guard !world.faultsHaveEnded else { return }
        agenda.at(world.now + random.span(5..<3000)) { [unowned self] in decide(in: $0) }
        if control == nil { control = Connection("guest.administrator", as: administrator, in: world) }
        guard let control else { return }
        let decision = PermissionJudge.Decision(
            authorization: random.element(of: [.denied, .whenInUse, .always]) ?? .always,
            accuracy: random.chance(0.3) ? .reduced : .full)
        judge.propose(decision)
        let parameters = SetParameters(
            program: "1002:guest.service",
            authorization: world.breaks(24) || world.breaks(26) ? .always : decision.authorization,
            accuracy: world.breaks(25) ? .full : decision.accuracy)
        control.call(PermissionMethods.set, parameters, in: world) { [unowned self] answer in
            // What was sent before the decision is read before the reply to it.
            stream?.pump(in: world)
            switch answer {
            case .reply: judge.confirm(decision)
            case .error:
                world.reached(.decisionRefused)
                judge.refuse(decision)
            case .lost: world.reached(.decisionUnanswered)
            }
        }
    }

    /// The program asks what it may know.
    private func ask(in world: World) {
        agenda.at(world.now + random.span(1..<600)) { [unowned self] in ask(in: $0) }
        guard let connection = Connection("guest.question", as: peer, in: world) else { return }
        questions.append(connection)
        let generation = judge.generation
        connection.call(SessionMethods.getAuthorization, NoParameters(), in: world) { [unowned self] answer in
            if case .reply(let reply, _) = answer, generation == judge.generation {
                judge.observe(reply.permission, in: world)
            }
        }
        connection.call(LocationMethods.getLocation, GetLocationParameters(timeout: 1), in: world) {
            [unowned self] answer in
            guard generation == judge.generation else { return connection.close(in: world) }
            switch answer {
            case .reply(let reply, _): judge.observe(reply.location, in: world)
            case .error(let error) where error.name.hasSuffix("PermissionDenied"):
                if world.diskWorks { judge.observe(nil as Location?, in: world) }
            case .error, .lost: break
            }
            connection.close(in: world)
        }
    }
}
