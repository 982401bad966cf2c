import Chronology
import Glibc

/// Calls of sockets and lines that fail now and then, as they seldom do.
final class Glitches: Actor {
    let name = "glitches"
    private let plan: RunPlan
    private var random: RandomStream
    private var time: Instant? = .zero
    private var isFailing = true

    init(_ plan: RunPlan) {
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: name)
    }

    var deadline: Instant? { time }

    /// What fails, with the errors that the calls have in their manual pages.
    private static let kinds: [(feature: RunPlan.Feature, calls: Machine.Fault.Calls, errors: [Int32])] = [
        (.failingSockets, .send, [ECONNRESET, EPIPE]),
        (.failingSockets, .receive, [ECONNRESET]),
        (.failingSockets, .accept, [EMFILE, ENFILE, ECONNABORTED]),
        (.failingLines, .lineOpen, [EIO, EBUSY, ENODEV]),
        (.failingLines, .lineRead, [EIO]),
        (.failingLines, .lineWrite, [EIO, EAGAIN]),
        (.failingLines, .lineSet, [EIO]),
    ]

    func act(in world: World) {
        isFailing.toggle()
        time = world.now + random.span(20..<2000)
        var faults: [Machine.Fault] = []
        for kind in Glitches.kinds where isFailing && plan.has(kind.feature) && random.chance(0.5) {
            let error = random.element(of: kind.errors) ?? EIO
            // A line has some hundred calls a minute: more errors than that would be another story.
            let rate = random.logarithmic(in: kind.feature == .failingLines ? 0.00001..<0.0005 : 0.0001..<0.02)
            faults.append(.init(action: .fail(errno: error), calls: kind.calls, rate: rate))
        }
        world.trace.add(world.now, name, "\(faults)")
        world.injected(faults, by: name)
    }

    func endFaults(in world: World) {
        time = nil
        world.injected([], by: name)
    }
}
