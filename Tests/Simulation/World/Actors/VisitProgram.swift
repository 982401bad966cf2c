import Chronology
import SextantAPI
import Varlink

/// A program that watches visits, and watches again whenever the stream ends.
final class VisitProgram: Actor {
    let name = "visits"
    private let peer = Machine.Peer(process: 6000, user: 1001, unit: "visits.service")
    private var random: RandomStream
    private var connection: Connection?
    private var connectTime: Instant? = .zero
    /// The arrivals of visits that are over.
    private var departed: Set<UTCTime> = []
    /// Those whose end may not be on disk: it was sent while the disk failed.
    private var unsaved: Set<UTCTime> = []

    init(_ plan: RunPlan) { random = RandomStream(seed: plan.seed, purpose: name) }

    var deadline: Instant? { connectTime }

    func act(in world: World) {
        connectTime = nil
        guard let connection = Connection(name, as: peer, in: world) else {
            connectTime = world.now + .seconds(1)
            return
        }
        self.connection = connection
        connection.call(LocationMethods.watchVisits, NoParameters(), mode: .more, in: world) { [unowned self] answer in
            if case .reply(let update, _) = answer, let visit = update.visit { observe(visit, in: world) }
        }
    }

    private func observe(_ visit: Visit, in world: World) {
        guard let arrival = visit.arrival else { return }
        world.reached(visit.departed ? .visitEnded : .visitBegan)
        if visit.departed {
            world.require(!departed.contains(arrival), 23, "the visit since \(arrival) has ended twice")
            departed.insert(arrival)
            if !world.diskWorks { unsaved.insert(arrival) }
        } else {
            world.require(!departed.contains(arrival), 23, "the visit since \(arrival) has ended and goes on")
        }
    }

    func receive(in world: World) {
        guard let connection, connection.hasInput(in: world) else { return }
        connection.pump(in: world)
        if !connection.isOpen { daemonEnded(in: world) }
    }

    func daemonEnded(in world: World) {
        departed.subtract(unsaved)
        unsaved = []
        connection?.close(in: world)
        connection = nil
        if connectTime == nil { connectTime = world.now + random.span(0.05..<5) }
    }
}
