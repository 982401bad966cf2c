import Chronology
import Geodesy
import Positioning

/// What is done with a fix.
extension FenceWatch {
    /// The last fix still says where the device is, to those that were never looked at.
    private static let holds = Instant.Span.seconds(10)
    /// Time from one turn of those to the next, so that others have theirs in between.
    private static let rests = Instant.Span.milliseconds(20)

    /// When ``tick(at:into:)`` wants to be called; nil while nothing is due.
    public var deadline: Instant? {
        var soonest = earliest(timers.first?.key, nextTurn)
        if let expiry = expiries.first?.key, let clock { soonest = earliest(soonest, clock.at + expiry.since(clock.time)) }
        return soonest
    }

    /// Shows a fix of whoever speaks for the device; what comes of it is put in order of time, and of the conditions' names within that.
    ///
    /// - Parameter restingPlace: Where the device rests, if it does: it speaks in place of the fix.
    public mutating func take(_ fix: Fix, restingPlace: RestingPlace? = nil, at now: Instant, into events: inout [ConditionEvent]) {
        guard !slots.isEmpty else { return }
        let first = events.count
        if let time = fix.time { clock = (time, now) }
        pass(to: now, &events)
        if let evidence = FenceWatch.evidence(restingPlace.map { fix.resting(at: $0) } ?? fix, at: now) {
            let previous = last
            move(to: evidence, from: previous)
            last = evidence
            work(evidence, previous, at: now, &events)
        }
        order(&events, from: first)
    }

    /// Lets time pass.
    public mutating func tick(at now: Instant, into events: inout [ConditionEvent]) {
        guard let deadline, deadline <= now else { return }
        let first = events.count
        pass(to: now, &events)
        if let last, let nextTurn, nextTurn <= now { workFresh(last, nil, FenceWatch.mostInATurn, at: now, &events) }
        order(&events, from: first)
    }
}

extension FenceWatch {
    private static func evidence(_ fix: Fix, at now: Instant) -> Evidence? {
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius >= 0, radius <= vague else { return nil }
        return Evidence(fix: fix, at: now, point: SpaceBox.place(coordinate), reach: ConditionStanding.reach(radius))
    }

    /// Gathers what has come near, and what was passed.
    private mutating func move(to evidence: Evidence, from previous: Evidence?) {
        odometer.take(evidence.point)
        guard odometer.way + evidence.reach >= coverage else { return }
        if let previous {
            var passed: [Int32] = []
            let line = SpaceLine(from: SIMD4<Float>(previous.point), to: SIMD4<Float>(evidence.point))
            // The ground lies above a chord by its square over eight radii.
            let length = Odometer.ground(previous.point, evidence.point)
            let reach = evidence.reach + length * length / 5e7
            tree.visit(within: Float(reach), of: line) { slot in
                if watched[Int(slot)].place == .far { passed.append(slot) }
            }
            for slot in passed { queue(slot, -.infinity) }
        }
        gather(SIMD4<Float>(evidence.point), reach: evidence.reach)
    }

    private mutating func gather(_ point: SIMD4<Float>, reach: Double) {
        var found: [(slot: Int32, distance: Float)] = []
        tree.visit(within: Float(max(FenceWatch.vicinity, 4 * reach)), of: point) { slot, distance in
            if watched[Int(slot)].place == .far { found.append((slot, distance)) }
        }
        for (slot, distance) in found {
            let isKnown = watched[Int(slot)].standing.state != .unknown
            queue(slot, isKnown ? odometer.mark(Double(distance)) : -.infinity)
        }
        coverage = odometer.mark(Double(tree.nearest(to: point) { watched[Int($0)].place == .far }))
    }

    /// Looks at everything that the fix concerns, and at no more than may be looked at in a turn.
    private mutating func work(_ evidence: Evidence, _ previous: Evidence?, at now: Instant, _ events: inout [ConditionEvent]) {
        var left = FenceWatch.mostInATurn
        left -= workClose(evidence, previous, left, at: now, &events)
        let limit = odometer.way + evidence.reach
        while left > 0, let entry = due.first, entry.key <= limit {
            _ = due.pop()
            guard watched[Int(entry.slot)].isDue(entry) else { continue }
            look(at: entry.slot, evidence, previous, at: now, &events)
            left -= 1
        }
        workFresh(evidence, previous, left, at: now, &events)
        dropVoid()
    }

    /// The close ones, in turn where they are too many; returns how many were looked at.
    private mutating func workClose(
        _ evidence: Evidence, _ previous: Evidence?, _ most: Int, at now: Instant, _ events: inout [ConditionEvent]
    ) -> Int {
        guard !close.isEmpty else { return 0 }
        let some = min(most, close.count)
        if turn >= close.count { turn = 0 }
        for _ in 0..<some {
            look(at: close[turn], evidence, previous, at: now, &events)
            turn = turn + 1 < close.count ? turn + 1 : 0
        }
        close.removeAll { watched[Int($0)].place != .close }
        return some
    }

    /// Those that were never looked at, and are not near, in turn.
    private mutating func workFresh(
        _ evidence: Evidence, _ previous: Evidence?, _ most: Int, at now: Instant, _ events: inout [ConditionEvent]
    ) {
        var left = most
        while left > 0, freshDone < fresh.count {
            let slot = fresh[freshDone]
            freshDone += 1
            guard watched[Int(slot)].place == .far, watched[Int(slot)].standing.state == .unknown else { continue }
            look(at: slot, evidence, previous, at: now, &events)
            left -= 1
        }
        if freshDone == fresh.count { (fresh, freshDone) = ([], 0) }
        nextTurn = fresh.isEmpty || now - evidence.at > FenceWatch.holds ? nil : now + FenceWatch.rests
    }

    /// Shows a fix to one condition, and decides when it is looked at next.
    private mutating func look(
        at slot: Int32, _ evidence: Evidence, _ previous: Evidence?, at now: Instant, _ events: inout [ConditionEvent]
    ) {
        let at = Int(slot)
        guard watched[at].place != .gone else { return }
        let before = watched[at].standing.deadline
        let margin = judge(at, evidence, previous, at: now, &events)
        if let deadline = watched[at].standing.deadline, deadline != before { timers.push(deadline, slot) }
        let mark = odometer.mark(abs(margin))
        // What would be due at once is close as well.
        if watched[at].standing.isPending || mark <= odometer.way + evidence.reach {
            if watched[at].place != .close { close.append(slot) }
            watched[at].place = .close
            return
        }
        if margin < -2 * FenceWatch.vicinity, watched[at].standing.state == .unsatisfied, let box = tree.box(of: slot) {
            let distance = Double(box.distance(to: SIMD4<Float>(evidence.point)))
            if distance > 2 * FenceWatch.vicinity {
                watched[at].place = .far
                coverage = min(coverage, odometer.mark(distance))
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

    /// What time alone brings about.
    private mutating func pass(to now: Instant, _ events: inout [ConditionEvent]) {
        while let timer = timers.first, timer.key <= now {
            _ = timers.pop()
            expireWait(Int(timer.slot), at: now, &events)
        }
        if let clock {
            let time = clock.time.advanced(by: now - clock.at)
            while let expiry = expiries.first, expiry.key <= time {
                _ = expiries.pop()
                expire(expiry.slot, expiry.key, &events)
            }
        }
        dropVoid()
    }

    private mutating func expire(_ slot: Int32, _ moment: UTCTime, _ events: inout [ConditionEvent]) {
        let at = Int(slot)
        guard watched[at].condition.expiry == moment, watched[at].standing.state != .unmonitored else { return }
        if watched[at].place == .close { close.removeAll { $0 == slot } }
        leave(slot)
        watched[at].standing.expire()
        events.append(ConditionEvent(watched[at].id, .expired, .unmonitored, date: moment))
    }

    /// A timer that is void must wake nobody.
    private mutating func dropVoid() {
        while let entry = due.first, !watched[Int(entry.slot)].isDue(entry) { _ = due.pop() }
        while let timer = timers.first, watched[Int(timer.slot)].standing.deadline != timer.key { _ = timers.pop() }
        while let expiry = expiries.first, !awaits(expiry) { _ = expiries.pop() }
    }

    private func awaits(_ expiry: DueQueue<UTCTime>.Entry) -> Bool {
        watched[Int(expiry.slot)].condition.expiry == expiry.key && watched[Int(expiry.slot)].standing.state != .unmonitored
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
