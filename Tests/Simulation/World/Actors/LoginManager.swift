import Chronology

/// The login manager: users log in and out, switch sessions, and it is not always there.
final class LoginManager: Actor {
    let name = "logind"
    private var random: RandomStream
    private var time: Instant? = .zero

    init(_ plan: RunPlan) { random = RandomStream(seed: plan.seed, purpose: name) }

    var deadline: Instant? { time }

    func act(in world: World) {
        time = world.now + random.span(5..<2000)
        if random.chance(0.2) {
            let isRunning = random.chance(0.6)
            world.trace.add(world.now, name, isRunning ? "runs" : "is absent")
            return world.machine.setLogind(isRunning)
        }
        let user = random.integer(in: 0..<4)
        let isActive = random.element(of: [nil, false, true]) ?? nil
        world.trace.add(world.now, name, "user \(1000 + user): \(isActive.map { $0 ? "active" : "online" } ?? "away")")
        world.machine.setSession(of: UInt32(1000 + user), at: Int32(user), isActive: isActive)
    }

    func endFaults(in world: World) { time = nil }
}
