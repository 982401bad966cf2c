import Chronology
import Glibc

/// Runs plans and reports what they found.
struct Runner {
    let paths: Machine.Paths
    /// Totals of all runs.
    private(set) var totals = Totals()
    private let began = Runner.clock()

    /// What was simulated.
    struct Totals {
        var runs = 0
        var seconds = 0.0
        var starts = 0
        var powerCuts = 0
        var failed: [UInt64] = []
        /// In how many runs each rare state was reached.
        var markers: [Marker: Int] = [:]
    }

    /// The result of one run.
    struct Outcome {
        let plan: RunPlan
        let hash: UInt64
        let violations: [Violation]
        let seconds: Double
        let starts: Int
        let powerCuts: Int
        let lines: [String]
        /// The actors that can be left out.
        let actors: [String]
        /// How often the only fault of a sweep met its calls, and fired.
        let fault: (seen: UInt64, fired: UInt64)

        var failure: Violation? { violations.first }
    }

    init(_ paths: Machine.Paths) { self.paths = paths }

    /// The host's clock in seconds: only for the limits of the search, never in a run.
    static func clock() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Seconds since the search began.
    var elapsed: Double { Runner.clock() - began }

    /// Runs one plan.
    mutating func run(_ plan: RunPlan, trace: Trace.Output = .none) throws(RunFailure) -> Outcome {
        let world = try World(plan, paths: paths, trace: trace)
        defer { world.end() }
        try world.run()
        let outcome = Outcome(
            plan: plan, hash: world.hash, violations: world.violations,
            seconds: (world.now - world.journey.origin).seconds, starts: world.manager.starts,
            powerCuts: world.manager.powerCuts, lines: world.trace.lines, actors: world.actors.map(\.name),
            fault: world.machine.counts(ofFault: 0))
        totals.runs += 1
        totals.seconds += outcome.seconds
        totals.starts += outcome.starts
        totals.powerCuts += outcome.powerCuts
        for marker in world.markers { totals.markers[marker, default: 0] += 1 }
        if !outcome.violations.isEmpty { totals.failed.append(plan.seed) }
        return outcome
    }

    /// Runs a plan again with a trace, and prints the end of it.
    mutating func explain(_ outcome: Outcome) throws(RunFailure) {
        guard let failure = outcome.failure else { return }
        let before = totals
        let again = try run(outcome.plan, trace: .last(40))
        totals = before
        for line in again.lines.suffix(40) { print("  \(line.prefix(400))") }
        print("seed \(outcome.plan.seed), hash \(Runner.hex(outcome.hash)): \(failure)")
        if again.hash != outcome.hash { print("the second run had the hash \(Runner.hex(again.hash))") }
        print("  again: make simulate ARGUMENTS='\(outcome.plan.command)'")
    }

    /// Prints the totals.
    func report(_ name: String) {
        let days = totals.seconds / 86_400
        let rate = days / max(elapsed, 0.001) * 60
        print(
            "\(name): \(totals.runs) runs, \(Runner.rounded(days)) days, \(totals.starts) starts, "
                + "\(totals.powerCuts) power cuts, \(totals.failed.count) violations; "
                + "\(Runner.rounded(rate)) days per minute")
        fflush(nil)
    }

    /// Prints how often each rare state was reached. Returns whether each was.
    func reportMarkers() -> Bool {
        let lines = Marker.allCases.map { "\($0) \(totals.markers[$0] ?? 0)" }
        print("markers: \(lines.joined(separator: ", "))")
        fflush(nil)
        return Marker.allCases.allSatisfy { totals.markers[$0] != nil }
    }

    static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
    static func hex(_ value: UInt64) -> String { String(value, radix: 16) }
}
