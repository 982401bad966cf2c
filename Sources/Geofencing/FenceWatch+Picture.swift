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
        public var isPending: Bool
    }

    /// When the last fix came that was good enough to decide by: every condition was held against it.
    public var lastEvaluation: Instant? { last?.at }

    /// Metres that the device may go before any condition has to be looked at; 0 where one is close, is pending or was never looked at, and
    /// nil where there are none.
    public var clearance: Double? {
        guard !tree.isEmpty else { return nil }
        guard let last, close.isEmpty, fresh.isEmpty else { return 0 }
        return max(0, min(coverage, due.first?.key ?? .infinity) - odometer.way - last.reach)
    }

    /// Whether a condition waits for fixes to decide by, or there has been none.
    public var isUndecided: Bool {
        !tree.isEmpty && (last == nil || !fresh.isEmpty || close.contains { watched[Int($0)].standing.isPending })
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
                let margin = one.condition.shape.margin(of: coordinate)
                if abs(margin) <= Double(radius) || radius > 2e7 {
                    found.append(
                        Nearness(condition: one.id, state: one.standing.state, margin: margin, isPending: one.standing.isPending))
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
        let margin = one.condition.shape.margin(of: coordinate)
        return Nearness(condition: id, state: one.standing.state, margin: margin, isPending: one.standing.isPending)
    }
}
