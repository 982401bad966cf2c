import Chronology
import Geodesy
import Geofencing
import Positioning

/// The conditions on visits: they are satisfied while the device visits a place.
struct VisitConditions: Sendable {
    private struct Monitored: Sendable {
        var state: ConditionState
        var expiry: UTCTime?
        /// The place of the last event; nil if there was none.
        var place: ConditionPlace?
    }

    private var conditions: [ConditionID: Monitored] = [:]

    var isEmpty: Bool { !conditions.values.contains { $0.state != .unmonitored } }
    /// The identifiers of all conditions, in no order.
    var identifiers: [ConditionID] { Array(conditions.keys) }

    func state(of id: ConditionID) -> ConditionState? { conditions[id]?.state }

    /// Adds a condition during a visit, or without one. The saved state and the place are those of
    /// the last event.
    mutating func add(_ entry: GeofenceEngine.Entry, during visit: Stay?) -> [ConditionEvent] {
        let state = entry.snapshot?.state ?? .unknown
        conditions[entry.id] = Monitored(state: state, expiry: entry.condition.expiry, place: entry.place)
        // After a departure, a visit of the same place is another one.
        let isContinued =
            state == .satisfied && visit.map { visit in entry.place.map { isSame(visit, $0) } ?? false } ?? false
        var events: [ConditionEvent] = []
        if state == .satisfied, !isContinued { events.append(undetectedDeparture(of: entry.id)) }
        if let visit, !isContinued {
            let kind: ConditionEvent.Kind = state == .unknown ? .determined : .entered
            events.append(event(kind, .satisfied, of: entry.id, visit))
        }
        return events
    }

    mutating func remove(_ id: ConditionID) { conditions[id] = nil }

    /// Returns the events of a visit that began or ended.
    mutating func events(of visit: Stay) -> [ConditionEvent] {
        let (kind, state): (ConditionEvent.Kind, ConditionState) =
            visit.departure == nil ? (.entered, .satisfied) : (.left, .unsatisfied)
        var events: [ConditionEvent] = []
        for id in conditions.keys.sorted() {
            guard let monitored = conditions[id], monitored.state != .unmonitored else { continue }
            if state == .satisfied, monitored.state == state {
                // Without a departure between them, two arrivals at one place are one visit.
                guard let place = monitored.place, !isSame(visit, place) else { continue }
                events.append(undetectedDeparture(of: id))
            }
            if conditions[id]?.state != state { events.append(event(kind, state, of: id, visit)) }
        }
        return events
    }

    /// Ends a visit that ended while nobody detected visits: its end has no date.
    private mutating func undetectedDeparture(of id: ConditionID) -> ConditionEvent {
        conditions[id]?.state = .unsatisfied
        let place = conditions[id]?.place.map { Fix(coordinate: $0.coordinate, radius: $0.radius, time: $0.date) }
        return ConditionEvent(id, kind: .left, state: .unsatisfied, location: place)
    }

    mutating func expire(at time: UTCTime?) -> [ConditionEvent] {
        guard let time, !conditions.isEmpty else { return [] }
        var events: [ConditionEvent] = []
        for (id, monitored) in conditions.sorted(by: { $0.key < $1.key }) where monitored.state != .unmonitored {
            guard let expiry = monitored.expiry, expiry <= time else { continue }
            conditions[id]?.state = .unmonitored
            events.append(ConditionEvent(id, kind: .expired, state: .unmonitored, date: expiry))
        }
        return events
    }

    private mutating func event(
        _ kind: ConditionEvent.Kind, _ state: ConditionState, of id: ConditionID, _ visit: Stay
    ) -> ConditionEvent {
        let date = (visit.departure ?? visit.arrival).time
        conditions[id]?.state = state
        conditions[id]?.place = ConditionPlace(coordinate: visit.coordinate, radius: visit.radius, date: date)
        return ConditionEvent(
            id, kind: kind, state: state, date: date,
            location: Fix(coordinate: visit.coordinate, radius: visit.radius, time: date))
    }

    private func isSame(_ visit: Stay, _ place: ConditionPlace) -> Bool {
        visit.coordinate.distance(to: place.coordinate)
            <= VisitDetector.placeRadius + max(visit.radius, place.radius)
    }
}

extension Fix {
    /// Creates the position of a visit: an average of positions, without their other values.
    fileprivate init(coordinate: Coordinate, radius: Double, time: UTCTime?) {
        self.init(mode: .twoD, quality: .autonomous)
        self.coordinate = coordinate
        horizontalAccuracy = radius
        accuracySource = .assumed
        self.time = time
    }
}

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
