import Chronology
import Geodesy

/// How the device lies to the conditions, for those who look and for those who plan.
extension FenceWatch {
    /// A condition as it stands and where its boundary is.
    public struct Nearness: Sendable, Equatable {
        /// Which.
        public var condition: ConditionID
        /// How it stands.
        public var state: ConditionState
        /// Metres to its boundary, positive inside.
        public var margin: Double
        /// It waits for more fixes before it tells of a crossing.
        public var isDeciding: Bool
    }

    /// When the last fix came that was good enough to decide by: every condition was held against it.
    public var lastEvaluation: Instant? { last?.evidence.at }

    /// Metres that the device may go before any condition has to be looked at; 0 where one is close or was never looked at, and nil where
    /// there are none.
    public var clearance: Double? {
        guard !tree.isEmpty else { return nil }
        guard let last, fresh.isEmpty else { return 0 }
        let nearest = close.reduce(min(coverage, due.first?.key ?? .infinity)) { min($0, watched[Int($1)].mark) }
        return max(0, nearest - odometer.way - last.reach)
    }

    /// Whether a condition needs fixes in a row to decide by: one is in doubt, or was never looked at.
    public func isUndecided(at now: Instant) -> Bool {
        guard !tree.isEmpty else { return false }
        return last == nil || !fresh.isEmpty || close.contains { watched[Int($0)].standing.isDeciding(at: now) }
    }

    /// The conditions whose boundaries are nearest to a point, nearest first. Walks over more of them the farther apart they are: for
    /// pictures, not for every fix.
    public func nearest(to coordinate: Coordinate, count: Int) -> [Nearness] {
        let point = SpaceBox.point(coordinate)
        var radius: Float = 1000
        while true {
            var found: [Nearness] = []
            tree.visit(within: radius, of: point) { slot, _ in
                let one = watched[Int(slot)]
                let margin = one.condition.shape.signedDistance(from: coordinate)
                if abs(margin) <= Double(radius) || radius > 2e7 {
                    found.append(nearness(one, margin))
                }
            }
            if found.count >= count || radius > 2e7 {
                found.sort { (abs($0.margin), $0.condition) < (abs($1.margin), $1.condition) }
                return Array(found.prefix(max(count, 0)))
            }
            radius *= 4
        }
    }

    /// How one condition lies to a point; nil for one that is not known.
    public func nearness(of id: ConditionID, to coordinate: Coordinate) -> Nearness? {
        guard let slot = slots[id] else { return nil }
        let one = watched[Int(slot)]
        return nearness(one, one.condition.shape.signedDistance(from: coordinate))
    }

    private func nearness(_ one: Watched, _ margin: Double) -> Nearness {
        let isDeciding = last.map { one.standing.isDeciding(at: $0.evidence.at) } ?? false
        return Nearness(condition: one.id, state: one.standing.state, margin: margin, isDeciding: isDeciding)
    }
}
