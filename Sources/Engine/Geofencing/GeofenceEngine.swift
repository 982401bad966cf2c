import Chronology
import Geodesy
import Positioning

/// The geofence engine: evaluates any number of conditions with each fix and returns their events.
///
/// ``EvaluationSchedule`` selects the conditions that a fix can affect. A new condition is
/// evaluated with the first fix if it is near, and otherwise in slices of ``maxPerSlice``. So
/// 100,000 new conditions do not block the daemon. Cost and measurements: `docs/geofences.md`.
public struct GeofenceEngine: Sendable {
    /// The largest number of conditions evaluated in one slice; the rest are evaluated in the next.
    static let maxPerSlice = 256
    /// The time between two slices of remaining evaluations, so that other work can run in between.
    private static let sliceInterval = Instant.Span.milliseconds(20)
    /// The horizontal accuracy in metres beyond which a fix is not evaluated.
    static let maxEvaluatedAccuracy = 1000.0

    /// The conditions by slot. The slots of removed conditions are used again.
    private var conditions: [MonitoredCondition] = []
    private var freeSlots: [Int32] = []
    private var slots: [ConditionID: Int32] = [:]
    private var schedule = EvaluationSchedule()
    /// When the next slice of remaining evaluations is due; nil if they need another fix.
    private var nextSlice: Instant?
    private var dwellTimers = PriorityQueue<Instant>()
    private var expiries = PriorityQueue<UTCTime>()
    private var evidenceBuilder = EvidenceBuilder()
    private var last: LocatedFix?
    /// First determinations without an event that the caller has yet to take.
    private var determinations: [ConditionDetermination] = []

    /// Creates an engine without conditions.
    public init() {}

    /// The number of conditions.
    public var count: Int { slots.count }
    /// The identifiers of all conditions, in no order.
    public var identifiers: [ConditionID] { Array(slots.keys) }
    /// Whether there are no conditions.
    public var isEmpty: Bool { slots.isEmpty }

    /// Returns the first determinations since the last call that agree with the assumed state and
    /// so produced no event. Each is returned once.
    public mutating func takeDeterminations() -> [ConditionDetermination] {
        guard !determinations.isEmpty else { return [] }
        defer { determinations = [] }
        return determinations
    }
}

// MARK: Adding and removing conditions
extension GeofenceEngine {
    /// A condition to monitor.
    public struct Entry: Sendable {
        /// The identifier of the condition.
        public var id: ConditionID
        /// The condition.
        public var condition: FenceCondition
        /// The saved state; nil for a new condition.
        public var snapshot: ConditionSnapshot?
        /// The position of the last event; nil for areas, and if there was none.
        public var place: ConditionPlace?

        /// Creates an entry for a condition that is new or loaded from the store.
        public init(
            id: ConditionID, condition: FenceCondition, snapshot: ConditionSnapshot? = nil, place: ConditionPlace? = nil
        ) {
            self.id = id
            self.condition = condition
            self.snapshot = snapshot
            self.place = place
        }
    }

    /// Adds conditions. An entry with a known identifier replaces that condition. If the device's
    /// position is known, the next ticks evaluate them. Conditions without an area are ignored.
    public mutating func add(_ batch: [Entry], at now: Instant) {
        for entry in batch where slots[entry.id] != nil { remove(CollectionOfOne(entry.id)) }
        reserveCapacity(forAdding: batch.count)
        var boxes: [(slot: Int32, box: ECEFBox)] = []
        boxes.reserveCapacity(batch.count)
        for entry in batch where slots[entry.id] == nil && entry.condition.shape != nil {
            let slot = store(entry)
            slots[entry.id] = slot
            schedule.add(slot, state: conditions[Int(slot)].tracker.state)
            guard schedule.contains(slot) else { continue }
            if let expiry = entry.condition.expiry { expiries.push(slot, key: expiry) }
            boxes.append((slot, ECEFBox(entry.condition.area)))
        }
        schedule.insert(boxes)
        if let last, last.isRecent(at: now) { nextSlice = now }
    }

    /// Removes conditions.
    public mutating func remove(_ ids: some Sequence<ConditionID>) {
        for id in ids {
            guard let slot = slots.removeValue(forKey: id) else { continue }
            schedule.remove(slot)
            // Release the memory of the rings. This also makes the timer and expiry entries stale.
            conditions[Int(slot)].condition = FenceCondition(shape: .corridor(path: [], width: 0))
            freeSlots.append(slot)
        }
        if slots.isEmpty { self = GeofenceEngine() } else { removeStaleEntries() }
    }

    private mutating func reserveCapacity(forAdding additional: Int) {
        guard additional > 64 else { return }
        let count = slots.count + additional
        slots.reserveCapacity(count)
        conditions.reserveCapacity(max(conditions.count, count))
        schedule.reserveCapacity(count, additional: additional)
    }

    /// Stores a condition and returns its slot.
    private mutating func store(_ entry: Entry) -> Int32 {
        let new = MonitoredCondition(
            id: entry.id, condition: entry.condition,
            tracker: ConditionTracker(entry.condition, snapshot: entry.snapshot))
        if let slot = freeSlots.popLast() {
            conditions[Int(slot)] = new
            return slot
        }
        conditions.append(new)
        return Int32(truncatingIfNeeded: conditions.count - 1)
    }

    /// Drops stale queue entries once they outnumber the valid ones. Also drops stale entries at
    /// the front, which would cause needless wakeups.
    private mutating func removeStaleEntries() {
        let (limit, conditions) = (2 * slots.count + 64, conditions)
        schedule.removeStaleEntries(limit: limit)
        if dwellTimers.count > limit { dwellTimers.filter { conditions[Int($0.slot)].dwellDeadline == $0.key } }
        if expiries.count > limit { expiries.filter { conditions[Int($0.slot)].condition.expiry == $0.key } }
        while let timer = dwellTimers.first, conditions[Int(timer.slot)].dwellDeadline != timer.key {
            _ = dwellTimers.pop()
        }
        while let expiry = expiries.first, !conditions[Int(expiry.slot)].expires(at: expiry.key) {
            _ = expiries.pop()
        }
    }
}

// MARK: Queries about the device and the conditions, for display and for planning
extension GeofenceEngine {
    /// The state of a condition and its distance from a point.
    public struct ConditionDistance: Sendable, Equatable {
        /// The condition.
        public var condition: ConditionID
        /// The state of the condition.
        public var state: ConditionState
        /// The distance to the boundary in metres, positive inside.
        public var margin: Double
        /// Whether the condition needs more fixes to confirm a crossing.
        public var isDeciding: Bool
    }

    /// Returns the state of a condition; nil if the condition is unknown.
    public func state(of id: ConditionID) -> ConditionState? { slots[id].map { conditions[Int($0)].tracker.state } }

    /// When the last fix arrived that was accurate enough to evaluate conditions.
    public var lastEvaluation: Instant? { last?.evidence.at }

    /// The distance in metres that the device can travel before any condition needs an evaluation;
    /// 0 if the next fix or a first evaluation is needed, nil if there are none.
    public var distanceToNextEvaluation: Double? {
        guard !schedule.isEmpty else { return nil }
        return last.map { schedule.distanceToNextEvaluation(influenceDistance: $0.influenceDistance) } ?? 0
    }

    /// Returns whether a condition needs consecutive fixes, because its state is in doubt or not
    /// yet evaluated.
    public func needsConsecutiveFixes(at now: Instant) -> Bool {
        guard !schedule.isEmpty else { return false }
        return last == nil || schedule.hasUnevaluated
            || schedule.isEvaluatedWithEveryFix { conditions[Int($0)].tracker.isDeciding(at: now) }
    }

    /// Returns those of the given conditions whose boundaries are nearest, nearest first, without
    /// unmonitored ones. The cost is that of the given conditions, however many others there are.
    public func nearest(
        to coordinate: Coordinate, among ids: some Sequence<ConditionID>, count: Int
    ) -> [ConditionDistance] {
        var found = ids.compactMap { distance(of: $0, to: coordinate) }.filter { $0.state != .unmonitored }
        found.sort { (abs($0.margin), $0.condition) < (abs($1.margin), $1.condition) }
        return Array(found.prefix(max(count, 0)))
    }

    /// Returns the state of one condition and its distance from a point; nil if the condition is
    /// unknown.
    public func distance(of id: ConditionID, to coordinate: Coordinate) -> ConditionDistance? {
        slots[id].map { distance(of: conditions[Int($0)], to: coordinate) }
    }

    private func distance(of monitored: MonitoredCondition, to coordinate: Coordinate) -> ConditionDistance {
        ConditionDistance(
            condition: monitored.id, state: monitored.tracker.state,
            margin: monitored.condition.area.signedDistance(from: coordinate),
            isDeciding: last.map { monitored.tracker.isDeciding(at: $0.evidence.at) } ?? false)
    }
}

// MARK: Processing of fixes and timers
extension GeofenceEngine {
    /// When to call ``tick(at:into:)`` next; nil if nothing is due.
    public var deadline: Instant? {
        var expiry: Instant?
        if let first = expiries.first?.key, let time = last?.evidence.time, let at = last?.evidence.at {
            let due = at + first.span(since: time)
            // A clamped instant is before the expiry: its timer would find nothing due.
            expiry = due.nanoseconds == .max ? nil : due
        }
        return earliest(expiry, earliest(dwellTimers.first?.key, nextSlice))
    }

    /// Processes an epoch of the primary receiver. Events are appended in order of time, then of
    /// condition.
    ///
    /// - Parameters:
    ///   - motion: The motion detector's action for this epoch.
    ///   - stationaryPosition: The position of a stationary device after this epoch, which replaces
    ///     that of the fix.
    public mutating func process(
        _ fix: Fix, motion: MotionAction? = nil, stationaryPosition: StationaryPlace? = nil, at now: Instant,
        into events: inout [ConditionEvent]
    ) {
        guard !slots.isEmpty else { return }
        let first = events.count
        runTimers(until: now, into: &events)
        if let evidence = evidenceBuilder.process(fix, motion: motion, stationaryPosition: stationaryPosition, at: now),
            evidence.radius <= GeofenceEngine.maxEvaluatedAccuracy
        {
            let located = LocatedFix(stationaryPosition.map { fix.resting(at: $0) } ?? fix, evidence: evidence)
            schedule.process(located)
            last = located
            let count = evaluateSlice(with: located, into: &events)
            evaluateDue(with: located, limit: GeofenceEngine.maxPerSlice - count, at: now, into: &events)
        }
        removeStaleEntries()
        GeofenceEngine.sort(&events, from: first)
    }

    /// Processes timers and remaining evaluations that are due.
    public mutating func tick(at now: Instant, into events: inout [ConditionEvent]) {
        guard let deadline, deadline <= now else { return }
        let first = events.count
        runTimers(until: now, into: &events)
        if let last, let nextSlice, nextSlice <= now {
            schedule.queueAdded(near: last)
            evaluateDue(with: last, limit: GeofenceEngine.maxPerSlice, at: now, into: &events)
        }
        removeStaleEntries()
        GeofenceEngine.sort(&events, from: first)
    }

    /// Processes dwell timers and expiries.
    private mutating func runTimers(until now: Instant, into events: inout [ConditionEvent]) {
        while let timer = dwellTimers.first, timer.key <= now {
            _ = dwellTimers.pop()
            if conditions[Int(timer.slot)].dwellDeadline == timer.key {
                runTimer(of: timer.slot, at: now, into: &events)
            }
        }
        guard let evidence = last?.evidence, let time = evidence.time?.advanced(by: now - evidence.at) else { return }
        while let expiry = expiries.first, expiry.key <= time {
            _ = expiries.pop()
            if conditions[Int(expiry.slot)].expires(at: expiry.key) {
                runTimer(of: expiry.slot, at: now, into: &events)
            }
        }
    }

    private mutating func runTimer(of slot: Int32, at now: Instant, into events: inout [ConditionEvent]) {
        let index = Int(slot)
        let outcomes = conditions[index].tracker.tick(at: now, last: last?.evidence, of: conditions[index].condition)
        appendEvents(for: outcomes, of: conditions[index], location: last?.fix, to: &events)
        if let deadline = conditions[index].dwellDeadline, deadline > now { dwellTimers.push(slot, key: deadline) }
        if conditions[index].tracker.state == .unmonitored { schedule.remove(slot) }
    }

    /// Evaluates a slice of the conditions that need every fix. Returns how many it evaluated.
    private mutating func evaluateSlice(with fix: LocatedFix, into events: inout [ConditionEvent]) -> Int {
        let count = schedule.beginSlice(limit: GeofenceEngine.maxPerSlice)
        for index in 0..<count { evaluate(schedule.slot(inSliceAt: index), with: fix, into: &events) }
        schedule.endSlice(count: count)
        return count
    }

    /// Evaluates up to `limit` conditions: first those that are due, then those not yet evaluated.
    private mutating func evaluateDue(
        with fix: LocatedFix, limit: Int, at now: Instant, into events: inout [ConditionEvent]
    ) {
        var remaining = limit
        while remaining > 0, let slot = schedule.takeNext(influenceDistance: fix.influenceDistance) {
            evaluate(slot, with: fix, into: &events)
            remaining -= 1
        }
        nextSlice = remaining > 0 || !fix.isRecent(at: now) ? nil : now + GeofenceEngine.sliceInterval
    }

    /// Evaluates one condition with a fix and schedules its next evaluation.
    private mutating func evaluate(_ slot: Int32, with fix: LocatedFix, into events: inout [ConditionEvent]) {
        guard schedule.contains(slot) else { return }
        let index = Int(slot)
        let oldDeadline = conditions[index].dwellDeadline
        let wasUnknown = conditions[index].tracker.state == .unknown
        let distance = conditions[index].condition.area.signedDistance(from: fix.evidence.coordinate)
        let outcomes = conditions[index].tracker.process(
            fix.evidence, of: conditions[index].condition, distance: distance)
        if wasUnknown { recordDetermination(of: conditions[index], outcomes: outcomes, date: fix.evidence.time) }
        if !outcomes.isEmpty {
            appendEvents(for: outcomes, of: conditions[index], location: fix.fix, to: &events)
            if conditions[index].tracker.state == .unmonitored { return schedule.remove(slot) }
        }
        if let deadline = conditions[index].dwellDeadline, deadline != oldDeadline {
            dwellTimers.push(slot, key: deadline)
        }
        let needsNextFix = conditions[index].needsEvidence(at: fix.evidence.at, distance: distance)
        schedule.schedule(slot, after: fix, distance: distance, needsNextFix: needsNextFix)
    }

    /// Records a first determination without an event.
    private mutating func recordDetermination(
        of monitored: MonitoredCondition, outcomes: ConditionOutcomes, date: UTCTime?
    ) {
        switch monitored.tracker.state {
        case .unknown, .unmonitored: return
        case .satisfied, .unsatisfied: break
        }
        guard outcomes.first?.kind != .determined else { return }
        determinations.append(
            ConditionDetermination(of: monitored.id, snapshot: monitored.tracker.snapshot, date: date))
    }

    private func appendEvents(
        for outcomes: ConditionOutcomes, of monitored: MonitoredCondition, location: Fix?,
        to events: inout [ConditionEvent]
    ) {
        for case let outcome? in [outcomes.first, outcomes.second] where !outcomes.isEmpty {
            var margin = outcome.margin
            // A timer publishes the dwell event, but the previous position decided it.
            if outcome.kind == .dwelt, margin == nil, let coordinate = last?.evidence.coordinate {
                margin = monitored.condition.area.signedDistance(from: coordinate)
            }
            events.append(
                ConditionEvent(
                    monitored.id, kind: outcome.kind, state: outcome.state, date: outcome.date,
                    location: margin == nil ? nil : location, margin: margin))
        }
    }

    /// Sorts the events from an index on by time, then by condition. An exit without a date follows
    /// its dated entry: the receiver may have lost the date in between.
    private static func sort(_ events: inout [ConditionEvent], from first: Int) {
        guard events.count - first > 1 else { return }
        var sorted: [(key: Int64, event: ConditionEvent)] = []
        for event in events[first...] {
            let before = sorted.last.flatMap { $0.event.condition == event.condition ? $0.key : nil }
            sorted.append((max(event.sortKey, before ?? .min), event))
        }
        sorted.sort { a, b in a.key == b.key ? a.event.condition < b.event.condition : a.key < b.key }
        events.replaceSubrange(first..., with: sorted.map(\.event))
    }
}

extension ConditionEvent {
    /// The date in milliseconds since 1970; events without a date sort first.
    fileprivate var sortKey: Int64 { date?.milliseconds ?? .min }
}

/// A first determination of a state that agrees with the assumed state.
///
/// It is not an event. The caller saves it, so that a change while the daemon is not running counts
/// as a crossing.
public struct ConditionDetermination: Sendable, Equatable {
    /// The condition.
    public var condition: ConditionID
    /// The state to save.
    public var snapshot: ConditionSnapshot
    /// The time of the deciding fix, in the receiver's time; nil while no date is known.
    public var date: UTCTime?

    /// Creates a determination.
    public init(of condition: ConditionID, snapshot: ConditionSnapshot, date: UTCTime? = nil) {
        self.condition = condition
        self.snapshot = snapshot
        self.date = date
    }
}
