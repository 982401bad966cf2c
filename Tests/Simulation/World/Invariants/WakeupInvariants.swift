import Chronology
import SextantAPI
import Varlink

extension Invariant {
    /// Wakeups, and calls.
    static let wakeups = [
        Invariant(73, "each reply and each error is one that the interface declares"),
        Invariant(74, "what a watch has said last is what the lists say"),
        Invariant(76, "a wrong configuration is refused and changes nothing, a right one applies"),
        Invariant(44, "between two calls of a user each waiting user is served"),
        Invariant(45, "after at most 32 turns with events, calls come"),
        Invariant(47, "a wakeup has input or due work"),
        Invariant(48, "at most 1.3 wakeups per fix without low latency"),
    ]
}

/// Counts what wakes the daemon.
final class WakeJudge: Actor {
    let name = "wakeups"
    private let plan: RunPlan
    private var begin: Counts?
    private var next: Instant = .zero
    private static let window = Instant.Span.seconds(60)
    /// A daemon that has just started detects its receiver and learns when to read.
    private static let startTime = Instant.Span.seconds(30)
    /// Timers that are due a moment later, and those whose work is done by something else.
    private static let maxIdle = 60.0
    /// The end of each burst is noticed by time, and the parts of one on a slow line.
    private static let idlePerEpoch = 2.0
    private static let maxPerFix = 1.3

    private struct Counts {
        let starts: Int
        let fixes: Int
        let epochs: Int
        let wakeups: (time: UInt64, lines: UInt64, idle: UInt64)

        init(in world: World) {
            starts = world.manager.starts
            fixes = world.fixes
            epochs = world.epochs
            wakeups = world.machine.wakeupsByCause
        }
    }

    init(_ plan: RunPlan) { self.plan = plan }

    var deadline: Instant? { next }

    func act(in world: World) {
        next = world.now + WakeJudge.window
        let end = Counts(in: world)
        defer { begin = end }
        guard let begin, begin.starts == end.starts, begin.wakeups.time <= end.wakeups.time else { return }
        let idle = Double(end.wakeups.idle - begin.wakeups.idle)
        let limit = WakeJudge.maxIdle + WakeJudge.idlePerEpoch * Double(end.epochs - begin.epochs)
        world.require(
            idle <= (world.breaks(47) ? -1 : limit), 47,
            "the daemon woke \(idle) times in a minute and did nothing but set a timer, of \(limit) times")
        let fixes = end.fixes - begin.fixes
        // Streams with low latency get each epoch at once.
        guard fixes >= 50, isSteady, let ready = world.manager.readySince,
            world.now - ready > WakeJudge.startTime + WakeJudge.window,
            world.diskWorks, world.now - world.diskChanged > WakeJudge.window,
            !world.actors.contains(where: { ($0 as? StreamProgram)?.needsLatency ?? false })
        else { return }
        let wakeups = Double(end.wakeups.time - begin.wakeups.time + end.wakeups.lines - begin.wakeups.lines)
        let perFix = wakeups / Double(fixes) * (world.breaks(48) ? 2 : 1)
        world.require(perFix <= WakeJudge.maxPerFix, 48, "\(perFix) wakeups per fix, of \(fixes) fixes in a minute")
    }

    /// Whether there is one receiver, which sends as it should.
    private var isSteady: Bool {
        let others: [RunPlan.Feature] = [
            .plugging, .noise, .failingLines, .silence, .unplugging, .tunnels, .bridge, .corrections, .fleet,
            .announcedSuspend, .probers, .watchers, .agents, .settings,
        ]
        // A slow line has no pauses between bursts.
        return plan.has(.fastLines) && !others.contains(where: plan.has)
    }
}

/// Users with many calls at once, and users with one: who is served when. One of them always has
/// more to read for the daemon.
final class Crowd: Actor {
    let name = "crowd"
    private var random: RandomStream
    private var agenda = Agenda()
    private var greedy: [Connection] = []
    private var modest: [Connection] = []
    private var busy: Connection?
    /// Turns since the modest users have called; nil while nobody waits.
    private var turns: Int?
    private var greedyReplies = 0
    private var waiting = 0

    init(_ plan: RunPlan) {
        random = RandomStream(seed: plan.seed, purpose: name)
        agenda.at(.zero) { [unowned self] in planRush(in: $0) }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private func planRush(in world: World) {
        agenda.at(world.now + random.span(30..<4000)) { [unowned self] world in
            planRush(in: world)
            guard turns == nil, greedy.isEmpty, world.manager.readySince != nil else { return }
            connect(in: world)
            agenda.at(world.now + .seconds(1)) { [unowned self] in rush(in: $0) }
            agenda.at(world.now + .seconds(20)) { [unowned self] in end(in: $0) }
        }
    }

    private func connect(in world: World) {
        func connection(_ text: String, _ user: UInt32) -> Connection? {
            let peer = Machine.Peer(process: Int32(user) + 5000, user: user, unit: "\(text).service")
            return Connection("\(name).\(text)", as: peer, in: world)
        }
        greedy = (0..<random.integer(in: 2..<9)).compactMap { connection("greedy\($0)", 1010) }
        modest = (0..<3).compactMap { connection("modest\($0)", 1011 + UInt32($0)) }
        busy = connection("busy", 1020)
    }

    private func rush(in world: World) {
        guard !greedy.isEmpty, modest.count == 3 else { return }
        (turns, greedyReplies) = (0, 0)
        waiting = modest.count
        world.machine.yieldsEachWait = true
        for connection in greedy {
            for _ in 0..<8 {
                connection.call(ManagerMethods.getStatus, NoParameters(), in: world) { [unowned self] answer in
                    if case .reply = answer { greedyServed(in: world) }
                }
            }
        }
        for connection in modest where !(world.breaks(44) || world.breaks(45)) {
            connection.call(ManagerMethods.getStatus, NoParameters(), in: world) { [unowned self] _ in waiting -= 1 }
        }
    }

    /// A turn serves one call of each connection, and the replies of one turn arrive together.
    private func greedyServed(in world: World) {
        greedyReplies += 1
        world.require(
            waiting == 0 || greedyReplies <= 2 * greedy.count, 44,
            "\(greedyReplies) calls of a user were served while \(waiting) others wait")
    }

    func receive(in world: World) {
        // First those who called least: the replies of one turn have no order here.
        for connection in modest + greedy where connection.hasInput(in: world) { connection.pump(in: world) }
        guard let count = turns else { return }
        guard waiting > 0 else { return finishRush(in: world) }
        turns = count + 1
        // A connection whose reply cannot be sent ends with the next calls.
        let limit = world.plan.has(.failingSockets) ? 96 : 64
        world.require(count < limit || world.breaks(44), 45, "\(waiting) calls wait for \(count) turns with events")
        busy?.sendRaw([UInt8(ascii: " ")], in: world)
    }

    private func finishRush(in world: World) {
        if turns != nil { world.reached(.rushServed) }
        turns = nil
        world.machine.yieldsEachWait = false
    }

    private func end(in world: World) {
        finishRush(in: world)
        for connection in modest + greedy + [busy].compactMap(\.self) { connection.close(in: world) }
        (modest, greedy) = ([], [])
        busy = nil
    }

    func daemonEnded(in world: World) { end(in: world) }
}
