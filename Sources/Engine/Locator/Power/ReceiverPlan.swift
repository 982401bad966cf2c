import Chronology

/// What the planner requires of a receiver; a driver carries it out.
public enum ReceiverPlan: Sendable, Equatable {
    /// No client needs a position. The receiver uses the lowest power from which the driver can
    /// wake it.
    case sleepIndefinitely
    /// No client needs a position until this time, when the next check or fix is due.
    case sleep(until: Instant)
    /// A client needs fixes now.
    case run(RunPlan)
}

/// How a running receiver operates.
public struct RunPlan: Sendable, Equatable {
    /// The time between two fixes, ``PowerPlanner/minFixInterval`` to 1 s.
    public var period: Instant.Span
    /// The expected movement, for receivers with a dynamic model.
    public var dynamics: Dynamics
    /// Whether the receiver may use its own power-save modes because no client needs low latency.
    public var allowsPowerSave: Bool
    /// Whether this is a duty-cycle fix: a few fixes only. The receiver keeps its settings if it
    /// computes about one fix per second.
    public var isDutyCycleFix: Bool

    /// Creates a plan for a running receiver.
    public init(
        period: Instant.Span = .seconds(1), dynamics: Dynamics = .any, allowsPowerSave: Bool = false,
        isDutyCycleFix: Bool = false
    ) {
        self.period = period
        self.dynamics = dynamics
        self.allowsPowerSave = allowsPowerSave
        self.isDutyCycleFix = isDutyCycleFix
    }
}

/// The dynamic model: the kind of movement that a receiver expects.
public enum Dynamics: String, Sendable, CaseIterable {
    /// Unknown movement: the receiver's default.
    case any
    /// Movement on foot.
    case pedestrian
    /// Movement in a vehicle on wheels.
    case automotive
    /// Flight. The default model of some receivers rejects the altitudes and speeds that occur
    /// there.
    case airborne
}
