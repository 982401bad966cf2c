import Chronology
import Glibc
import SextantAPI

extension Invariant {
    /// Receivers and their power.
    static let ports = [
        Invariant(33, "what must be restored is durable before the command"),
        Invariant(34, "no receiver stays asleep or changed after SIGTERM"),
        Invariant(36, "a device is open once"),
        Invariant(37, "attributed energy adds up to the total"),
        Invariant(66, "an announced suspension is delayed for 5 s at most, and receivers sleep before it"),
        Invariant(67, "receivers wake after a suspension"),
        Invariant(68, "a receiver is told no wrong time, and no place where the device is not"),
        Invariant(69, "a receiver is told nothing, and no last place is kept, while the configuration forbids it"),
        Invariant(70, "a device at rest is looked for once an hour at least"),
    ]
}

extension World {
    /// The actors around the machine: devices, clocks, users.
    func surroundings() throws(RunFailure) -> [any Actor] {
        machine.hasUdev = !plan.has(.noUdev)
        machine.setOrderRandom(plan.seed % 2 == 0)
        // Where the clock is set or the machine stands still, it would be wrong.
        machine.isClockSynchronized = plan.has(.synchronizedClock) && !plan.has(.clockSteps) && !plan.suspends
        var actors: [any Actor] = [PortJudge(plan)]
        if plan.has(.failingSockets) || plan.has(.failingLines) { actors.append(Glitches(plan)) }
        if plan.has(.plugging) {
            for index in 0..<plan.pluggedReceivers {
                actors.append(try PluggedReceiver(index, plan, machine, journey))
            }
        }
        if plan.has(.clockSteps) || plan.has(.suspend) { actors.append(ClockKeeper(plan)) }
        if plan.has(.announcedSuspend) { actors.append(Suspender(plan)) }
        if plan.has(.locationSwitch) { actors.append(LocationSwitch(plan)) }
        if plan.has(.motion) { actors.append(MotionReporter(plan, journey)) }
        if plan.has(.logins) { actors.append(LoginManager(plan)) }
        return actors
    }
}

extension Invariant {
    /// The other programs of Sextant.
    static let programs = [
        Invariant(60, "connections to a bridge survive restarts of the daemon"),
        Invariant(61, "the times of a bridge's client do not go back"),
        Invariant(62, "each client of a bridge has positions at the quiet end"),
        Invariant(63, "no record is sent again after it was confirmed"),
        Invariant(65, "a caster of corrections is reached again within 5 min"),
        Invariant(64, "the reporting program is connected at the quiet end"),
    ]
}

extension World {
    /// The user of the program that fetches corrections, which the configuration allows.
    static let correctionsUser: UInt32 = 993

    /// The other programs, with their peers.
    func programs() throws(RunFailure) -> [any Actor] {
        var actors: [any Actor] = []
        if plan.has(.bridge) {
            let listener = try machine.listen(at: GPSDClient.address, name: "gpsd")
            let bridge = Companion(
                "bridge", "sextant-bridge", index: 1, ["gpsd"], listeners: [listener], user: 991, plan)
            actors += [bridge, GPSDClient("gpsd0", bridge, plan), GPSDClient("gpsd1", bridge, plan)]
        }
        if plan.has(.corrections) {
            let password = "\(machine.root)/etc/sextant/caster-password"
            _ = FileTree.write("secret\n", to: password)
            chmod(password, 0o600)
            let address = "ntrip://user@\(NTRIPCaster.host)/BASE"
            let arguments = ["inlet", "--ntrip", address, "--password-file", "/etc/sextant/caster-password", "base"]
            actors.append(try NTRIPCaster(plan, machine))
            actors.append(
                Companion(
                    "inlet", "sextant-bridge", index: 3, arguments, listeners: [], user: World.correctionsUser,
                    mayExit: true, plan))
        }
        if plan.has(.fleet) {
            _ = FileTree.makeFolders("\(machine.root)/var/lib/fleet")
            let arguments = ["--state", "/var/lib/fleet", "--destination", "mqtt://\(MQTTBroker.host):1883"]
            actors.append(try MQTTBroker(plan, machine))
            actors.append(
                Companion(
                    "fleet", "sextant-fleet", index: 2, arguments, listeners: [], user: 992, mayExit: true, plan))
        }
        return actors
    }
}

/// Judges receivers and energy: a program of the administrator that looks at them now and then.
final class PortJudge: Actor {
    let name = "ports"
    private let peer = Machine.Peer(process: 4100, user: 0)
    private var random: RandomStream
    private var connection: Connection?
    private var time: Instant? = .zero
    private var turns = Turns()

    /// How often the daemon woke in the present second.
    private struct Turns {
        var second: Int64 = 0
        var wakeups: UInt64 = 0
    }

    /// More wakeups in a second are a loop: a burst at 10 Hz has some tens.
    private static let maxWakeups: UInt64 = 5000

    init(_ plan: RunPlan) { random = RandomStream(seed: plan.seed, purpose: name) }

    var deadline: Instant? { time }

    func act(in world: World) {
        time = world.now + random.span(30..<2000)
        connection = connection ?? Connection(name, as: peer, in: world)
        connection?.call(ManagerMethods.getPower, GetPowerParameters(), in: world) { [unowned self] answer in
            guard case .reply(let power, _) = answer else { return }
            for report in [power.start] + power.days { judge(report, in: world) }
        }
    }

    /// Joules are rounded, each by itself.
    private func judge(_ report: EnergyReport, in world: World) {
        guard !report.consumers.isEmpty else { return }
        let sum = report.consumers.reduce(0) { $0 + $1.joules }
        let tolerance = 0.01 * Double(report.consumers.count + 1) + 0.001 * report.joules
        world.require(
            abs(sum - report.joules) <= tolerance, 37,
            "\(report.day ?? "since the start"): \(sum) J of the consumers, \(report.joules) J in all")
        let seconds = [report.operation, report.saving, report.search, report.standby, report.closed]
        world.require(
            seconds.allSatisfy { $0 >= 0 }, 37, "\(report.day ?? "since the start"): negative times \(seconds)")
    }

    func receive(in world: World) {
        countTurns(in: world)
        guard let connection, connection.hasInput(in: world) else { return }
        connection.pump(in: world)
        if !connection.isOpen { self.connection = nil }
    }

    private func countTurns(in world: World) {
        let second = world.now.nanoseconds / 1_000_000_000
        let wakeups = world.machine.wakeups
        if second != turns.second || wakeups < turns.wakeups { turns = Turns(second: second, wakeups: wakeups) }
        world.require(
            wakeups - turns.wakeups < PortJudge.maxWakeups, 49,
            "the daemon woke \(wakeups - turns.wakeups) times in a second")
    }

    func daemonEnded(in world: World) {
        connection?.close(in: world)
        connection = nil
    }
}
