import Chronology
import SextantAPI
import Varlink

/// A program that reports when the device was moved: each departure, too late, only the first ones,
/// much too often, or at random. The administrator forgets its source now and then.
final class MotionReporter: Actor {
    /// The user of the program, whom the configuration allows to report.
    static let user: UInt32 = 1006

    private enum Kind: CaseIterable { case good, late, deaf, nervous, random }

    let name = "motion"
    private let peer = Machine.Peer(process: 5200, user: MotionReporter.user, unit: "motion.service")
    private let administrator = Machine.Peer(process: 5201, user: 0)
    private let kind: Kind
    private var random: RandomStream
    private var agenda = Agenda()
    private var connection: Connection?

    init(_ plan: RunPlan, _ journey: Journey) {
        random = RandomStream(seed: plan.seed, purpose: name)
        kind = random.element(of: Kind.allCases) ?? .good
        let departures = journey.departures(until: journey.origin + plan.length)
        for (index, departure) in departures.enumerated() where kind != .nervous && kind != .random {
            if kind == .deaf, index >= 4 { break }
            let delay = kind == .late ? random.number(in: 30..<90) : random.number(in: -8..<3)
            agenda.at(departure + .seconds(delay)) { [unowned self] in report(in: $0) }
        }
        if kind == .nervous || kind == .random {
            agenda.at(.zero) { [unowned self] in repeatReports(in: $0) }
        }
        agenda.at(.zero) { [unowned self] in look(in: $0) }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private func repeatReports(in world: World) {
        let span = kind == .nervous ? random.span(1..<40) : random.span(30..<4000)
        agenda.at(world.now + span) { [unowned self] in repeatReports(in: $0) }
        report(in: world)
    }

    private func report(in world: World) {
        connection = connection ?? Connection(name, as: peer, in: world)
        guard let connection, connection.unanswered.isEmpty else { return }
        connection.call(ManagerMethods.reportMotion, ReportMotionParameters(source: "bump"), in: world) {
            if case .reply = $0 { world.reached(.motionReported) }
        }
    }

    /// What everybody may see, and what the administrator may forget.
    private func look(in world: World) {
        agenda.at(world.now + random.span(60..<4000)) { [unowned self] in look(in: $0) }
        guard let connection = Connection("\(name).administrator", as: administrator, in: world) else { return }
        if random.chance(0.05) {
            let parameters = ForgetMotionSourceParameters(source: "bump")
            connection.call(ManagerMethods.forgetMotionSource, parameters, in: world)
        }
        connection.call(ManagerMethods.getMotionSources, NoParameters(), in: world) { answer in
            if case .reply(let reply, _) = answer {
                if reply.rareChecks { world.reached(.rareChecks) }
                for source in reply.sources {
                    if source.trust == .deaf { world.reached(.deafSource) }
                    if source.trust == .nervous { world.reached(.nervousSource) }
                }
            }
        }
        looks.append(connection)
    }

    private var looks: [Connection] = []

    func receive(in world: World) {
        for look in looks where look.hasInput(in: world) { look.pump(in: world) }
        for look in looks where look.unanswered.isEmpty { look.close(in: world) }
        looks.removeAll { !$0.isOpen }
        guard let connection, connection.hasInput(in: world) else { return }
        connection.pump(in: world)
        if !connection.isOpen { self.connection = nil }
    }

    func daemonEnded(in world: World) {
        for look in looks { look.close(in: world) }
        looks = []
        connection?.close(in: world)
        connection = nil
    }
}

extension Journey {
    /// When the device leaves a place where it has rested for a minute at least.
    func departures(until end: Instant) -> [Instant] {
        var (departures, now, rest): ([Instant], Instant, Int) = ([], origin, 0)
        while now < end {
            let isMoving = place(at: now).nearbyDistance(to: place(at: now + .seconds(2))) > 2
            if isMoving, rest > 30 { departures.append(now) }
            rest = isMoving ? 0 : rest + 1
            now = now + .seconds(2)
        }
        return departures
    }
}
