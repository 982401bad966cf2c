import Chronology
import Delivery

/// What one receiver was told to do, and how soon its port is read: what its silence means depends on both.
struct ReceiverPower: Sendable {
    /// A receiver that was woken may be without a fix for so long and nothing is wrong; as long as a look may last.
    static let wakePatience = Instant.Span.seconds(45)

    var planner = PowerPlanner()
    /// How often it is to renew its orbits while nobody needs it; nil for never.
    var keepsWarm: Instant.Span?
    private(set) var plan: ReceiverPlan?
    private(set) var pace: ReadPace?
    private(set) var wokenAt: Instant?
    /// How much later than it was sent a byte may be read.
    private(set) var readLag = Instant.Span.zero

    /// It was told to sleep.
    var isAsleep: Bool {
        switch plan {
        case .rest, .standby: true
        case .run, nil: false
        }
    }

    /// Until when it may be without a fix because it slept; nil where it did not.
    var wakesUntil: Instant? { wokenAt.map { $0 + ReceiverPower.wakePatience } }

    /// Whether it may be silent or without a fix because it was let rest.
    func excuses(at now: Instant) -> Bool { isAsleep || wakesUntil.map { now < $0 } ?? false }

    /// The planner's word, where it is another than the last.
    mutating func newPlan(at now: Instant) -> ReceiverPlan? {
        let new = planner.plan
        guard new != plan else { return nil }
        let slept = isAsleep
        plan = new
        if isAsleep { wokenAt = nil } else if slept { wokenAt = now }
        return new
    }

    /// Takes a pace over; false where it is the present one. What was sent before a faster one still comes at the slower.
    mutating func setPace(_ new: ReadPace) -> Bool {
        guard new != pace else { return false }
        pace = new
        readLag = max(readLag, lag)
        return true
    }

    /// Bytes have come, at the present pace.
    mutating func heard() { readLag = lag }

    /// It has a fix.
    mutating func fixed() { if !isAsleep { wokenAt = nil } }

    /// The port was closed: whatever opens it next has been told nothing.
    mutating func forget() { (plan, pace, wokenAt, readLag) = (nil, nil, nil, .zero) }

    private var lag: Instant.Span { if case .atMostEvery(let span) = pace { span } else { .zero } }
}
