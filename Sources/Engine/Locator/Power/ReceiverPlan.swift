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

/// How soon clients need the data that arrives on a receiver's port. Fewer reads reduce wakeups of
/// the daemon.
public enum ReadPolicy: Sendable, Hashable {
    /// As soon as data arrives.
    case immediate
    /// At the end of each burst.
    case everyBurst
    /// At the end of each burst, and the arrival of its first byte is measured.
    case timedBurst
    /// At the end of a burst, but at most once per this interval.
    case interval(Instant.Span)
}

/// The plan of one receiver and the read policy of its port. Both determine whether its silence is
/// expected.
struct ReceiverPower: Sendable {
    /// How long a woken receiver may be without a fix before that counts as a fault; equal to the
    /// maximum length of a duty-cycle fix.
    static let wakeTimeout = Instant.Span.seconds(45)

    var planner = PowerPlanner()
    /// The interval of ephemeris refreshes without other demand; nil for none.
    var ephemerisRefreshInterval: Instant.Span?
    private(set) var plan: ReceiverPlan?
    private(set) var readPolicy: ReadPolicy?
    private(set) var wokenAt: Instant?
    /// The maximum delay between a byte's transmission and its read.
    private(set) var maxReadDelay = Instant.Span.zero

    /// Whether the current plan lets the receiver sleep.
    var isSleepPlanned: Bool {
        switch plan {
        case .sleepIndefinitely, .sleep: true
        case .run, nil: false
        }
    }

    /// The end of the time in which a woken receiver may be without a fix; nil if it did not
    /// sleep.
    var wakeDeadline: Instant? { wokenAt.map { $0 + ReceiverPower.wakeTimeout } }

    /// Returns whether silence or a missing fix is expected because of sleep.
    func allowsSilence(at now: Instant) -> Bool { isSleepPlanned || wakeDeadline.map { now < $0 } ?? false }

    /// Returns the planner's plan if it differs from the previous one.
    mutating func newPlan(at now: Instant) -> ReceiverPlan? {
        let new = planner.plan
        guard new != plan else { return nil }
        let slept = isSleepPlanned
        plan = new
        if isSleepPlanned { wokenAt = nil } else if slept { wokenAt = now }
        return new
    }

    /// Sets the read policy. Returns `false` if it is unchanged. Data sent before a change to a
    /// faster policy may still be read at the slower one.
    mutating func setReadPolicy(_ new: ReadPolicy) -> Bool {
        guard new != readPolicy else { return false }
        readPolicy = new
        maxReadDelay = max(maxReadDelay, readDelay)
        return true
    }

    /// Records that bytes were read with the current policy.
    mutating func recordRead() { maxReadDelay = readDelay }

    mutating func recordFix() { if !isSleepPlanned { wokenAt = nil } }

    /// Resets the state after the port was closed. The next opening starts without a plan, and the
    /// time until then counts neither as sleep nor as a search.
    mutating func reset() {
        planner = PowerPlanner(costs: planner.costs)
        plan = nil
        readPolicy = nil
        wokenAt = nil
        maxReadDelay = .zero
    }

    private var readDelay: Instant.Span { if case .interval(let span) = readPolicy { span } else { .zero } }
}
