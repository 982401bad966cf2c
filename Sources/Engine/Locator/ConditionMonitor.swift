import Chronology
import Geofencing
import Positioning

/// The monitored conditions. They are evaluated whether or not a client is connected.
public struct ConditionMonitor: Sendable {
    /// The maximum time difference between two receivers' fixes of one moment. With a larger
    /// difference, one of the clocks is wrong.
    private static let maxLateness = Instant.Span.seconds(5)
    /// The maximum age of a position that still counts as current.
    private static let maxCurrentPositionAge = Instant.Span.seconds(10)

    /// The conditions, their states and their distances to the device.
    public private(set) var engine = GeofenceEngine()
    private var changes = SignificantChangeMonitor()
    private var visits = VisitConditions()
    /// The conditions on beacons, which no position decides.
    public private(set) var beacons = BeaconMonitor()
    /// When the next position is needed; nil without conditions.
    public private(set) var nextFixRequest: NextFixRequest?
    private var lastEvaluatedFix: (source: ReceiverID, time: UTCTime?)?
    /// The evaluations with a fixed place.
    private var fixedEvaluation = FixedEvaluation()

    /// Whether no condition concerns the position of the device.
    var isEmpty: Bool { engine.isEmpty && changes.isEmpty && visits.isEmpty }
    var deadline: Instant? {
        earliest(
            earliest(engine.isEmpty ? nil : engine.deadline, changes.isEmpty ? nil : changes.deadline),
            earliest(fixedEvaluation.deadline, beacons.deadline))
    }
    /// The identifiers of all conditions, in no order.
    public var identifiers: [ConditionID] {
        engine.identifiers + changes.identifiers + visits.identifiers + beacons.identifiers
    }

    /// Returns the state of a condition; nil if the condition is unknown.
    public func state(of id: ConditionID) -> ConditionState? {
        engine.state(of: id) ?? changes.state(of: id) ?? visits.state(of: id) ?? beacons.state(of: id)
    }

    /// Returns when the conditions on areas or movements, to which this one belongs, were last
    /// evaluated, or when its beacon was last received. Nil for a condition on visits, which no
    /// single position decides.
    public func lastEvaluation(of id: ConditionID) -> Instant? {
        if beacons.state(of: id) != nil { return beacons.lastSeen(of: id) }
        if engine.state(of: id) != nil { return engine.lastEvaluation }
        return changes.state(of: id) != nil ? changes.lastEvaluation : nil
    }

    /// Adds conditions. The first ones are evaluated with the last position if it is current, the
    /// others on the following ticks.
    mutating func add(
        _ batch: [GeofenceEngine.Entry], to requests: inout ClientRequests, at now: Instant,
        lastPosition: (location: ReceiverFix, at: Instant)?
    ) -> [Effect] {
        let isFirst = engine.isEmpty && changes.isEmpty
        var areas: [GeofenceEngine.Entry] = []
        var events: [ConditionEvent] = []
        for entry in batch {
            switch entry.condition.subject {
            case .area: areas.append(entry)
            case .significantChange(let change): changes.add(entry, change, at: now)
            case .beacon(let identity): beacons.add(entry, identity, at: now)
            case .visits: events += add(entry, to: &requests, lastPosition: lastPosition, at: now)
            }
        }
        if !areas.isEmpty { engine.add(areas, at: now) }
        let restingPlace = requests.boundaryRestingPlace
        defer { updateNextFixRequest(from: now, speed: restingPlace == nil ? nil : 0) }
        if isFirst, let last = lastPosition, now - last.at <= ConditionMonitor.maxCurrentPositionAge {
            process(last.location.fix, motion: nil, restingPlace: restingPlace, at: last.at, into: &events)
        }
        return effects(of: events)
    }

    /// Adds a condition on visits, which begins their detection. A visit that was open when the
    /// conditions were last monitored continues.
    private mutating func add(
        _ entry: GeofenceEngine.Entry, to requests: inout ClientRequests,
        lastPosition: (location: ReceiverFix, at: Instant)?, at now: Instant
    ) -> [ConditionEvent] {
        var open: Stay?
        if entry.snapshot?.state == .satisfied, let place = entry.place {
            open = Stay(
                coordinate: place.coordinate, radius: place.radius, arrival: Stay.Moment(at: now, time: place.date))
        }
        let earlier = requests.visits.visit
        let visit = requests.monitorVisits(continuing: open, lastPosition: lastPosition, at: now)
        let others = earlier == nil ? visit.map { visits.events(of: $0) } ?? [] : []
        return others + visits.add(entry, during: visit)
    }

    mutating func remove(_ ids: some Sequence<ConditionID>, from requests: inout ClientRequests, at now: Instant) {
        engine.remove(ids)
        for id in ids {
            changes.remove(id)
            visits.remove(id)
            beacons.remove(id)
        }
        if visits.isEmpty { requests.endMonitoringVisits() }
        if engine.isEmpty, changes.isEmpty { lastEvaluatedFix = nil }
        updateNextFixRequest(from: now, speed: requests.boundaryRestingPlace == nil ? nil : 0)
    }

    /// Subscribes to visits and returns the current visit. One that only the subscriber knows of
    /// continues for the conditions too.
    mutating func watchVisits(
        _ id: RequestID, continuing open: Stay?, from requests: inout ClientRequests,
        _ lastPosition: (location: ReceiverFix, at: Instant)?, in queue: inout EffectQueue, at now: Instant
    ) -> Stay? {
        let earlier = requests.visits.visit
        let visit = requests.watchVisits(id, continuing: open, lastPosition: lastPosition, at: now)
        if earlier == nil { publish(visit, to: [], in: &queue) }
        return visit
    }

    /// Publishes a visit that began or ended, if there is one.
    mutating func publish(_ visit: Stay?, to subscribers: [RequestID], in queue: inout EffectQueue) {
        queue.publish(visit, to: subscribers)
        if let visit { queue.append(effects(of: visits.events(of: visit))) }
    }

    /// Evaluates the conditions with a fix of the primary receiver. After a change of the primary
    /// receiver, ignores fixes older than the last evaluated one.
    mutating func evaluate(
        _ fix: Fix, from source: ReceiverID, motion: MotionAction?, for requests: inout ClientRequests, at now: Instant
    ) -> [Effect] {
        if let last = lastEvaluatedFix, last.source != source, let before = last.time, let time = fix.time {
            let late = before.span(since: time)
            if late >= .zero, late < ConditionMonitor.maxLateness { return [] }
        }
        lastEvaluatedFix = (source, fix.time)
        var events: [ConditionEvent] = []
        let restingPlace = requests.boundaryRestingPlace
        process(fix, motion: motion, restingPlace: restingPlace, at: now, into: &events)
        let expired = visits.expire(at: fix.time)
        if !expired.isEmpty, visits.isEmpty { requests.endMonitoringVisits() }
        events += expired
        updateNextFixRequest(from: now, speed: restingPlace == nil ? fix.speed : 0)
        return effects(of: events)
    }

    /// Evaluates the conditions with a fixed place from now on; `now` is nil if there is none.
    mutating func beginFixedEvaluation(at now: Instant?, isNew: Bool) {
        fixedEvaluation.begin(at: isEmpty ? nil : now, isNew: isNew)
    }

    /// Advances to `now`.
    mutating func tick(at now: Instant, fixedPlace: FixedPlace?, for requests: inout ClientRequests) -> [Effect] {
        guard let deadline, deadline <= now else { return [] }
        if let due = fixedEvaluation.deadline, due <= now {
            let fix = fixedPlace?.location(at: now).fix ?? Fix()
            let effects = evaluate(fix, from: FixedPlace.source, motion: nil, for: &requests, at: now)
            fixedEvaluation.recordEvaluation(isInDoubt: engine.needsConsecutiveFixes(at: now))
            return effects
        }
        let restingPlace = requests.boundaryRestingPlace
        var events: [ConditionEvent] = []
        engine.tick(at: now, into: &events)
        changes.tick(at: now, into: &events)
        beacons.tick(at: now, into: &events)
        // The distance to the nearest boundary dates from the last evaluated fix.
        let evaluated = engine.lastEvaluation ?? changes.lastEvaluation ?? now
        updateNextFixRequest(from: min(evaluated, now), speed: restingPlace == nil ? nil : 0)
        return effects(of: events)
    }

    /// Changes the beacons in range, or whether they are received.
    mutating func updateBeacons(_ change: (inout BeaconMonitor, inout [ConditionEvent]) -> Void) -> [Effect] {
        var events: [ConditionEvent] = []
        change(&beacons, &events)
        return effects(of: events)
    }

    /// Updates when the next position is needed, from a position of this instant.
    ///
    /// - Parameter speed: The speed of the device in m/s; nil if unknown.
    private mutating func updateNextFixRequest(from instant: Instant, speed: Double?) {
        let distances = [engine.distanceToNextEvaluation, changes.distanceToNextEvaluation].compactMap { $0 }
        // A crossing of an area is published within a minute of a departure. A movement is not as
        // urgent: like a visit, it needs the checks of streams.
        let checks: CheckInterval = engine.isEmpty ? .standard : .monitoring
        nextFixRequest = distances.min().map { clearance in
            NextFixRequest(
                notBefore: instant + ReachTime.time(to: clearance, speed: speed), stationaryCheckInterval: checks,
                needsConfirmation: engine.needsConsecutiveFixes(at: instant)
                    || changes.needsConsecutiveFixes(at: instant))
        }
    }

    /// Evaluates the conditions on areas and movements.
    private mutating func process(
        _ fix: Fix, motion: MotionAction?, restingPlace: StationaryPlace?, at now: Instant,
        into events: inout [ConditionEvent]
    ) {
        engine.process(fix, motion: motion, stationaryPosition: restingPlace, at: now, into: &events)
        changes.process(fix, motion: motion, stationaryPosition: restingPlace, at: now, into: &events)
    }

    /// Returns the effects of an evaluation: its events, and the determinations without an event.
    private mutating func effects(of events: [ConditionEvent]) -> [Effect] {
        let determinations = engine.takeDeterminations() + beacons.takeDeterminations()
        var effects: [Effect] = []
        if !events.isEmpty { effects.append(.fence(.changed(events))) }
        if !determinations.isEmpty { effects.append(.fence(.determined(determinations))) }
        return effects
    }
}
