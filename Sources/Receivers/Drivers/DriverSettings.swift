import Chronology
import Delivery
import Positioning

/// The properties of a driver's port.
package struct DriverSettings: Sendable {
    /// Whether the driver never writes.
    package var isPassive = false
    /// Whether the port is the receiver's own USB port, not a converter.
    package var isNativeUSB = false
    /// The baud rate of the line; nil if it has none.
    package var baud: Int?
    /// What is known about the receiver in advance.
    package var identity = ReceiverIdentity()
    /// The state that an earlier run of the program saved.
    package var savedState: ReceiverStateRecord?
    /// Whether the driver may close the port while nobody needs the receiver.
    package var mayClose = true

    /// Creates settings for an unknown receiver.
    package init() {}
}

/// The plan for a receiver, and the part of it that applies now.
struct DriverPlan: Sendable {
    /// The shortest standby that is worth its commands.
    private static let minRest = Instant.Span.seconds(5)

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
    func effective(at now: Instant, isResting: Bool) -> ReceiverPlan {
        guard let standbyEnd else { return plan }
        let shortest = isResting ? Instant.Span(nanoseconds: 1) : DriverPlan.minRest
        return standbyEnd - now < shortest ? .run(lastRun) : plan
    }
}
