import Chronology
import Delivery
import Geofencing
import Positioning

/// Conditions that are watched, with or without anyone connected.
extension Locator {
    /// Two receivers' times of one moment differ by less; further apart, one of their clocks is wrong.
    private static let greatestLateness = Instant.Span.seconds(5)
    /// A position so old still says where the device is.
    private static let recent = Instant.Span.seconds(10)

    /// Watches these conditions too. What is already known of where the device is decides what it can, in the ticks that follow.
    public mutating func addConditions(_ batch: [FenceWatch.Entry], at now: Instant, into effects: inout [Effect]) {
        guard !batch.isEmpty else { return }
        let isFirst = fences.isEmpty
        fences.add(batch, at: now)
        if isFirst, let last = lastPosition(nil, at: now), now - last.at <= Locator.recent {
            var events: [ConditionEvent] = []
            fences.take(last.location.fix, place: motion.restingPlace(.any, nil), at: last.at, into: &events)
            if !events.isEmpty { effects.append(.crossed(events)) }
        }
        needLook(lookNeeded(at: now), at: now)
        tellNeeds(at: now, &effects)
    }

    /// Watches these no more. The next tick tells the receivers, and it is due.
    public mutating func removeConditions(_ ids: some Sequence<ConditionID>, at now: Instant) {
        fences.remove(ids)
        if fences.isEmpty { shown = nil }
        needLook(lookNeeded(at: now), at: now)
    }

    /// Shows the conditions a position of the receiver that speaks for the device. Of one that has taken over, only what is newer than
    /// what they were shown.
    mutating func showFences(
        _ fix: Fix, from source: ReceiverID, _ action: MotionAction?, at now: Instant, made: Instant, _ effects: inout [Effect]
    ) {
        if let shown, shown.source != source, let before = shown.time, let time = fix.time {
            let late = before.since(time)
            if late >= .zero, late < Locator.greatestLateness { return }
        }
        shown = (source, fix.time)
        var events: [ConditionEvent] = []
        fences.take(fix, motion: action, place: motion.restingPlace(.any, nil), at: made, into: &events)
        if !events.isEmpty { effects.append(.crossed(events)) }
        needLook(lookNeeded(at: made, speed: fix.speed), at: now)
    }

    mutating func tickFences(at now: Instant, _ effects: inout [Effect]) {
        guard let deadline = fences.deadline, deadline <= now else { return }
        var events: [ConditionEvent] = []
        fences.tick(at: now, into: &events)
        if !events.isEmpty { effects.append(.crossed(events)) }
        // What was seen of the way to the nearest boundary was seen at the last fix.
        let seen = fences.lastEvaluation ?? now
        needLook(lookNeeded(at: min(seen, now)), at: now)
    }

    /// When the next position is needed, by one that was made at an instant.
    private func lookNeeded(at made: Instant, speed: Double? = nil) -> NextLook? {
        guard let clearance = fences.clearance else { return nil }
        let isAtRest = motion.restingPlace(.any, nil) != nil
        let wait = GreatestWay.time(to: clearance, speed: isAtRest ? 0 : speed)
        return NextLook(notBefore: made + wait, isOpen: fences.isUndecided(at: made))
    }
}

extension Locator {
    /// Watches no conditions any more.
    public mutating func removeAllConditions(at now: Instant) {
        removeConditions(fences.identifiers, at: now)
    }
}
