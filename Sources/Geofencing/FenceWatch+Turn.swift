import Chronology
import Geodesy
import Positioning

/// What is done with a fix, and with time.
extension FenceWatch {
    /// The last fix still says where the device is, to those that were never looked at.
    private static let holds = Instant.Span.seconds(10)
    /// Time from one turn of those to the next, so that others have theirs in between.
    private static let rests = Instant.Span.milliseconds(20)
    /// A way between two fixes that took longer is not known.
    private static let longestPassage = Instant.Span.seconds(120)

    /// When ``tick(at:into:)`` wants to be called; nil while nothing is due.
    public var deadline: Instant? {
        let expiry = expiries.first.flatMap { first in clock.map { $0.instant(of: first.key) } }
        return earliest(expiry, earliest(timers.first?.key, nextTurn))
    }

    /// Shows an epoch of whoever speaks for the device. What comes of it is in order of time, and of the conditions' names within that.
    ///
    /// - Parameters:
    ///   - motion: What the motion detector found in it.
    ///   - place: Where the device rests after it, if it does: it speaks in place of the fix.
    public mutating func take(
        _ fix: Fix, motion: MotionAction? = nil, place: RestingPlace? = nil, at now: Instant, into events: inout [ConditionEvent]
    ) {
        guard !slots.isEmpty else { return }
        let first = events.count
        if let time = fix.time { clock = ReceiverClock(at: now, time: time) }
        pass(to: now, &events)
        if let evidence = witness.take(fix, motion: motion, place: place, at: now), evidence.radius <= FenceWatch.vague {
            let sighting = Sighting(place.map { fix.resting(at: $0) } ?? fix, evidence)
            odometer.take(sighting.point)
            if odometer.way + sighting.reach >= coverage { gather(sighting) }
            last = sighting
            work(sighting, at: now, &events)
        }
        tidy()
        order(&events, from: first)
    }

    /// Lets time pass.
    public mutating func tick(at now: Instant, into events: inout [ConditionEvent]) {
        guard let deadline, deadline <= now else { return }
        let first = events.count
        pass(to: now, &events)
        if let last, let nextTurn, nextTurn <= now { workFresh(last, FenceWatch.mostInATurn, at: now, &events) }
        tidy()
        order(&events, from: first)
    }

    /// What time alone brings about.
    private mutating func pass(to now: Instant, _ events: inout [ConditionEvent]) {
        while let timer = timers.first, timer.key <= now {
            _ = timers.pop()
            if watched[Int(timer.slot)].deadline == timer.key { wait(timer.slot, at: now, &events) }
        }
        guard let clock else { return }
        let time = clock.time(at: now)
        while let expiry = expiries.first, expiry.key <= time {
            _ = expiries.pop()
            if watched[Int(expiry.slot)].expires(at: expiry.key) { wait(expiry.slot, at: now, &events) }
        }
    }

    private mutating func wait(_ slot: Int32, at now: Instant, _ events: inout [ConditionEvent]) {
        let at = Int(slot)
        let outcomes = watched[at].standing.tick(at: now, clock: clock, of: watched[at].condition)
        tell(outcomes, watched[at].id, nil, &events)
        dropExpired(slot)
    }

    private mutating func dropExpired(_ slot: Int32) {
        guard watched[Int(slot)].standing.state == .unmonitored, watched[Int(slot)].place != .gone else { return }
        let wasClose = watched[Int(slot)].place == .close
        leave(slot)
        if wasClose { close.removeAll { $0 == slot } }
    }

    private func tell(_ outcomes: ConditionOutcomes, _ id: ConditionID, _ fix: Fix?, _ events: inout [ConditionEvent]) {
        for case let outcome? in [outcomes.first, outcomes.second] where !outcomes.isEmpty {
            let location = outcome.margin == nil ? nil : fix
            events.append(
                ConditionEvent(id, outcome.kind, outcome.state, date: outcome.date, location: location, margin: outcome.margin))
        }
    }

    private func order(_ events: inout [ConditionEvent], from first: Int) {
        guard events.count - first > 1 else { return }
        events[first...].sort { a, b in a.date == b.date ? a.condition < b.condition : a.order < b.order }
    }
}

extension ConditionEvent {
    /// Milliseconds since 1970; what has no date comes first.
    fileprivate var order: Int64 { date?.milliseconds ?? .min }
}

extension FenceWatch {
    /// Gathers what has come near, and what was passed on the way.
    private mutating func gather(_ sighting: Sighting) {
        let point = SIMD4<Float>(sighting.point)
        if let earlier = sighting.evidence.earlier, sighting.evidence.at - earlier.at <= FenceWatch.longestPassage {
            let line = SpaceLine(from: SpaceBox.point(earlier.coordinate), to: point)
            var passed: [Int32] = []
            // The ground lies above a chord by its square over eight radii.
            let reach = sighting.reach + earlier.way * earlier.way / 5e7
            tree.visit(within: Float(reach), of: line) { if watched[Int($0)].place == .far { passed.append($0) } }
            for slot in passed { queue(slot, -.infinity) }
        }
        var found: [(slot: Int32, distance: Float)] = []
        tree.visit(within: Float(max(FenceWatch.vicinity, 2 * sighting.reach)), of: point) { slot, distance in
            if watched[Int(slot)].place == .far { found.append((slot, distance)) }
        }
        for (slot, distance) in found {
            queue(slot, watched[Int(slot)].standing.state == .unknown ? -.infinity : odometer.mark(Double(distance)))
        }
        coverage = odometer.mark(Double(tree.nearest(to: point) { watched[Int($0)].place == .far }))
    }

    /// Looks at everything that the fix concerns, and at no more than may be looked at in a turn.
    private mutating func work(_ sighting: Sighting, at now: Instant, _ events: inout [ConditionEvent]) {
        var left = FenceWatch.mostInATurn - workClose(sighting, at: now, &events)
        let limit = odometer.way + sighting.reach
        while left > 0, let entry = due.first, entry.key <= limit {
            _ = due.pop()
            guard watched[Int(entry.slot)].isDue(entry) else { continue }
            look(at: entry.slot, sighting, &events)
            left -= 1
        }
        if !fresh.isEmpty { workFresh(sighting, left, at: now, &events) }
    }

    /// The close ones, in turn where they are too many; returns how many were looked at.
    private mutating func workClose(_ sighting: Sighting, at now: Instant, _ events: inout [ConditionEvent]) -> Int {
        guard !close.isEmpty else { return 0 }
        let some = min(FenceWatch.mostInATurn, close.count)
        if turn >= close.count { turn = 0 }
        // Those that are left go out afterwards, so that the places of the others hold.
        for at in 0..<some { look(at: close[(turn + at) % close.count], sighting, &events) }
        turn = (turn + some) % close.count
        close.removeAll { watched[Int($0)].place != .close }
        return some
    }

    /// Those that were never looked at, and are not near, in turn.
    private mutating func workFresh(_ sighting: Sighting, _ most: Int, at now: Instant, _ events: inout [ConditionEvent]) {
        var left = most
        while left > 0, freshDone < fresh.count {
            let slot = fresh[freshDone]
            freshDone += 1
            guard watched[Int(slot)].place == .far, watched[Int(slot)].standing.state == .unknown else { continue }
            look(at: slot, sighting, &events)
            left -= 1
        }
        if freshDone == fresh.count { (fresh, freshDone) = ([], 0) }
        nextTurn = fresh.isEmpty || now - sighting.evidence.at > FenceWatch.holds ? nil : now + FenceWatch.rests
    }

    /// Shows a fix to one condition, and decides when it is looked at next.
    private mutating func look(at slot: Int32, _ sighting: Sighting, _ events: inout [ConditionEvent]) {
        let at = Int(slot)
        guard watched[at].place != .gone else { return }
        let before = watched[at].deadline
        let distance = watched[at].condition.shape.signedDistance(from: sighting.evidence.coordinate)
        let outcomes = watched[at].standing.take(sighting.evidence, of: watched[at].condition, distance: distance)
        if !outcomes.isEmpty {
            tell(outcomes, watched[at].id, sighting.fix, &events)
            if watched[at].standing.state == .unmonitored { return dropExpired(slot) }
        }
        if let deadline = watched[at].deadline, deadline != before { timers.push(deadline, slot) }
        place(slot, sighting, distance)
    }

    private mutating func place(_ slot: Int32, _ sighting: Sighting, _ distance: Double) {
        let at = Int(slot)
        let mark = odometer.mark(abs(distance))
        let dwell = watched[at].condition.dwell
        // What would be due at once is close as well.
        if mark <= odometer.way + sighting.reach
            || watched[at].standing.needsEvidence(at: sighting.evidence.at, distance: distance, dwell: dwell)
        {
            if watched[at].place != .close { close.append(slot) }
            (watched[at].place, watched[at].mark) = (.close, mark)
            return
        }
        if distance < -2 * FenceWatch.vicinity, let box = tree.box(of: slot) {
            let apart = Double(box.distance(to: SIMD4<Float>(sighting.point)))
            if apart > 2 * FenceWatch.vicinity {
                watched[at].place = .far
                coverage = min(coverage, odometer.mark(apart))
                return
            }
        }
        queue(slot, mark)
    }

    /// It is near, and to be looked at when the device has gone so far.
    mutating func queue(_ slot: Int32, _ mark: Double) {
        watched[Int(slot)].place = .near
        watched[Int(slot)].mark = mark
        due.push(mark, slot)
    }
}
