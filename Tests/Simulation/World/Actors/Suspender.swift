import Chronology
import Glibc
import SimulatedMachine

/// logind and the message bus: it announces suspensions and waits for the lock of the daemon, or
/// suspends at once. The end is announced or not, and logind or the bus end now and then.
final class Suspender: Actor {
    let name = "suspend"
    private let plan: RunPlan
    private var random: RandomStream
    private var agenda = Agenda()
    /// The number of the logind that runs; 0 while none does.
    private var logind: Int32 = 1
    private var logindCount: Int32 = 1
    private var isBusPresent = true
    /// The suspension that is announced and waits for the lock.
    private var announced: Announced?
    /// When the machine is suspended just after a command.
    private var moments: RandomStream
    /// The command that the decision about such a suspension was about.
    private var lastCommand: Instant?
    private static let bus = "/run/dbus/system_bus_socket"
    /// InhibitDelayMaxSec= of logind.
    private static let maxDelay = Instant.Span.seconds(5)
    /// The daemon gives its lock back after 3 s at most, and a slow disk may delay that.
    private static let lockTime = Instant.Span.seconds(3.5)
    /// How long after an announced end a receiver may need for its first fix. Without an
    /// announcement, the daemon waits for 33 s before.
    private static let recovery = (announced: 90.0, unannounced: 130.0)

    private struct Announced {
        let since: Instant
        /// The start of the daemon that holds a lock.
        let starts: Int
        let holdsLock: Bool
        let announcesEnd: Bool
    }

    init(_ plan: RunPlan) {
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: name)
        moments = RandomStream(seed: plan.seed, purpose: "\(name) after commands")
        agenda.at(.zero) { [unowned self] world in
            world.machine.setBus(true)
            world.machine.announce(.logindCame, logind: logind)
            placeSocket(in: world)
            planSuspension(in: world)
            disturb(in: world)
        }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private func later(_ span: Range<Double>, in world: World, _ action: @escaping (World) -> Void) {
        agenda.at(world.now + random.span(span), action)
    }

    private func placeSocket(in world: World) {
        let path = "\(world.machine.root)\(Suspender.bus)"
        _ = FileTree.makeFolders("\(world.machine.root)/run/dbus")
        if isBusPresent { _ = FileTree.write("", to: path) } else { unlink(path) }
    }

    // MARK: Suspensions

    private func planSuspension(in world: World) {
        later(30..<4000, in: world) { [unowned self] world in
            guard !world.faultsHaveEnded else { return }
            planSuspension(in: world)
            guard announced == nil else { return }
            if random.chance(0.75), isBusPresent, logind != 0 { announce(in: world) } else { suspend(in: world) }
        }
    }

    private func announce(in world: World) {
        world.trace.add(world.now, name, "announces a suspension")
        announced = Announced(
            since: world.now, starts: world.manager.starts, holdsLock: world.machine.logindLocks > 0,
            announcesEnd: random.chance(0.7))
        world.machine.announce(.sleep, logind: logind)
        agenda.at(world.now + Suspender.maxDelay) { [unowned self] world in endDelay(in: world) }
    }

    func receive(in world: World) {
        if world.lastCommand != lastCommand { planAfterCommand(in: world) }
        guard let announced, world.now > announced.since, world.machine.logindLocks == 0 else { return }
        endDelay(in: world)
    }

    /// A command to sleep is followed by some seconds in which its effect shows.
    private func planAfterCommand(in world: World) {
        lastCommand = world.lastCommand
        guard plan.has(.promptSuspend), !world.faultsHaveEnded, moments.chance(0.05) else { return }
        agenda.at(world.now + moments.span(0.01..<4)) { [unowned self] world in
            if announced == nil, !world.faultsHaveEnded { suspend(in: world) }
        }
    }

    private func endDelay(in world: World) {
        guard let announced else { return }
        self.announced = nil
        let delay = world.now - announced.since
        let isAlive = announced.holdsLock && world.manager.starts == announced.starts && world.manager.readySince != nil
        world.require(
            !isAlive || world.machine.logindLocks == (world.breaks(66) ? -1 : 0) || !world.diskWorks, 66,
            "the daemon holds its lock \(delay.seconds) s after the announcement")
        if isAlive {
            world.reached(delay < Suspender.lockTime ? .suspendedEarly : .suspendedLate)
            for case let receiver as ReceiverActor in world.actors { receiver.judgeSuspension(in: world) }
        }
        guard !world.faultsHaveEnded else { return resume(isAnnounced: true, in: world) }
        suspend(in: world)
        // A suspension that fails is announced as one that ends at once.
        later(0..<2, in: world) { [unowned self] in resume(isAnnounced: announced.announcesEnd, in: $0) }
    }

    /// The machine stands still.
    private func suspend(in world: World) {
        let span = random.logarithmic(in: 1..<30_000)
        world.trace.add(world.now, name, "suspends the machine for \(span) s")
        let nanoseconds = Int64(span * 1e9)
        world.machine.suspended += nanoseconds
        world.machine.clockOffset += nanoseconds
        judgeLater(Suspender.recovery.unannounced, in: world)
    }

    private func resume(isAnnounced: Bool, in world: World) {
        guard isAnnounced, logind != 0 else { return world.reached(.resumeUnannounced) }
        world.trace.add(world.now, name, "announces the end of the suspension")
        world.machine.announce(.resume, logind: logind)
        judgeLater(Suspender.recovery.announced, in: world)
    }

    /// Looks whether the receivers that sent before have woken.
    private func judgeLater(_ seconds: Double, in world: World) {
        let (start, starts) = (world.now, world.manager.starts)
        let suspended = world.machine.suspended
        agenda.at(world.now + .seconds(seconds)) { [unowned self] world in
            guard announced == nil, suspended == world.machine.suspended, starts == world.manager.starts else { return }
            for case let receiver as ReceiverActor in world.actors { receiver.judgeWaking(since: start, in: world) }
        }
    }

    // MARK: The end of logind and of the bus

    private func disturb(in world: World) {
        later(60..<6000, in: world) { [unowned self] world in
            guard !world.faultsHaveEnded else { return }
            disturb(in: world)
            if random.chance(0.7) { endLogind(in: world) } else { endBus(in: world) }
        }
    }

    private func endLogind(in world: World) {
        guard logind != 0 else { return }
        world.trace.add(world.now, name, "logind ends")
        logind = 0
        world.machine.announce(.logindGone, logind: 0)
        later(0.01..<100, in: world) { [unowned self] in startLogind(in: $0) }
    }

    private func startLogind(in world: World) {
        guard logind == 0, isBusPresent else { return }
        logindCount += 1
        logind = logindCount
        world.trace.add(world.now, name, "logind runs")
        world.machine.announce(.logindCame, logind: logind)
    }

    private func endBus(in world: World) {
        guard isBusPresent else { return }
        world.trace.add(world.now, name, "the message bus ends")
        isBusPresent = false
        logind = 0
        placeSocket(in: world)
        world.machine.setBus(false)
        world.machine.announce(.busEnded, logind: 0)
        later(0.1..<600, in: world) { [unowned self] in startBus(in: $0) }
    }

    private func startBus(in world: World) {
        guard !isBusPresent else { return }
        world.trace.add(world.now, name, "the message bus runs")
        isBusPresent = true
        placeSocket(in: world)
        world.machine.setBus(true)
        startLogind(in: world)
    }

    /// A machine that has lost its power has a new bus.
    func daemonEnded(in world: World) { placeSocket(in: world) }

    func endFaults(in world: World) {
        agenda.clear()
        startBus(in: world)
        startLogind(in: world)
        if announced != nil { agenda.at(world.now) { [unowned self] in endDelay(in: $0) } }
        agenda.at(world.now + .seconds(1)) { [unowned self] in resume(isAnnounced: true, in: $0) }
    }
}

extension Machine {
    /// What happens on the message bus.
    enum BusEvent {
        case sleep, resume, logindGone, logindCame, busEnded

        fileprivate var kind: machine_bus_event_kind {
            switch self {
            case .sleep: MACHINE_BUS_SLEEP
            case .resume: MACHINE_BUS_RESUME
            case .logindGone: MACHINE_BUS_LOGIND_GONE
            case .logindCame: MACHINE_BUS_LOGIND_CAME
            case .busEnded: MACHINE_BUS_ENDED
            }
        }
    }

    /// Lets something happen on the message bus. `logind` is the number of the one that runs then.
    func announce(_ event: BusEvent, logind: Int32) {
        machine_bus_announce(pointer, Int32(event.kind.rawValue), logind)
    }

    /// Whether the message bus accepts connections.
    func setBus(_ isPresent: Bool) { pointer.pointee.bus.is_present = isPresent ? 1 : 0 }

    /// How many locks delay a suspension.
    var logindLocks: Int32 { machine_bus_locks(pointer) }
}
