import Chronology
import Geodesy
import Positioning

/// Processing of fixes and timers.
extension GeofenceEngine {
    /// The time between two turns of remaining evaluations, so that other work can run in between.
    private static let batchInterval = Instant.Span.milliseconds(20)
    /// The longest time between two fixes for which the path between them counts as known.
    private static let maxPassage = Instant.Span.seconds(120)

    /// When to call ``tick(at:into:)`` next; nil if nothing is due.
    public var deadline: Instant? {
        var expiry: Instant?
        if let first = expiries.first?.key, let time = last?.evidence.time, let at = last?.evidence.at {
            expiry = at + first.span(since: time)
        }
        return earliest(expiry, earliest(timers.first?.key, nextBatch))
    }

    /// Processes an epoch of the primary receiver. Events are appended in order of time, then of
    /// condition.
    ///
    /// - Parameters:
    ///   - motion: The motion detector's action for this epoch.
    ///   - place: The position of a stationary device after this epoch, which replaces that of the
    ///     fix.
    public mutating func process(
        _ fix: Fix, motion: MotionAction? = nil, stationaryPosition: StationaryPlace? = nil, at now: Instant,
        into events: inout [ConditionEvent]
    ) {
        guard !slots.isEmpty else { return }
        let first = events.count
        runTimers(until: now, into: &events)
        if let evidence = witness.process(fix, motion: motion, stationaryPosition: stationaryPosition, at: now),
            evidence.radius <= GeofenceEngine.maxEvaluatedAccuracy
        {
            let sighting = LocatedFix(stationaryPosition.map { fix.resting(at: $0) } ?? fix, evidence)
            dopplerDistance.process(sighting.point)
            if dopplerDistance.way + sighting.reach >= queuedThrough { queueNearby(sighting) }
            last = sighting
            let done = evaluateClose(sighting, into: &events)
            evaluateDue(sighting, limit: GeofenceEngine.maxPerTurn - done, at: now, into: &events)
        }
        removeStaleEntries()
        order(&events, from: first)
    }

    /// Processes timers and remaining evaluations that are due.
    public mutating func tick(at now: Instant, into events: inout [ConditionEvent]) {
        guard let deadline, deadline <= now else { return }
        let first = events.count
        runTimers(until: now, into: &events)
        if let last, let nextBatch, nextBatch <= now {
            if queuedThrough < dopplerDistance.way { queueNearby(last) }
            evaluateDue(last, limit: GeofenceEngine.maxPerTurn, at: now, into: &events)
        }
        removeStaleEntries()
        order(&events, from: first)
    }

    /// Processes dwell timers and expiries.
    private mutating func runTimers(until now: Instant, into events: inout [ConditionEvent]) {
        while let timer = timers.first, timer.key <= now {
            _ = timers.pop()
            if watched[Int(timer.slot)].deadline == timer.key { runTimer(of: timer.slot, at: now, into: &events) }
        }
        guard let evidence = last?.evidence, let time = evidence.time?.advanced(by: now - evidence.at) else { return }
        while let expiry = expiries.first, expiry.key <= time {
            _ = expiries.pop()
            if watched[Int(expiry.slot)].expires(at: expiry.key) { runTimer(of: expiry.slot, at: now, into: &events) }
        }
    }

    private mutating func runTimer(of slot: Int32, at now: Instant, into events: inout [ConditionEvent]) {
        let index = Int(slot)
        let outcomes = watched[index].snapshot.tick(at: now, last: last?.evidence, of: watched[index].condition)
        appendEvents(outcomes, watched[index], last?.fix, &events)
        if let deadline = watched[index].deadline, deadline > now { timers.push(deadline, slot) }
        dropExpired(slot)
    }

    private mutating func dropExpired(_ slot: Int32) {
        guard watched[Int(slot)].snapshot.state == .unmonitored, watched[Int(slot)].place != .removed else { return }
        let wasClose = watched[Int(slot)].place == .close
        deactivate(slot)
        if wasClose { close.removeAll { $0 == slot } }
    }

    private func appendEvents(
        _ outcomes: ConditionOutcomes, _ one: MonitoredCondition, _ fix: Fix?, _ events: inout [ConditionEvent]
    ) {
        for case let outcome? in [outcomes.first, outcomes.second] where !outcomes.isEmpty {
            var margin = outcome.margin
            // A timer publishes the dwell event, but the previous position decided it.
            if outcome.kind == .dwelt, margin == nil, let place = last?.evidence.coordinate {
                margin = one.condition.shape.signedDistance(from: place)
            }
            let location = margin == nil ? nil : fix
            events.append(
                ConditionEvent(
                    one.id, outcome.kind, outcome.state, date: outcome.date, location: location, margin: margin))
        }
    }

    private func order(_ events: inout [ConditionEvent], from first: Int) {
        guard events.count - first > 1 else { return }
        events[first...].sort { a, b in a.date == b.date ? a.condition < b.condition : a.order < b.order }
    }
}

extension ConditionEvent {
    /// The date in milliseconds since 1970; events without a date sort first.
    fileprivate var order: Int64 { date?.milliseconds ?? .min }
}

extension GeofenceEngine {
    /// Queues the conditions that are now near, and those on the path from the previous fix.
    private mutating func queueNearby(_ sighting: LocatedFix) {
        let point = SIMD4<Float>(sighting.point)
        if let earlier = sighting.evidence.previous, sighting.evidence.at - earlier.at <= GeofenceEngine.maxPassage {
            let line = ECEFSegment(from: ECEFBox.floatPosition(of: earlier.coordinate), to: point)
            var passed: [Int32] = []
            // The ground lies above a chord by the chord's square over eight Earth radii.
            let reach = sighting.reach + earlier.way * earlier.way / 5e7
            tree.visit(within: Float(reach), of: line) { if watched[Int($0)].place == .far { passed.append($0) } }
            for slot in passed { queue(slot, -.infinity) }
        }
        var found: [(slot: Int32, distance: Float)] = []
        tree.visit(within: Float(max(GeofenceEngine.queueRadius, 2 * sighting.reach)), of: point) { slot, distance in
            if watched[Int(slot)].place == .far { found.append((slot, distance)) }
        }
        for (slot, distance) in found {
            queue(
                slot,
                watched[Int(slot)].snapshot.state == .unknown
                    ? -.infinity : dopplerDistance.bound(afterTravelling: Double(distance)))
        }
        queuedThrough = dopplerDistance.bound(
            afterTravelling: Double(tree.nearest(to: point) { watched[Int($0)].place == .far }))
    }

    /// Evaluates up to `most` conditions: first those that are due, then those not yet evaluated.
    private mutating func evaluateDue(
        _ sighting: LocatedFix, limit most: Int, at now: Instant, into events: inout [ConditionEvent]
    ) {
        var left = most
        let limit = dopplerDistance.way + sighting.reach
        while left > 0, let entry = due.first, entry.key <= limit {
            _ = due.pop()
            guard watched[Int(entry.slot)].isDue(entry) else { continue }
            evaluate(entry.slot, with: sighting, into: &events)
            left -= 1
        }
        // A near condition was already evaluated, or waits for the next fix.
        while left > 0, unevaluatedIndex < unevaluated.count {
            let slot = unevaluated[unevaluatedIndex]
            unevaluatedIndex += 1
            guard watched[Int(slot)].place == .far, watched[Int(slot)].snapshot.state == .unknown else { continue }
            evaluate(slot, with: sighting, into: &events)
            left -= 1
        }
        if unevaluatedIndex == unevaluated.count { (unevaluated, unevaluatedIndex) = ([], 0) }
        nextBatch = left > 0 || !sighting.isRecent(at: now) ? nil : now + GeofenceEngine.batchInterval
    }

    /// Evaluates the close conditions, in turn if there are too many. Returns how many it
    /// evaluated.
    private mutating func evaluateClose(_ sighting: LocatedFix, into events: inout [ConditionEvent]) -> Int {
        guard !close.isEmpty else { return 0 }
        let some = min(GeofenceEngine.maxPerTurn, close.count)
        if closeIndex >= close.count { closeIndex = 0 }
        // Remove conditions that are no longer close afterwards, so that the indices stay valid.
        for index in 0..<some { evaluate(close[(closeIndex + index) % close.count], with: sighting, into: &events) }
        closeIndex = (closeIndex + some) % close.count
        close.removeAll { watched[Int($0)].place != .close }
        return some
    }

    /// Evaluates one condition with a fix and schedules its next evaluation.
    private mutating func evaluate(_ slot: Int32, with sighting: LocatedFix, into events: inout [ConditionEvent]) {
        let index = Int(slot)
        guard watched[index].place != .removed else { return }
        let before = watched[index].deadline
        let distance = watched[index].condition.shape.signedDistance(from: sighting.evidence.coordinate)
        let wasUnknown = watched[index].snapshot.state == .unknown
        let outcomes = watched[index].snapshot.take(sighting.evidence, of: watched[index].condition, distance: distance)
        if wasUnknown { noteDetermination(of: watched[index], outcomes, sighting) }
        if !outcomes.isEmpty {
            appendEvents(outcomes, watched[index], sighting.fix, &events)
            if watched[index].snapshot.state == .unmonitored { return dropExpired(slot) }
        }
        if let deadline = watched[index].deadline, deadline != before { timers.push(deadline, slot) }
        schedule(slot, after: sighting, distance: distance)
    }

    /// Notes a first determination without an event.
    private mutating func noteDetermination(
        of one: MonitoredCondition, _ outcomes: ConditionOutcomes, _ sighting: LocatedFix
    ) {
        switch one.snapshot.state {
        case .unknown, .unmonitored: return
        case .satisfied, .unsatisfied: break
        }
        guard outcomes.first?.kind != .determined else { return }
        determinations.append(
            ConditionDetermination(one.id, one.snapshot.snapshot, date: sighting.evidence.time))
    }

    private mutating func schedule(_ slot: Int32, after sighting: LocatedFix, distance: Double) {
        let index = Int(slot)
        let mark = dopplerDistance.bound(afterTravelling: abs(distance))
        // A condition that would be due at once also counts as close.
        if mark <= dopplerDistance.way + sighting.reach
            || watched[index].needsEvidence(at: sighting.evidence.at, distance: distance)
        {
            if watched[index].place != .close { close.append(slot) }
            (watched[index].place, watched[index].dueDistance) = (.close, mark)
            return
        }
        if distance < -2 * GeofenceEngine.queueRadius, let box = tree.box(of: slot) {
            let apart = Double(box.distance(to: SIMD4<Float>(sighting.point)))
            if apart > 2 * GeofenceEngine.queueRadius {
                watched[index].place = .far
                queuedThrough = min(queuedThrough, dopplerDistance.bound(afterTravelling: apart))
                return
            }
        }
        queue(slot, mark)
    }

    /// Marks a condition as near and queues it for evaluation when the travelled distance reaches
    /// `mark`.
    mutating func queue(_ slot: Int32, _ mark: Double) {
        watched[Int(slot)].place = .near
        watched[Int(slot)].dueDistance = mark
        due.push(mark, slot)
    }
}
