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
        /// The date of the last event, if it was in an earlier run.
        var earlierEvent: UTCTime?
        /// When the interval since the last event ends; nil while the circle is monitored.
        var resumes: Instant?
        var isExpired = false
    }

    private var conditions: [ConditionID: Monitored] = [:]
    /// The conditions that wait for the first position: for their place, or for its date, which
    /// ends the interval since an event of an earlier run.
    private var waiting: Set<ConditionID> = []
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
    public var distanceToNextEvaluation: Double? { waiting.isEmpty ? engine.distanceToNextEvaluation : 0 }

    /// Returns whether a condition needs consecutive fixes.
    public func needsConsecutiveFixes(at now: Instant) -> Bool {
        !waiting.isEmpty || engine.needsConsecutiveFixes(at: now)
    }

    /// Returns the state of a condition: `satisfied` after its first event. Nil if it is unknown.
    public func state(of id: ConditionID) -> ConditionState? {
        conditions[id].map { $0.isExpired ? .unmonitored : $0.place == nil ? .unknown : .satisfied }
    }

    /// Adds a condition; the entry's place is that of the last event.
    public mutating func add(_ entry: GeofenceEngine.Entry, _ change: SignificantChange, at now: Instant) {
        remove(entry.id)
        let hasInterval = change.interval > .zero
        conditions[entry.id] = Monitored(
            change: change, expiry: entry.condition.expiry, place: entry.place?.coordinate,
            earlierEvent: hasInterval ? entry.place?.date : nil)
        if entry.place == nil || conditions[entry.id]?.earlierEvent != nil {
            waiting.insert(entry.id)
        } else {
            resume(entry.id, at: now)
        }
    }

    /// Removes a condition.
    public mutating func remove(_ id: ConditionID) {
        guard conditions.removeValue(forKey: id) != nil else { return }
        waiting.remove(id)
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
        expire(at: fix.time, into: &events)
        place(fix, at: now, into: &events)
    }

    /// Processes what is due.
    public mutating func tick(at now: Instant, into events: inout [ConditionEvent]) {
        resumeDue(at: now)
        var crossings: [ConditionEvent] = []
        engine.tick(at: now, into: &crossings)
        record(crossings, at: now, into: &events)
    }

    /// Ends the expired conditions whose circle is not monitored: the engine ends the others.
    private mutating func expire(at time: UTCTime?, into events: inout [ConditionEvent]) {
        guard let time else { return }
        for (id, monitored) in conditions.sorted(by: { $0.key < $1.key }) where !monitored.isExpired {
            guard let expiry = monitored.expiry, expiry <= time else { continue }
            waiting.remove(id)
            engine.remove(CollectionOfOne(id))
            conditions[id]?.isExpired = true
            conditions[id]?.resumes = nil
            events.append(ConditionEvent(id, kind: .expired, state: .unmonitored, date: expiry))
        }
        updateNextResumption()
    }

    /// Gives the conditions without a place their first event, and continues those of an earlier
    /// run.
    private mutating func place(_ fix: Fix, at now: Instant, into events: inout [ConditionEvent]) {
        guard !waiting.isEmpty, let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy else { return }
        for id in waiting.sorted() {
            guard let monitored = conditions[id] else { continue }
            if let event = monitored.earlierEvent {
                waiting.remove(id)
                let passed = fix.time.map { $0.span(since: event) } ?? monitored.change.interval
                let left = passed < .zero ? .zero : monitored.change.interval - passed
                wait(id, for: left, since: now)
            } else if radius <= monitored.change.distance {
                waiting.remove(id)
                conditions[id]?.place = coordinate
                events.append(ConditionEvent(id, kind: .determined, state: .satisfied, date: fix.time, location: fix))
                wait(id, for: monitored.change.interval, since: now)
            }
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
                wait(id, for: conditions[id]?.change.interval ?? .zero, since: now)
            }
        }
    }

    /// Begins the interval in which a condition has no event.
    private mutating func wait(_ id: ConditionID, for interval: Instant.Span, since now: Instant) {
        guard interval > .zero else { return resume(id, at: now) }
        conditions[id]?.resumes = now + interval
        nextResumption = earliest(nextResumption, now + interval)
    }

    private mutating func resumeDue(at now: Instant) {
        guard let nextResumption, nextResumption <= now else { return }
        for (id, monitored) in conditions where monitored.resumes.map({ $0 <= now }) ?? false { resume(id, at: now) }
        updateNextResumption()
    }

    private mutating func resume(_ id: ConditionID, at now: Instant) {
        guard let monitored = conditions[id], let place = monitored.place, !monitored.isExpired else { return }
        conditions[id]?.resumes = nil
        let circle = FenceCondition(
            shape: .circle(center: place, radius: monitored.change.distance), assuming: .satisfied,
            expiry: monitored.expiry)
        let entry = GeofenceEngine.Entry(id: id, condition: circle, snapshot: ConditionSnapshot(state: .satisfied))
        engine.add([entry], at: now)
    }

    private mutating func updateNextResumption() {
        nextResumption = conditions.values.reduce(nil) { earliest($0, $1.resumes) }
    }
}
