import Chronology
import Geodesy
import Positioning

/// What is done with a fix, and with time.
extension FenceWatch {
    /// Time from one turn of those to the next, so that others have theirs in between.
    private static let rests = Instant.Span.milliseconds(20)
    /// A way between two fixes that took longer is not known.
    private static let longestPassage = Instant.Span.seconds(120)

    /// When ``tick(at:into:)`` wants to be called; nil while nothing is due.
    public var deadline: Instant? {
        var expiry: Instant?
        if let first = expiries.first?.key, let time = last?.evidence.time, let at = last?.evidence.at { expiry = at + first.since(time) }
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
        pass(to: now, &events)
        if let evidence = witness.take(fix, motion: motion, place: place, at: now), evidence.radius <= FenceWatch.vague {
            let sighting = Sighting(place.map { fix.resting(at: $0) } ?? fix, evidence)
            odometer.take(sighting.point)
            if odometer.way + sighting.reach >= coverage { gather(sighting) }
            last = sighting
            let done = workClose(sighting, &events)
            work(sighting, FenceWatch.mostInATurn - done, at: now, &events)
        }
        tidy()
        order(&events, from: first)
    }

    /// Lets time pass.
    public mutating func tick(at now: Instant, into events: inout [ConditionEvent]) {
        guard let deadline, deadline <= now else { return }
        let first = events.count
        pass(to: now, &events)
        if let last, let nextTurn, nextTurn <= now {
            if coverage < odometer.way { gather(last) }
            work(last, FenceWatch.mostInATurn, at: now, &events)
        }
        tidy()
        order(&events, from: first)
    }

    /// What time alone brings about.
    private mutating func pass(to now: Instant, _ events: inout [ConditionEvent]) {
        while let timer = timers.first, timer.key <= now {
            _ = timers.pop()
            if watched[Int(timer.slot)].deadline == timer.key { wait(timer.slot, at: now, &events) }
        }
        guard let evidence = last?.evidence, let time = evidence.time?.advanced(by: now - evidence.at) else { return }
        while let expiry = expiries.first, expiry.key <= time {
            _ = expiries.pop()
            if watched[Int(expiry.slot)].expires(at: expiry.key) { wait(expiry.slot, at: now, &events) }
        }
    }

    private mutating func wait(_ slot: Int32, at now: Instant, _ events: inout [ConditionEvent]) {
        let at = Int(slot)
        let outcomes = watched[at].standing.tick(at: now, last: last?.evidence, of: watched[at].condition)
        tell(outcomes, watched[at], last?.fix, &events)
        if let deadline = watched[at].deadline, deadline > now { timers.push(deadline, slot) }
        dropExpired(slot)
    }

    private mutating func dropExpired(_ slot: Int32) {
        guard watched[Int(slot)].standing.state == .unmonitored, watched[Int(slot)].place != .gone else { return }
        let wasClose = watched[Int(slot)].place == .close
        leave(slot)
        if wasClose { close.removeAll { $0 == slot } }
    }

    private func tell(_ outcomes: ConditionOutcomes, _ one: Watched, _ fix: Fix?, _ events: inout [ConditionEvent]) {
        for case let outcome? in [outcomes.first, outcomes.second] where !outcomes.isEmpty {
            var margin = outcome.margin
            // Time tells of a stay; what says that it is one is the position before.
            if outcome.kind == .dwelt, margin == nil, let place = last?.evidence.coordinate {
                margin = one.condition.shape.signedDistance(from: place)
            }
            let location = margin == nil ? nil : fix
            events.append(ConditionEvent(one.id, outcome.kind, outcome.state, date: outcome.date, location: location, margin: margin))
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

    /// Looks at what the way has brought near, and at what was never looked at; at no more than so many.
    private mutating func work(_ sighting: Sighting, _ most: Int, at now: Instant, _ events: inout [ConditionEvent]) {
        var left = most
        let limit = odometer.way + sighting.reach
        while left > 0, let entry = due.first, entry.key <= limit {
            _ = due.pop()
            guard watched[Int(entry.slot)].isDue(entry) else { continue }
            look(at: entry.slot, sighting, &events)
            left -= 1
        }
        // Those that are near have had their look, or wait for the next fix.
        while left > 0, freshDone < fresh.count {
            let slot = fresh[freshDone]
            freshDone += 1
            guard watched[Int(slot)].place == .far, watched[Int(slot)].standing.state == .unknown else { continue }
            look(at: slot, sighting, &events)
            left -= 1
        }
        if freshDone == fresh.count { (fresh, freshDone) = ([], 0) }
        nextTurn = left > 0 || !sighting.holds(at: now) ? nil : now + FenceWatch.rests
    }

    /// The close ones, in turn where they are too many; returns how many were looked at.
    private mutating func workClose(_ sighting: Sighting, _ events: inout [ConditionEvent]) -> Int {
        guard !close.isEmpty else { return 0 }
        let some = min(FenceWatch.mostInATurn, close.count)
        if turn >= close.count { turn = 0 }
        // Those that are left go out afterwards, so that the places of the others hold.
        for at in 0..<some { look(at: close[(turn + at) % close.count], sighting, &events) }
        turn = (turn + some) % close.count
        close.removeAll { watched[Int($0)].place != .close }
        return some
    }

    /// Shows a fix to one condition, and decides when it is looked at next.
    private mutating func look(at slot: Int32, _ sighting: Sighting, _ events: inout [ConditionEvent]) {
        let at = Int(slot)
        guard watched[at].place != .gone else { return }
        let before = watched[at].deadline
        let distance = watched[at].condition.shape.signedDistance(from: sighting.evidence.coordinate)
        let outcomes = watched[at].standing.take(sighting.evidence, of: watched[at].condition, distance: distance)
        if !outcomes.isEmpty {
            tell(outcomes, watched[at], sighting.fix, &events)
            if watched[at].standing.state == .unmonitored { return dropExpired(slot) }
        }
        if let deadline = watched[at].deadline, deadline != before { timers.push(deadline, slot) }
        place(slot, sighting, distance)
    }

    private mutating func place(_ slot: Int32, _ sighting: Sighting, _ distance: Double) {
        let at = Int(slot)
        let mark = odometer.mark(abs(distance))
        // What would be due at once is close as well.
        if mark <= odometer.way + sighting.reach
            || watched[at].needsEvidence(at: sighting.evidence.at, distance: distance)
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
