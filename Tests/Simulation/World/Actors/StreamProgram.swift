import Chronology
import Geodesy
import SextantAPI
import Varlink

/// A program that subscribes to the location, and subscribes again whenever the stream ends.
final class StreamProgram: Actor {
    let name: String
    private let plan: RunPlan
    let peer: Machine.Peer
    private var random: RandomStream
    private let parameters: SubscribeParameters
    private var connection: Connection? { didSet { isSubscribed = false } }
    /// Whether the daemon has answered its subscription.
    private(set) var isSubscribed = false
    /// When it subscribes again, crashes, or goes on reading.
    private var connectTime: Instant?
    private var crashTime: Instant?
    private var readTime: Instant?
    private var judge: StreamJudge

    init(_ name: String, _ index: Int, _ plan: RunPlan) {
        self.name = name
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: name)
        peer = Machine.Peer(
            process: Int32(1000 + index), user: UInt32(1000 + index % 4), unit: "stream\(index).service")
        var parameters = StreamProgram.parameters(index, &random)
        if plan.has(.station) { parameters.receiver = "ttyUSB0" }
        self.parameters = parameters
        judge = StreamJudge(parameters)
        connectTime = Instant(nanoseconds: 0)
    }

    private static func parameters(_ index: Int, _ random: inout RandomStream) -> SubscribeParameters {
        guard index > 0 else { return SubscribeParameters() }
        return SubscribeParameters(
            configuration: random.element(of: [nil, .automotiveNavigation, .otherNavigation, .fitness, .airborne])
                ?? nil,
            desiredAccuracy: random.element(of: [nil, .best, .hundredMetres, .kilometre]) ?? nil,
            distanceFilter: random.chance(0.3) ? random.number(in: 5..<500).rounded() : nil,
            minimumInterval: random.chance(0.3) ? random.number(in: 1..<60).rounded() : nil,
            maximumDelay: random.chance(0.2) ? random.number(in: 5..<120).rounded() : nil,
            pausesWhenStationary: random.chance(0.3) ? false : nil)
    }

    var deadline: Instant? { earliest(connectTime, earliest(crashTime, readTime)) }

    func act(in world: World) {
        if let time = readTime, time <= world.now {
            readTime = nil
            read(in: world)
        }
        if let time = crashTime, time <= world.now {
            crashTime = nil
            connection?.close(in: world)
            connection = nil
            connectTime = world.now + random.span(0.01..<60)
        }
        if let time = connectTime, time <= world.now { connect(in: world) }
    }

    private func connect(in world: World) {
        connectTime = nil
        guard let connection = Connection(name, as: peer, in: world) else {
            connectTime = world.now + .seconds(1)
            return
        }
        self.connection = connection
        if plan.has(.smallBuffers) { connection.setCapacity(4096, in: world) }
        judge.begin(at: world.now)
        connection.call(LocationMethods.subscribe, parameters, mode: .more, in: world) { [unowned self] answer in
            switch answer {
            case .reply(let update, let continues):
                isSubscribed = true
                judge.observe(update, in: world, name)
                world.require(continues, 11, "\(name): the stream ended with a reply")
            case .error(let error): world.report(11, "\(name): Subscribe was refused with \(error.name)")
            case .lost: break
            }
        }
        if plan.has(.crashingPrograms), !world.faultsHaveEnded { crashTime = world.now + random.span(1..<3000) }
        pauseReading(in: world)
    }

    private func pauseReading(in world: World) {
        guard plan.has(.slowReaders), !world.faultsHaveEnded, random.chance(0.3) else { return }
        let end = world.now + random.span(1..<600)
        connection?.pausedUntil = end
        readTime = end
    }

    func receive(in world: World) {
        guard let connection, connection.hasInput(in: world) else { return }
        read(in: world)
    }

    private func read(in world: World) {
        guard let connection else { return }
        connection.pump(in: world)
        if !connection.isOpen {
            self.connection = nil
            crashTime = nil
            connectTime = world.now + random.span(0.05..<5)
        } else if readTime == nil, plan.has(.slowReaders), random.chance(0.005) {
            pauseReading(in: world)
        }
    }

    func daemonEnded(in world: World) {
        connection?.close(in: world)
        connection = nil
        crashTime = nil
        if connectTime == nil { connectTime = world.now + random.span(0.05..<5) }
    }

    func endFaults(in world: World) {
        crashTime = nil
        readTime = nil
        connection?.pausedUntil = .zero
        read(in: world)
    }

    /// Whether it gets each epoch at once.
    var needsLatency: Bool { parameters.configuration.map { $0 != .default } ?? false }

    /// Whether it has been open since a time, and must get positions every minute.
    func needsFixes(since start: Instant) -> Bool { isSubscribed && judge.needsFixes(since: start) }

    func examine(in world: World) { finish(in: world) }

    func finish(in world: World) {
        world.require(connection != nil, 51, "\(name) has no connection")
        judge.finish(in: world, name)
    }
}
