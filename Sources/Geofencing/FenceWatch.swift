import Chronology
import Geodesy
import Positioning

/// Any number of conditions, and how each stands: fixes in, events out.
///
/// A fix is shown to those conditions alone to which it may mean something. The others need no look, and cost none:
/// - **far**: the device is known to be outside, and the box of the condition lies beyond the ``coverage``, so far as everything near
///   has been gathered. It is found again by the tree of boxes when the device comes there, or passes it between two fixes.
/// - **near**: its boundary was so many metres away when it was looked at last; it waits in ``due`` until the device can have gone them.
/// - **close**: the device may be on the boundary, or the condition is deciding something. It is shown every fix.
///
/// What is new is shown to the first fix where it is near, and in turn where it is not: ``mostInATurn`` at a time, so that 100,000 that
/// come at once stall nobody. What it costs, and how it was measured: `docs/geofences.md`.
public struct FenceWatch: Sendable {
    /// So many conditions are looked at in one turn; the rest waits for the next.
    static let mostInATurn = 256
    /// Metres about the device in which everything is gathered.
    static let vicinity = 1000.0
    /// A fix vaguer than this says nothing of any boundary, metres.
    static let vague = 1000.0

    var watched: [Watched] = []
    var free: [Int32] = []
    var slots: [ConditionID: Int32] = [:]
    var tree = BoxTree()
    var odometer = Odometer()
    /// The ``Odometer/way`` at which what is far has to be gathered anew.
    var coverage = -Double.infinity
    /// Near ones, by the way at which they are to be looked at.
    var due = DueQueue<Double>()
    /// Close ones, and where in them the next turn begins.
    var close: [Int32] = []
    var turn = 0
    /// Those that were never looked at, in the order in which they came, and how many of them are done.
    var fresh: [Int32] = []
    var freshDone = 0
    /// When more of what waits for a look has it; nil while that takes another fix.
    var nextTurn: Instant?
    /// What the passing of time alone may change.
    var timers = DueQueue<Instant>()
    var expiries = DueQueue<UTCTime>()
    /// The last fix that was taken.
    var last: Sighting?
    var witness = FenceWitness()

    /// Nothing to watch.
    public init() {}

    /// How many conditions there are.
    public var count: Int { slots.count }
    /// Their names, in no order.
    public var identifiers: [ConditionID] { Array(slots.keys) }
    /// Whether there are none.
    public var isEmpty: Bool { slots.isEmpty }

    /// How a condition stands; nil for one that it does not know.
    public func state(of id: ConditionID) -> ConditionState? { slots[id].map { watched[Int($0)].standing.state } }
}

extension FenceWatch {
    /// One condition. A circle has all it needs in here.
    struct Watched: Sendable {
        enum Place: UInt8, Sendable { case gone, far, near, close }

        var id: ConditionID
        var condition: Condition
        var standing: ConditionStanding
        /// The way at which its boundary may have been reached.
        var mark = -Double.infinity
        var place = Place.far

        /// When time alone brings something about, but for its expiry.
        var deadline: Instant? { standing.deadline(of: condition, last: nil) }

        /// Whether it must be shown the next evidence wherever that is, after one at that distance from its boundary.
        func needsEvidence(at now: Instant, distance: Double) -> Bool {
            switch standing.state {
            case .unmonitored: false
            case .unknown: true
            case .satisfied: distance < 0 || standing.isPending(condition, at: now)
            case .unsatisfied: distance >= 0 || standing.isPending(condition, at: now)
            }
        }

        func isDue(_ entry: DueQueue<Double>.Entry) -> Bool { place == .near && mark == entry.key }
    }

    /// A fix, and where it is.
    struct Sighting: Sendable {
        /// As events tell it.
        var fix: Fix
        var evidence: FenceEvidence
        var point: SIMD4<Double>
        /// Metres from a boundary beyond which it puts no known state in doubt.
        var reach: Double

        init(_ fix: Fix, _ evidence: FenceEvidence) {
            (self.fix, self.evidence) = (fix, evidence)
            point = SpaceBox.place(evidence.coordinate)
            reach = ConditionStanding.reach(evidence.radius)
        }

        /// Whether it still says where the device is, to conditions that were never looked at.
        func holds(at now: Instant) -> Bool { evidence.isAtRest || now - evidence.at <= .seconds(10) }
    }
}
