import Chronology
import Positioning

/// The subscribers of visits and the visit detector, which runs while there are any.
struct VisitTable: Sendable {
    /// The threshold of the motion detector that visits use.
    static let threshold = StationaryThreshold.any
    /// The demand of visit detection. It is frequent enough to distinguish a stationary device from
    /// a slow walk, and to detect a departure within the same time. While stationary, check fixes
    /// suffice.
    static let demand = Demand(interval: .seconds(30))

    private(set) var subscribers: [RequestID] = []
    /// Whether there are conditions on visits.
    var isMonitored = false
    private var detector = VisitDetector()

    /// Whether there is neither a subscriber nor a condition on visits.
    var isEmpty: Bool { subscribers.isEmpty && !isMonitored }
    /// The current visit.
    var visit: Stay? { detector.visit }
    var deadline: Instant? { isEmpty ? nil : detector.deadline }

    /// Restarts detection from a known stationary period, or from a visit of an earlier run unless
    /// the device is stationary elsewhere.
    mutating func begin(_ place: StationaryPlace?, began: UTCTime?, continuing visit: Stay? = nil, at now: Instant) {
        detector =
            visit.flatMap { VisitDetector(continuing: $0, resting: place, at: now) }
            ?? place.map { VisitDetector(resting: $0, began: began) } ?? VisitDetector()
        _ = detector.tick(at: now)
    }

    /// Continues a visit of an earlier run unless the device is known elsewhere.
    mutating func resume(_ visit: Stay, resting place: StationaryPlace?, at now: Instant) {
        _ = detector.resume(visit, resting: place, at: now)
    }

    mutating func add(_ id: RequestID) { subscribers.append(id) }
    mutating func remove(_ ids: Set<RequestID>) { subscribers.removeAll(where: ids.contains) }

    /// Processes an epoch and the state of the motion detector.
    mutating func process(_ fix: Fix, state: MotionState, at now: Instant) -> VisitAction? {
        isEmpty ? nil : detector.process(fix, state: state, at: now)
    }

    /// Advances to `now`.
    mutating func tick(at now: Instant) -> VisitAction? { isEmpty ? nil : detector.tick(at: now) }

    /// Returns whether visit detection needs a motion detector with this threshold.
    func usesMotionDetector(_ threshold: StationaryThreshold, for selection: ReceiverSelection) -> Bool {
        !isEmpty && threshold == VisitTable.threshold && selection == .best
    }
}

extension VisitAction {
    /// The visit that began or ended.
    var visit: Stay {
        switch self {
        case .arrived(let visit), .departed(let visit): visit
        }
    }
}
