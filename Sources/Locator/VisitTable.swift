import Chronology
import Delivery
import Positioning

/// Who wants to know of visits, and what finds them while anybody does.
struct VisitTable: Sendable {
    /// How long a device must lie still to be at rest here.
    static let patience = MotionPatience.any
    /// Often enough to tell a rest from a slow walk, and a departure within the time that takes; at rest, looks do.
    static let demand = Demand(interval: .seconds(30))

    private(set) var watchers: [StreamID] = []
    private var detector = VisitDetector()

    var isEmpty: Bool { watchers.isEmpty }
    /// The visit that goes on.
    var visit: Visit? { detector.visit }
    var deadline: Instant? { isEmpty ? nil : detector.deadline }

    /// Starts anew, from what is known of a rest.
    mutating func begin(_ place: RestingPlace?, began: UTCTime?, at now: Instant) {
        detector = place.map { VisitDetector(resting: $0, began: began) } ?? VisitDetector()
        _ = detector.tick(at: now)
    }

    mutating func add(_ id: StreamID) { watchers.append(id) }
    mutating func remove(_ id: StreamID) { watchers.removeAll { $0 == id } }

    /// Takes an epoch in, with what the motion detector makes of it.
    mutating func take(_ fix: Fix, _ state: MotionState, at now: Instant) -> VisitAction? {
        isEmpty ? nil : detector.take(fix, state, at: now)
    }

    /// Lets time pass.
    mutating func tick(at now: Instant) -> VisitAction? { isEmpty ? nil : detector.tick(at: now) }

    /// Whether a detector of that patience is wanted.
    func waits(_ patience: MotionPatience, _ receiver: String?) -> Bool {
        !isEmpty && patience == VisitTable.patience && receiver == nil
    }
}
