import Chronology
import Glibc

/// The disk: from time to time it fails, is full, or is slow.
final class Disk: Actor {
    let name = "disk"
    private let plan: RunPlan
    private var random: RandomStream
    /// The longest time without trouble of a rough disk.
    private static let longestPause = Instant.Span.seconds(300)
    /// When the daemon is ended while the disk has trouble.
    private var starts: RandomStream
    private var agenda = Agenda()

    init(_ plan: RunPlan) {
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: name)
        starts = RandomStream(seed: plan.seed, purpose: "rough disk")
        agenda.at(.zero) { [unowned self] world in waitForTrouble(in: world) }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private func waitForTrouble(in world: World) {
        let pause = random.span(20..<2000)
        agenda.at(world.now + (plan.has(.roughDisk) ? min(pause, Disk.longestPause) : pause)) { [unowned self] world in
            begin(in: world)
        }
    }

    private func begin(in world: World) {
        guard !world.faultsHaveEnded else { return }
        var duration = random.span(0.1..<900)
        let faults = faults()
        if plan.has(.roughDisk), starts.chance(0.5) {
            duration = starts.span(20..<600)
            world.manager.end(at: world.now + .seconds(starts.number(in: 0..<1) * duration.seconds))
        }
        if plan.has(.fullDisk), random.chance(0.3) {
            world.trace.add(world.now, name, "is full for \(duration.seconds) s")
            world.machine.setFreeSpace(Int64(random.logarithmic(in: 1..<1e6)))
        } else if plan.has(.readOnlyDisk), random.chance(0.3) {
            world.trace.add(world.now, name, "is read-only for \(duration.seconds) s")
            world.machine.setReadOnly(true)
        }
        if !faults.isEmpty { world.trace.add(world.now, name, "fails for \(duration.seconds) s: \(faults)") }
        world.injected(faults, by: name)
        world.diskWorks = false
        agenda.at(world.now + duration) { [unowned self] world in end(in: world) }
    }

    private func faults() -> [Machine.Fault] {
        let kinds: [(RunPlan.Feature, Machine.Fault.Calls)] = [
            (.failingReads, .read), (.failingWrites, .write), (.failingSyncs, .sync), (.failingOpens, .open),
            (.failingNames, .name),
        ]
        var faults: [Machine.Fault] = []
        for (feature, calls) in kinds where plan.has(feature) && random.chance(0.5) {
            let codes =
                calls == .write ? [EIO, ENOSPC, EROFS] : calls == .open ? [EIO, EACCES, EMFILE] : [EIO, ETIMEDOUT]
            let rate = (plan.has(.roughDisk) ? max(plan.faultRate, 0.005) : plan.faultRate) * (calls == .sync ? 20 : 1)
            faults.append(
                .init(
                    action: .fail(errno: random.element(of: codes) ?? EIO), calls: calls, rate: rate,
                    path: "/var/lib/", process: nil))
        }
        if plan.has(.shortWrites), random.chance(0.5) {
            faults.append(
                .init(action: .short, calls: .write, rate: plan.faultRate * 10, path: "/var/lib/", process: nil))
        }
        if plan.has(.slowDisk), random.chance(0.5) {
            faults.append(
                .init(action: .slow(random.span(0.001..<3)), calls: .sync, rate: 0.1, path: "/var/lib/", process: nil))
        }
        return faults
    }

    private func end(in world: World) {
        world.trace.add(world.now, name, "works again")
        world.machine.setFreeSpace(nil)
        world.machine.setReadOnly(false)
        world.injected([], by: name)
        agenda.at(world.now + .seconds(120)) { world in world.diskWorks = true }
        agenda.at(world.now + .seconds(121)) { [unowned self] world in waitForTrouble(in: world) }
    }

    func endFaults(in world: World) {
        agenda.clear()
        world.injected([], by: name)
        agenda.at(world.now + .seconds(600)) { world in world.diskWorks = true }
    }
}
