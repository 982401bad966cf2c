import Chronology

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

    /// Records that the receiver has a fix.
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
