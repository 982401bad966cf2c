import Chronology
import Geodesy
import Positioning

/// The geofence engine: evaluates any number of conditions with each fix and returns their events.
///
/// A fix is evaluated only against conditions that it can affect. The others cost nothing:
/// - **far**: the device is known to be outside, and the box of the condition lies beyond the
///   ``queueRadius``, up to which everything near is queued. The tree of boxes finds it again when
///   the device approaches it or passes it between two fixes.
/// - **near**: the distance to its boundary is known from its last evaluation. It waits in ``due``
///   until the device can have travelled that distance.
/// - **close**: the device may be on the boundary, or a change is being decided. It is evaluated
///   with every fix.
///
/// A new condition is evaluated with the first fix if it is near, and otherwise in turn,
/// ``maxPerTurn`` at a time. So 100,000 new conditions do not block the daemon. Cost and
/// measurements: `docs/geofences.md`.
public struct GeofenceEngine: Sendable {
    /// The largest number of conditions evaluated in one turn; the rest wait for the next.
    static let maxPerTurn = 256
    /// The radius in metres around the device within which all conditions are queued.
    static let queueRadius = 1000.0
    /// The horizontal accuracy in metres beyond which a fix is not evaluated.
    static let maxEvaluatedAccuracy = 1000.0

    var watched: [MonitoredCondition] = []
    var free: [Int32] = []
    var slots: [ConditionID: Int32] = [:]
    var tree = BoxTree()
    var dopplerDistance = TravelBound()
    /// The travelled distance at which far conditions must be queued again.
    var queuedThrough = -Double.infinity
    /// The near conditions, by the travelled distance at which they are due.
    var due = PriorityQueue<Double>()
    /// The close conditions, and the index at which the next turn begins.
    var close: [Int32] = []
    var closeIndex = 0
    /// The conditions not yet evaluated, in the order added, and how many of them are done.
    var unevaluated: [Int32] = []
    var unevaluatedIndex = 0
    /// When the next turn of remaining evaluations is due; nil if they need another fix.
    var nextBatch: Instant?
    /// The dwell timers, and the expiries.
    var timers = PriorityQueue<Instant>()
    var expiries = PriorityQueue<UTCTime>()
    /// The last processed fix.
    var last: LocatedFix?
    var witness = EvidenceBuilder()
    /// First determinations without an event that the caller has yet to take.
    var determinations: [ConditionDetermination] = []

    /// Creates an engine without conditions.
    public init() {}

    /// The number of conditions.
    public var count: Int { slots.count }
    /// The identifiers of all conditions, in no order.
    public var identifiers: [ConditionID] { Array(slots.keys) }
    /// Whether there are no conditions.
    public var isEmpty: Bool { slots.isEmpty }

    /// Returns the state of a condition; nil if the condition is unknown.
    public func state(of id: ConditionID) -> ConditionState? { slots[id].map { watched[Int($0)].snapshot.state } }

    /// Returns the first determinations since the last call that agree with the assumed state and
    /// so produced no event. Each is returned once.
    public mutating func takeDeterminations() -> [ConditionDetermination] {
        guard !determinations.isEmpty else { return [] }
        defer { determinations = [] }
        return determinations
    }
}

extension GeofenceEngine {
    /// One monitored condition. A circle needs no further allocation.
    struct MonitoredCondition: Sendable {
        enum Proximity: UInt8, Sendable { case removed, far, near, close }

        var id: ConditionID
        var condition: Condition
        var snapshot: ConditionTracker
        /// The travelled distance at which the device may have reached the boundary.
        var dueDistance = -Double.infinity
        var place = Proximity.far

        /// When the dwell timer is due; excludes expiry.
        var deadline: Instant? { snapshot.deadline(of: condition, last: nil) }

        /// Returns whether the condition needs the next evidence at any position, after evidence at
        /// this distance from its boundary.
        func needsEvidence(at now: Instant, distance: Double) -> Bool {
            switch snapshot.state {
            case .unmonitored: false
            case .unknown: true
            case .satisfied: distance < 0 || snapshot.isPending(condition, at: now)
            case .unsatisfied: distance >= 0 || snapshot.isPending(condition, at: now)
            }
        }

        func isDue(_ entry: PriorityQueue<Double>.Entry) -> Bool { place == .near && dueDistance == entry.key }
    }

    /// A fix with its evidence and its position in space.
    struct LocatedFix: Sendable {
        /// The fix as events contain it.
        var fix: Fix
        var evidence: FenceEvidence
        var point: SIMD4<Double>
        /// The distance from a boundary in metres beyond which the fix cannot change a known state.
        var reach: Double

        init(_ fix: Fix, _ evidence: FenceEvidence) {
            (self.fix, self.evidence) = (fix, evidence)
            point = ECEFBox.ecefPosition(of: evidence.coordinate)
            reach = ConditionTracker.reach(evidence.radius)
        }

        /// Returns whether the fix is recent enough to evaluate new conditions.
        func isRecent(at now: Instant) -> Bool { evidence.isAtRest || now - evidence.at <= .seconds(10) }
    }
}
