import Chronology

/// A condition with its state, as ``GeofenceEngine`` stores it. A circle needs no further
/// allocation.
struct MonitoredCondition: Sendable {
    var id: ConditionID
    var condition: FenceCondition
    var tracker: ConditionTracker

    /// When the dwell timer is due; excludes expiry.
    var dwellDeadline: Instant? { tracker.deadline(of: condition, last: nil) }

    /// Returns whether the condition expires at this time.
    func expires(at time: UTCTime) -> Bool { condition.expiry == time && tracker.state != .unmonitored }

    /// Returns whether the condition needs the next evidence at any position, after evidence at
    /// this distance from its boundary.
    func needsEvidence(at now: Instant, distance: Double) -> Bool {
        switch tracker.state {
        case .unmonitored: false
        case .unknown: true
        case .satisfied: distance < 0 || tracker.isPending(condition, at: now)
        case .unsatisfied: distance >= 0 || tracker.isPending(condition, at: now)
        }
    }
}
