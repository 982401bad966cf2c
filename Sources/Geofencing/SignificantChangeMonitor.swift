import Chronology
import Geodesy
import Positioning

/// The conditions on movements of the device.
///
/// The last event of a condition is the centre of a circle with the required distance as its
/// radius. A ``GeofenceEngine`` decides when the device leaves the circle, so an error of the
/// receiver causes no event, and it gives the time until which no position is needed. The circle is
/// monitored once the minimum interval has passed.
public struct SignificantChangeMonitor: Sendable {
    private struct Monitored: Sendable {
        var change: SignificantChange
        var expiry: UTCTime?
        /// The place of the last event; nil until the first position.
        var place: Coordinate?
        /// When the interval since the last event ends; nil while the circle is monitored.
        var resumes: Instant?
        var isExpired = false
    }

    private var conditions: [ConditionID: Monitored] = [:]
    /// The conditions that wait for the first position.
    private var unplaced: Set<ConditionID> = []
    /// When the first interval ends.
    private var nextResumption: Instant?
    private var engine = GeofenceEngine()

    /// Creates a monitor without conditions.
    public init() {}

    /// Whether there are no conditions.
    public var isEmpty: Bool { conditions.isEmpty }
    /// The identifiers of all conditions, in no order.
    public var identifiers: [ConditionID] { Array(conditions.keys) }
    /// When to call ``tick(at:into:)`` next; nil if nothing is due.
    public var deadline: Instant? { earliest(nextResumption, engine.deadline) }
    /// When the last fix arrived that was accurate enough to evaluate conditions.
    public var lastEvaluation: Instant? { engine.lastEvaluation }

    /// The distance in metres that the device can travel before a position is needed; nil if none
    /// is needed.
    public var distanceToNextEvaluation: Double? { unplaced.isEmpty ? engine.distanceToNextEvaluation : 0 }

    /// Returns whether a condition needs consecutive fixes.
    public func needsConsecutiveFixes(at now: Instant) -> Bool {
        !unplaced.isEmpty || engine.needsConsecutiveFixes(at: now)
    }

    /// Returns the state of a condition: `satisfied` after its first event. Nil if it is unknown.
    public func state(of id: ConditionID) -> ConditionState? {
        conditions[id].map { $0.isExpired ? .unmonitored : $0.place == nil ? .unknown : .satisfied }
    }

    /// Adds a condition; the entry's place is that of the last event.
    public mutating func add(_ entry: GeofenceEngine.Entry, _ change: SignificantChange, at now: Instant) {
        remove(entry.id)
        conditions[entry.id] = Monitored(
            change: change, expiry: entry.condition.expiry, place: entry.place?.coordinate)
        if entry.place == nil { unplaced.insert(entry.id) } else { resume(entry.id, at: now) }
    }

    /// Removes a condition.
    public mutating func remove(_ id: ConditionID) {
        guard conditions.removeValue(forKey: id) != nil else { return }
        unplaced.remove(id)
        engine.remove(CollectionOfOne(id))
        updateNextResumption()
    }

    /// Processes an epoch of the primary receiver; see
    /// ``GeofenceEngine/process(_:motion:stationaryPosition:at:into:)``.
    public mutating func process(
        _ fix: Fix, motion: MotionAction? = nil, stationaryPosition: StationaryPlace? = nil, at now: Instant,
        into events: inout [ConditionEvent]
    ) {
        guard !conditions.isEmpty else { return }
        resumeDue(at: now)
        var crossings: [ConditionEvent] = []
        engine.process(fix, motion: motion, stationaryPosition: stationaryPosition, at: now, into: &crossings)
        record(crossings, at: now, into: &events)
        place(fix, at: now, into: &events)
    }

    /// Processes what is due.
    public mutating func tick(at now: Instant, into events: inout [ConditionEvent]) {
        resumeDue(at: now)
        var crossings: [ConditionEvent] = []
        engine.tick(at: now, into: &crossings)
        record(crossings, at: now, into: &events)
    }

    /// Gives the conditions without a place their first event.
    private mutating func place(_ fix: Fix, at now: Instant, into events: inout [ConditionEvent]) {
        guard !unplaced.isEmpty, let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy else { return }
        for id in unplaced.sorted() {
            guard let monitored = conditions[id], radius <= monitored.change.distance else { continue }
            unplaced.remove(id)
            if let expiry = monitored.expiry, let time = fix.time, time >= expiry {
                conditions[id]?.isExpired = true
                events.append(ConditionEvent(id, kind: .expired, state: .unmonitored, date: expiry))
                continue
            }
            conditions[id]?.place = coordinate
            events.append(ConditionEvent(id, kind: .determined, state: .satisfied, date: fix.time, location: fix))
            wait(id, since: now)
        }
    }

    /// Converts crossings of circles to events of their conditions.
    private mutating func record(
        _ crossings: [ConditionEvent], at now: Instant, into events: inout [ConditionEvent]
    ) {
        for crossing in crossings {
            let id = crossing.condition
            if crossing.kind == .expired {
                conditions[id]?.isExpired = true
                events.append(crossing)
            } else if crossing.kind == .left, let coordinate = crossing.location?.coordinate {
                engine.remove(CollectionOfOne(id))
                conditions[id]?.place = coordinate
                let date = crossing.location?.time ?? crossing.date
                events.append(
                    ConditionEvent(id, kind: .moved, state: .satisfied, date: date, location: crossing.location))
                wait(id, since: now)
            }
        }
    }

    /// Begins the interval in which a condition has no event.
    private mutating func wait(_ id: ConditionID, since now: Instant) {
        guard let interval = conditions[id]?.change.interval, interval > .zero else { return resume(id, at: now) }
        conditions[id]?.resumes = now + interval
        nextResumption = earliest(nextResumption, now + interval)
    }

    private mutating func resumeDue(at now: Instant) {
        guard let nextResumption, nextResumption <= now else { return }
        for (id, monitored) in conditions where monitored.resumes.map({ $0 <= now }) ?? false { resume(id, at: now) }
        updateNextResumption()
    }

    /// Monitors the circle of a condition.
    private mutating func resume(_ id: ConditionID, at now: Instant) {
        guard let monitored = conditions[id], let place = monitored.place, !monitored.isExpired else { return }
        conditions[id]?.resumes = nil
        let circle = Condition(
            shape: .circle(center: place, radius: monitored.change.distance), assuming: .satisfied,
            expiry: monitored.expiry)
        let entry = GeofenceEngine.Entry(id: id, condition: circle, snapshot: ConditionSnapshot(state: .satisfied))
        engine.add([entry], at: now)
    }

    private mutating func updateNextResumption() {
        nextResumption = conditions.values.reduce(nil) { earliest($0, $1.resumes) }
    }
}
