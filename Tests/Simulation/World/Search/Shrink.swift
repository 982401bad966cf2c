import Chronology

/// Makes a failing plan smaller while the same invariant fails: without features and actors.
struct Shrink {
    private let invariant: Int
    private var best: Runner.Outcome

    init?(_ outcome: Runner.Outcome) {
        guard let failure = outcome.failure else { return nil }
        invariant = failure.invariant
        best = outcome
    }

    /// Returns the smallest failing run that was found.
    mutating func search(with runner: inout Runner) throws(RunFailure) -> Runner.Outcome {
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for feature in best.plan.features.sorted(by: { $0.rawValue < $1.rawValue }) {
                var plan = best.plan
                plan.features.remove(feature)
                if try fails(plan, runner: &runner) { isSmaller = true }
            }
            for name in actors where !best.plan.without.contains(name) {
                var plan = best.plan
                plan.without.insert(name)
                if try fails(plan, runner: &runner) { isSmaller = true }
            }
        }
        return best
    }

    /// All but the service manager, without which there is no daemon.
    private var actors: [String] { best.actors.filter { $0 != "manager" } }

    private mutating func fails(_ plan: RunPlan, runner: inout Runner) throws(RunFailure) -> Bool {
        let outcome = try runner.run(plan)
        guard outcome.failure?.invariant == invariant else { return false }
        best = outcome
        return true
    }
}
