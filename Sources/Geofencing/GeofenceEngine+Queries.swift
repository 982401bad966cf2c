import Chronology
import Geodesy

/// Queries about the device and the conditions, for display and for planning.
extension GeofenceEngine {
    /// The state of a condition and its distance from a point.
    public struct ConditionDistance: Sendable, Equatable {
        /// The condition.
        public var condition: ConditionID
        /// The state of the condition.
        public var state: ConditionState
        /// The distance to the boundary in metres, positive inside.
        public var margin: Double
        /// Whether the condition needs more fixes to confirm a crossing.
        public var isDeciding: Bool
    }

    /// When the last fix arrived that was accurate enough to evaluate conditions.
    public var lastEvaluation: Instant? { last?.evidence.at }

    /// The distance in metres that the device can travel before any condition needs an evaluation;
    /// 0 if one is close or not yet evaluated, nil if there are none.
    public var distanceToNextEvaluation: Double? {
        guard !tree.isEmpty else { return nil }
        guard let last, unevaluated.isEmpty else { return 0 }
        let nearest = close.reduce(min(queuedThrough, due.first?.key ?? .infinity)) {
            min($0, watched[Int($1)].dueDistance)
        }
        return max(0, nearest - dopplerDistance.way - last.reach)
    }

    /// Returns whether a condition needs consecutive fixes, because its state is in doubt or not
    /// yet evaluated.
    public func needsConsecutiveFixes(at now: Instant) -> Bool {
        guard !tree.isEmpty else { return false }
        return last == nil || !unevaluated.isEmpty || close.contains { watched[Int($0)].snapshot.isDeciding(at: now) }
    }

    /// Returns the conditions with the nearest boundaries, nearest first. Visits more conditions
    /// the farther apart they are, so it is meant for display, not for every fix.
    public func nearest(to coordinate: Coordinate, count: Int) -> [ConditionDistance] {
        let point = ECEFBox.floatPosition(of: coordinate)
        var radius: Float = 1000
        while true {
            var found: [ConditionDistance] = []
            tree.visit(within: radius, of: point) { slot, _ in
                let one = watched[Int(slot)]
                let margin = one.condition.shape.signedDistance(from: coordinate)
                if abs(margin) <= Double(radius) || radius > 2e7 {
                    found.append(distance(of: one, to: margin))
                }
            }
            if found.count >= count || radius > 2e7 {
                found.sort { (abs($0.margin), $0.condition) < (abs($1.margin), $1.condition) }
                return Array(found.prefix(max(count, 0)))
            }
            radius *= 4
        }
    }

    /// Returns those of the given conditions whose boundaries are nearest, nearest first, without
    /// unmonitored ones. The cost is that of the given conditions, however many others there are.
    public func nearest(
        to coordinate: Coordinate, among ids: some Sequence<ConditionID>, count: Int
    ) -> [ConditionDistance] {
        var found = ids.compactMap { distance(of: $0, to: coordinate) }.filter { $0.state != .unmonitored }
        found.sort { (abs($0.margin), $0.condition) < (abs($1.margin), $1.condition) }
        return Array(found.prefix(max(count, 0)))
    }

    /// Returns the state of one condition and its distance from a point; nil if the condition is
    /// unknown.
    public func distance(of id: ConditionID, to coordinate: Coordinate) -> ConditionDistance? {
        guard let slot = slots[id] else { return nil }
        let one = watched[Int(slot)]
        return distance(of: one, to: one.condition.shape.signedDistance(from: coordinate))
    }

    private func distance(of one: MonitoredCondition, to margin: Double) -> ConditionDistance {
        let isDeciding = last.map { one.snapshot.isDeciding(at: $0.evidence.at) } ?? false
        return ConditionDistance(condition: one.id, state: one.snapshot.state, margin: margin, isDeciding: isDeciding)
    }
}
