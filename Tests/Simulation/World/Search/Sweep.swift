import Chronology
import Glibc

/// Lets the k-th call of a class fail, or the daemon end there, for every k.
struct Sweep {
    /// The calls, and what happens to one of them.
    struct Kind {
        let name: String
        let calls: Machine.Fault.Calls
        let action: Machine.Fault.Action
    }

    static let kinds: [Kind] =
        [Machine.Fault.Calls.read, .write, .sync, .open, .name].flatMap { calls in
            [
                Kind(name: "\(calls)-fail", calls: calls, action: .fail(errno: EIO)),
                Kind(name: "\(calls)-kill", calls: calls, action: .kill),
                Kind(name: "\(calls)-power", calls: calls, action: .power),
            ]
        } + [
            Kind(name: "read-timeout", calls: .read, action: .fail(errno: ETIMEDOUT)),
            Kind(name: "write-full", calls: .write, action: .fail(errno: ENOSPC)),
            Kind(name: "send-kill", calls: .send, action: .kill),
            Kind(name: "send-power", calls: .send, action: .power),
            Kind(name: "accept-fail", calls: .accept, action: .fail(errno: EMFILE)),
        ]

    /// What the world does meanwhile.
    struct Scenario {
        let name: String
        let features: Set<RunPlan.Feature>
    }

    static let scenarios = [
        Scenario(name: "fences", features: [.changingConditions, .lateAcknowledgements]),
        Scenario(name: "permissions", features: [.administrator, .logins]),
        Scenario(name: "reloads", features: [.reloads, .changingConditions, .administrator]),
        Scenario(name: "restarts", features: [.restarts, .changingConditions, .lateAcknowledgements]),
        Scenario(name: "visits", features: [.visits, .tunnels]),
        Scenario(name: "requests", features: [.callers, .splitCalls, .crashingPrograms]),
        Scenario(name: "buffers", features: [.smallBuffers, .slowReaders, .changingConditions]),
        Scenario(name: "plugging", features: [.plugging, .unplugging]),
        Scenario(name: "scanning", features: [.plugging, .noUdev, .silence]),
        Scenario(name: "clocks", features: [.clockSteps, .suspend, .visits]),
        Scenario(name: "bridges", features: [.bridge, .corrections]),
        Scenario(name: "reporting", features: [.fleet, .changingConditions]),
    ]

    /// Each scenario with each kind whose name, such as `fences/read-fail`, begins with a text.
    static func all(named prefix: String) -> [(Scenario, Kind)] {
        kinds.flatMap { kind in scenarios.map { ($0, kind) } }.filter { scenario, kind in
            "\(scenario.name)/\(kind.name)".hasPrefix(prefix == "all" ? "" : prefix)
        }
    }

    let scenario: Scenario
    let kind: Kind
    /// Which calls are tried, with a step.
    let seed: UInt64
    /// Only every so many calls.
    let step: Int

    /// The only call that fails; nil for all.
    let call: UInt64?

    var name: String { "\(scenario.name)/\(kind.name)" }

    /// Runs the scenario once per call. Returns the failing runs.
    func run(with runner: inout Runner, until limit: Double) throws(RunFailure) -> [Runner.Outcome] {
        var failing: [Runner.Outcome] = []
        if let call {
            let outcome = try runner.run(plan(call))
            return outcome.failure == nil ? [] : [outcome]
        }
        // Other calls with each seed.
        var call = seed % UInt64(step) + 1
        while runner.elapsed < limit {
            let outcome = try runner.run(plan(call))
            if outcome.failure != nil { failing.append(outcome) }
            // The scenario has no more calls of this class.
            if outcome.fault.fired == 0 { break }
            call += UInt64(step)
        }
        return failing
    }

    private func plan(_ call: UInt64) -> RunPlan {
        var plan = RunPlan(quiet: 1, length: .seconds(1900))
        plan.recovery = .seconds(1100)
        plan.sweep = name
        plan.streams = 1
        plan.features = scenario.features
        let path = [.send, .accept].contains(kind.calls) ? "" : "/var/lib/sextant"
        plan.fault = Machine.Fault(action: kind.action, calls: kind.calls, call: call, path: path)
        return plan
    }
}
