import Chronology
import Geodesy

/// Decisions that depend on time alone: dwell and expiry.
extension ConditionTracker {
    /// Returns when to call ``tick(at:last:of:)`` next; nil if no timer is pending.
    ///
    /// - Parameter last: The last evidence of any condition, from which the current UTC time
    ///   follows. Nothing expires before there is one.
    public func deadline(of condition: Condition, last: FenceEvidence?) -> Instant? {
        guard state != .unmonitored else { return nil }
        var expiry: Instant?
        if let time = last?.time, let at = last?.at { expiry = condition.expiry.map { at + $0.span(since: time) } }
        return earliest(expiry, dwellDeadline(of: condition))
    }

    private func dwellDeadline(of condition: Condition) -> Instant? {
        guard let dwell = condition.dwell, state == .satisfied, insideSince != Self.never else { return nil }
        return flags.isDisjoint(with: [.hasDwelt, .isOnOtherSide]) ? insideSince + dwell : nil
    }

    /// Evaluates dwell and expiry at this time.
    public mutating func tick(at now: Instant, last: FenceEvidence?, of condition: Condition) -> ConditionOutcomes {
        guard state != .unmonitored else { return .none }
        let time = last.flatMap { last in last.time?.advanced(by: now - last.at) }
        if let expired = expire(condition, time: time) { return expired }
        guard let due = dwellDeadline(of: condition), due <= now else { return .none }
        guard let last, last.isAtRest || now - last.at <= EvidenceBuilder.maxGap, last.continuousSince <= insideSince
        else {
            // Evidence is missing or had too long a gap. The next confident position inside starts
            // the stay again.
            insideSince = Self.never
            return .none
        }
        flags.insert(.hasDwelt)
        return ConditionOutcomes(ConditionOutcome(.dwelt, state: state, date: time?.advanced(by: due - now)))
    }

    mutating func expire(_ condition: Condition, time: UTCTime?) -> ConditionOutcomes? {
        guard let expiry = condition.expiry, let time, time >= expiry else { return nil }
        state = .unmonitored
        return ConditionOutcomes(ConditionOutcome(.expired, state: .unmonitored, date: expiry))
    }

    /// Continues the stay, or starts it again after a gap. Positions without confidence do not
    /// interrupt it.
    mutating func dwell(in condition: Condition, _ test: BoundaryTest) -> ConditionOutcome? {
        guard let dwell = condition.dwell, state == .satisfied, !flags.contains(.hasDwelt) else { return nil }
        let now = test.evidence.at
        if insideSince < test.evidence.continuousSince { insideSince = Self.never }
        guard test.distance >= 0 else { return nil }
        if insideSince == Self.never, test.isConfident(inside: true) { insideSince = now }
        guard insideSince != Self.never, now - insideSince >= dwell else { return nil }
        flags.insert(.hasDwelt)
        return ConditionOutcome(
            .dwelt, state: state, date: test.evidence.time?.advanced(by: insideSince + dwell - now),
            margin: test.distance)
    }
}
