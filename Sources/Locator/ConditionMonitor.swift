import Chronology
import Delivery
import Geofencing
import Positioning

/// The monitored conditions. They are evaluated whether or not a client is connected.
struct ConditionMonitor: Sendable {
    /// The maximum time difference between two receivers' fixes of one moment. With a larger
    /// difference, one of the clocks is wrong.
    private static let maxLateness = Instant.Span.seconds(5)
    /// The maximum age of a position that still counts as current.
    private static let maxCurrentPositionAge = Instant.Span.seconds(10)

    /// The conditions, their states and their distances to the device.
    private(set) var engine = GeofenceEngine()
    /// When the next position is needed; nil without conditions.
    private(set) var nextFixRequest: NextFixRequest?
    /// The receiver and time of the last evaluated fix.
    private var lastEvaluatedFix: (source: ReceiverID, time: UTCTime?)?

    var isEmpty: Bool { engine.isEmpty }
    var deadline: Instant? { engine.isEmpty ? nil : engine.deadline }

    /// Adds conditions. The first ones are evaluated with the last position if it is current, the
    /// others on the following ticks.
    mutating func add(
        _ batch: [GeofenceEngine.Entry], at now: Instant, lastPosition: (location: Location, at: Instant)?,
        restingPlace: StationaryPlace?
    ) -> [Effect] {
        let isFirst = engine.isEmpty
        engine.add(batch, at: now)
        defer { updateNextFixRequest(from: now, speed: restingPlace == nil ? nil : 0) }
        guard isFirst, let last = lastPosition, now - last.at <= ConditionMonitor.maxCurrentPositionAge else {
            return []
        }
        var events: [ConditionEvent] = []
        engine.process(last.location.fix, stationaryPosition: restingPlace, at: last.at, into: &events)
        return effects(of: events)
    }

    mutating func remove(_ ids: some Sequence<ConditionID>, at now: Instant, restingPlace: StationaryPlace?) {
        engine.remove(ids)
        if engine.isEmpty { lastEvaluatedFix = nil }
        updateNextFixRequest(from: now, speed: restingPlace == nil ? nil : 0)
    }

    /// Evaluates the conditions with a fix of the primary receiver. After a change of the primary
    /// receiver, ignores fixes older than the last evaluated one.
    mutating func evaluate(
        _ fix: Fix, from source: ReceiverID, motion: MotionAction?, restingPlace: StationaryPlace?, at now: Instant
    ) -> [Effect] {
        if let last = lastEvaluatedFix, last.source != source, let before = last.time, let time = fix.time {
            let late = before.span(since: time)
            if late >= .zero, late < ConditionMonitor.maxLateness { return [] }
        }
        lastEvaluatedFix = (source, fix.time)
        var events: [ConditionEvent] = []
        engine.process(fix, motion: motion, stationaryPosition: restingPlace, at: now, into: &events)
        updateNextFixRequest(from: now, speed: restingPlace == nil ? fix.speed : 0)
        return effects(of: events)
    }

    /// Advances to `now`.
    mutating func tick(at now: Instant, restingPlace: StationaryPlace?) -> [Effect] {
        guard let deadline, deadline <= now else { return [] }
        var events: [ConditionEvent] = []
        engine.tick(at: now, into: &events)
        // The distance to the nearest boundary dates from the last evaluated fix.
        updateNextFixRequest(from: min(engine.lastEvaluation ?? now, now), speed: restingPlace == nil ? nil : 0)
        return effects(of: events)
    }

    /// Updates when the next position is needed, from a position of this instant.
    ///
    /// - Parameter speed: The speed of the device in m/s; nil if unknown.
    private mutating func updateNextFixRequest(from instant: Instant, speed: Double?) {
        nextFixRequest = engine.distanceToNextEvaluation.map { clearance in
            NextFixRequest(
                notBefore: instant + ReachTime.time(to: clearance, speed: speed),
                needsConfirmation: engine.needsConsecutiveFixes(at: instant))
        }
    }

    /// Returns the effects of an evaluation: its events, and the determinations without an event.
    private mutating func effects(of events: [ConditionEvent]) -> [Effect] {
        let determinations = engine.takeDeterminations()
        var effects: [Effect] = []
        if !events.isEmpty { effects.append(.conditionsChanged(events)) }
        if !determinations.isEmpty { effects.append(.conditionsDetermined(determinations)) }
        return effects
    }
}
