import Chronology
import Geodesy

/// What time alone decides: dwell and expiry.
extension ConditionStanding {
    /// When ``tick(at:last:of:)`` wants to be called; nil while time alone decides nothing.
    ///
    /// - Parameter last: The last evidence that anyone was given, whose time others follow from; nothing expires before there is one.
    public func deadline(of condition: Condition, last: FenceEvidence?) -> Instant? {
        guard state != .unmonitored else { return nil }
        var expiry: Instant?
        if let time = last?.time, let at = last?.at { expiry = condition.expiry.map { at + $0.since(time) } }
        return earliest(expiry, dwellsAt(condition))
    }

    private func dwellsAt(_ condition: Condition) -> Instant? {
        guard let dwell = condition.dwell, state == .satisfied, insideSince != Self.never else { return nil }
        return flags.isDisjoint(with: [.hasDwelt, .isOver]) ? insideSince + dwell : nil
    }

    /// Lets time pass.
    public mutating func tick(at now: Instant, last: FenceEvidence?, of condition: Condition) -> ConditionOutcomes {
        guard state != .unmonitored else { return .none }
        let time = last.flatMap { last in last.time?.advanced(by: now - last.at) }
        if let expired = expire(condition, time: time) { return expired }
        guard let due = dwellsAt(condition), due <= now else { return .none }
        guard let last, last.isAtRest || now - last.at <= FenceWitness.longestGap, last.unbrokenSince <= insideSince else {
            // Lost, or lost for too long in between: the next confident position begins the stay anew.
            insideSince = Self.never
            return .none
        }
        flags.insert(.hasDwelt)
        return ConditionOutcomes(ConditionOutcome(.dwelt, state, date: time?.advanced(by: due - now)))
    }

    mutating func expire(_ condition: Condition, time: UTCTime?) -> ConditionOutcomes? {
        guard let expiry = condition.expiry, let time, time >= expiry else { return nil }
        state = .unmonitored
        return ConditionOutcomes(ConditionOutcome(.expired, .unmonitored, date: expiry))
    }

    /// The stay goes on, or begins anew after a gap. Positions that say nothing break nothing.
    mutating func dwell(_ sight: FenceSight, _ condition: Condition) -> ConditionOutcome? {
        guard let dwell = condition.dwell, state == .satisfied, !flags.contains(.hasDwelt) else { return nil }
        let (now, unbroken) = (sight.evidence.at, sight.evidence.unbrokenSince)
        if insideSince < unbroken { insideSince = Self.never }
        guard sight.distance >= 0 else { return nil }
        if insideSince == Self.never, sight.isConfident(inside: true) { insideSince = now }
        guard insideSince != Self.never, now - insideSince >= dwell else { return nil }
        flags.insert(.hasDwelt)
        return ConditionOutcome(.dwelt, state, date: sight.evidence.time?.advanced(by: insideSince + dwell - now), margin: sight.distance)
    }
}
