import Chronology

/// What one receiver is to do from now on; the planner's word to a driver.
public enum ReceiverPlan: Sendable, Equatable {
    /// Nobody needs a position. The receiver does the least that it can be brought back from.
    case rest
    /// Nobody needs a position before that instant, when it is to be looked at again.
    case standby(until: Instant)
    /// Fixes for somebody who waits for them.
    case run(RunPlan)
}

/// How a receiver that works is to work.
public struct RunPlan: Sendable, Equatable {
    /// Time from one fix to the next, 0.1 to 10 s.
    public var period: Instant.Span
    /// What moves, for receivers whose filter wants to know.
    public var dynamics: Dynamics
    /// The receiver may save power between fixes where it can; nobody needs each of them at once.
    public var isThrifty: Bool
    /// A few fixes and no more: however the receiver is set will do, as long as it fixes about once a second.
    public var isLook: Bool

    /// A plan to work.
    public init(period: Instant.Span = .seconds(1), dynamics: Dynamics = .any, isThrifty: Bool = false, isLook: Bool = false) {
        self.period = period
        self.dynamics = dynamics
        self.isThrifty = isThrifty
        self.isLook = isLook
    }
}

/// What kind of movement a receiver is told to expect.
public enum Dynamics: String, Sendable, CaseIterable {
    /// Nothing is known: the receiver's default.
    case any
    /// On foot.
    case pedestrian
    /// On wheels.
    case automotive
    /// In the air: a receiver's default model may refuse heights and speeds that occur there.
    case airborne
}
