import Chronology
import SextantAPI
import Varlink

/// A program on a device whose fixed place is in the configuration: it gets that place, whatever
/// receivers say. Other programs of the run ask for a receiver by its name.
final class StationProgram: Actor {
    /// The section of the configuration: a place in the town, which the device only passes.
    static let configuration = """
        [station]
        latitude = 51.4826
        longitude = 0.0077
        accuracy = 2.5
        name = "mast"
        """

    let name = "station"
    private let peer = Machine.Peer(process: 5400, user: 1007, unit: "station.service")
    private var random: RandomStream
    private var agenda = Agenda()
    private var stream: Connection?
    private var hasPlace = false

    init(_ plan: RunPlan) {
        random = RandomStream(seed: plan.seed, purpose: name)
        agenda.at(.zero) { [unowned self] in subscribe(in: $0) }
        agenda.at(.zero) { [unowned self] in ask(in: $0) }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private func subscribe(in world: World) {
        guard stream == nil else { return }
        hasPlace = false
        stream = Connection(name, as: peer, in: world)
        guard let stream else { return agenda.at(world.now + .seconds(1)) { [unowned self] in subscribe(in: $0) } }
        let parameters = SubscribeParameters(pausesWhenStationary: random.chance(0.5) ? false : nil)
        stream.call(LocationMethods.subscribe, parameters, mode: .more, in: world) { [unowned self] answer in
            guard case .reply(let update, _) = answer else { return }
            world.judgeSwitch(update.location, name)
            judge(update.location, in: world)
        }
    }

    private func ask(in world: World) {
        agenda.at(world.now + random.span(1..<600)) { [unowned self] in ask(in: $0) }
        guard let stream, stream.isOpen else { return }
        // It has an answer at once, without any receiver.
        guard let connection = Connection("\(name).question", as: peer, in: world) else { return }
        let begin = world.now
        connection.call(LocationMethods.getLocation, GetLocationParameters(timeout: 30), in: world) {
            [unowned self] answer in
            if case .reply(let reply, _) = answer {
                judge(reply.location, in: world)
                // A call that waits for a start is answered after it.
                let wait = world.now - max(begin, world.manager.readySince ?? begin)
                world.require(wait < .seconds(5), 72, "\(name) waits for \(wait.seconds) s")
            }
            connection.close(in: world)
        }
        questions.append(connection)
    }

    private var questions: [Connection] = []

    private func judge(_ location: Location?, in world: World) {
        guard let location else { return }
        hasPlace = true
        world.reached(.fixedPlace)
        let latitude = world.breaks(72) ? 51.5 : 51.4826
        world.require(
            location.latitude == latitude && location.longitude == 0.0077 && location.receiver == "mast"
                && location.accuracySource == .configured && location.quality == .manual && location.speed ?? 0 == 0,
            72, "\(name) got \(location)")
    }

    func receive(in world: World) {
        for connection in questions where connection.hasInput(in: world) { connection.pump(in: world) }
        questions.removeAll { !$0.isOpen }
        guard let stream, stream.hasInput(in: world) else { return }
        stream.pump(in: world)
        if !stream.isOpen { ended(in: world) }
    }

    private func ended(in world: World) {
        stream = nil
        agenda.at(world.now + random.span(0.05..<5)) { [unowned self] in subscribe(in: $0) }
    }

    func daemonEnded(in world: World) {
        for connection in questions { connection.close(in: world) }
        questions = []
        guard let stream else { return }
        stream.close(in: world)
        ended(in: world)
    }

    func examine(in world: World) { finish(in: world) }

    func finish(in world: World) {
        world.require(hasPlace, 72, "\(name) has no place")
    }
}
