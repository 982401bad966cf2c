import Chronology
import Glibc
import SimulatedMachine

/// Runs the unmodified daemon in a simulated world, with faults, and checks the invariants.
@main
struct Simulation {
    static func main() {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(Options.usage)
            exit(64)
        }
        do throws(RunFailure) {
            exit(try Simulation(options: options).run() ? 0 : 1)
        } catch {
            print("simulation: \(error)")
            exit(70)
        }
    }

    private let options: Options
    private var runner: Runner

    private init(options: Options) {
        self.options = options
        runner = Runner(
            Machine.Paths(program: options.program, library: options.library, scratch: options.scratch))
    }

    /// Returns whether every invariant held.
    private func run() throws(RunFailure) -> Bool {
        if let processor = options.processor { machine_use_processor(processor) }
        var copy = self
        switch options.mode {
        case .one(let seed): return try copy.one(seed)
        case .swarm: return try copy.swarm()
        case .sweep: return try copy.sweep()
        case .breaks: return try copy.breaks()
        }
    }

    private func plan(_ seed: UInt64) -> RunPlan {
        var plan =
            options.quietSeconds.map { RunPlan(quiet: seed, length: .seconds($0)) } ?? RunPlan(swarm: seed)
        if let features = options.onlyFeatures { plan.features = features }
        plan.features.formUnion(options.features)
        plan.without = options.without
        plan.breakage = options.breakage
        plan.tracesCalls = options.tracesCalls
        if let streams = options.streams { plan.streams = streams }
        return plan
    }

    private mutating func one(_ seed: UInt64) throws(RunFailure) -> Bool {
        if options.traces { print("features: \(plan(seed).features.map(\.rawValue).sorted().joined(separator: " "))") }
        let outcome = try runner.run(plan(seed), trace: options.traces ? .standardOutput : .none)
        print("seed \(seed): hash \(Runner.hex(outcome.hash)), \(outcome.seconds) s")
        if options.verifies {
            let again = try runner.run(plan(seed))
            print(again.hash == outcome.hash ? "the same again" : "differs: hash \(Runner.hex(again.hash))")
            if again.hash != outcome.hash { return false }
        }
        if outcome.failure != nil, !options.traces { try runner.explain(outcome) }
        if options.shrinks, var shrink = Shrink(outcome) {
            let smallest = try shrink.search(with: &runner)
            print("smallest:")
            try runner.explain(smallest)
            print("  without: \(smallest.plan.without.sorted().joined(separator: " "))")
        }
        for violation in outcome.violations { print(violation) }
        runner.report("seed \(seed)")
        return outcome.violations.isEmpty
    }

    private mutating func swarm() throws(RunFailure) -> Bool {
        var failures = 0
        var seed = options.firstSeed + UInt64(options.part.number)
        while runner.totals.runs < options.runs, runner.elapsed < options.seconds, runner.totals.failed.count < 20 {
            do throws(RunFailure) {
                let outcome = try runner.run(plan(seed))
                if outcome.failure != nil { try runner.explain(outcome) }
            } catch {
                // The others are still worth it.
                failures += 1
                print("seed \(seed): the simulation fails: \(error)")
                if failures == 10 { break }
            }
            seed += UInt64(options.part.count)
        }
        runner.report("swarm")
        let isComplete = runner.reportMarkers()
        return runner.totals.failed.isEmpty && failures == 0 && (isComplete || !options.requiresMarkers)
    }

    private mutating func sweep() throws(RunFailure) -> Bool {
        let all = Sweep.all(named: options.sweep)
        // Each has two seconds at least: in a short time every seed has others.
        let count = min(all.count, max(Int(options.seconds / 2), 1))
        for index in 0..<count where index % options.part.count == options.part.number {
            let (scenario, kind) = all[Int((options.firstSeed &* 31 &+ UInt64(index)) % UInt64(all.count))]
            let sweep = Sweep(
                scenario: scenario, kind: kind, seed: options.firstSeed, step: options.sweepStep, call: options.call)
            // Each has its share of the time.
            let share = options.seconds * Double(index + 1) / Double(count)
            let failing = try sweep.run(with: &runner, until: share)
            for outcome in failing.prefix(3) { try runner.explain(outcome) }
            runner.report("sweep \(sweep.name), \(failing.count) failing")
        }
        return runner.totals.failed.isEmpty
    }

    /// Each deliberate break must be detected by its invariant.
    private mutating func breaks() throws(RunFailure) -> Bool {
        var isGood = true
        for (index, invariant) in Breakage.all.enumerated() where index % options.part.count == options.part.number {
            var plan = Breakage.plan(for: invariant, seed: options.firstSeed)
            plan.breakage = invariant
            if let only = options.breakage, only != invariant { continue }
            var found: Int?
            var seeds = 0
            while found != invariant, seeds < 20 {
                let outcome = try runner.run(plan)
                found =
                    outcome.violations.contains { $0.invariant == invariant } ? invariant : outcome.failure?.invariant
                seeds += 1
                plan = plan.again(with: plan.seed + 1)
            }
            isGood = isGood && found == invariant
            let text =
                found == invariant
                ? "found after \(seeds) seeds" : "not found, but \(found.map(String.init) ?? "nothing")"
            print("break \(invariant): \(text)")
        }
        return isGood
    }
}
