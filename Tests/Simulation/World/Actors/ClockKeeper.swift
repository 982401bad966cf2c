import Chronology

/// The clock of the machine: it is set by seconds to years, begins in 1970, and stands still while
/// the machine is suspended.
final class ClockKeeper: Actor {
    let name = "clock"
    private let plan: RunPlan
    private var random: RandomStream
    private var agenda = Agenda()

    init(_ plan: RunPlan) {
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: name)
        agenda.at(.zero) { [unowned self] world in begin(in: world) }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private func begin(in world: World) {
        // A device without a battery does not know the time.
        if plan.has(.clockSteps), random.chance(0.3) { set(to: 0, in: world) }
        plan(in: world)
    }

    private func plan(in world: World) {
        agenda.at(world.now + random.span(20..<4000)) { [unowned self] world in
            guard !world.faultsHaveEnded else { return }
            if plan.has(.suspend), random.chance(0.5) { suspend(in: world) } else { step(in: world) }
            plan(in: world)
        }
    }

    private func step(in world: World) {
        guard plan.has(.clockSteps) else { return }
        let seconds = random.logarithmic(in: 0.5..<1e8)
        set(to: world.machine.clockOffset + Int64((random.chance(0.5) ? seconds : -seconds) * 1e9), in: world)
    }

    /// No clock of Linux is set before 1970.
    private func set(to offset: Int64, in world: World) {
        world.machine.clockOffset = max(offset, 0)
        world.trace.add(
            world.now, name, "is set: \((world.machine.clockOffset + world.now.nanoseconds) / 1_000_000_000)")
    }

    private func suspend(in world: World) {
        let span = random.span(1..<20_000)
        world.trace.add(world.now, name, "stands still for \(span.seconds) s")
        world.machine.suspended += span.nanoseconds
        world.machine.clockOffset += span.nanoseconds
    }

    func endFaults(in world: World) {
        agenda.clear()
        set(to: Journey.start.milliseconds * 1_000_000 - world.journey.origin.nanoseconds, in: world)
    }
}
