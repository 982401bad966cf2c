import Chronology
import Locator

/// The plan for a receiver, and the part of it that applies now.
struct DriverPlan: Sendable {
    /// The shortest sleep that is worth its commands.
    private static let minSleep = Instant.Span.seconds(5)

    private var plan = ReceiverPlan.run(RunPlan())
    /// The last plan for a running receiver.
    private var lastRun = RunPlan()

    /// When the planned standby ends; nil if no standby is planned.
    var standbyEnd: Instant? { if case .sleep(let until) = plan { until } else { nil } }

    /// Replaces the plan. Returns whether it changed.
    mutating func update(_ plan: ReceiverPlan) -> Bool {
        if case .run(let run) = plan { lastRun = run }
        defer { self.plan = plan }
        return plan != self.plan
    }

    /// Returns the effective plan at `now`. A standby that is over or too short becomes the last
    /// run plan.
    ///
    /// - Parameter isAsleep: Whether the receiver sleeps already, so that any standby is long
    ///   enough.
    func effective(at now: Instant, isAsleep: Bool) -> ReceiverPlan {
        guard let standbyEnd else { return plan }
        let shortest = isAsleep ? Instant.Span(nanoseconds: 1) : DriverPlan.minSleep
        return standbyEnd - now < shortest ? .run(lastRun) : plan
    }
}
