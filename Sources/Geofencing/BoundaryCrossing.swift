import Chronology
import Geodesy

/// The straight line between two positions, used to compute when the device crossed a boundary.
struct BoundaryCrossing {
    private let shape: FenceShape
    private let start: FenceEvidence.PreviousPosition
    private let end: FenceEvidence
    private let bearing: Double

    init(_ shape: FenceShape, from start: FenceEvidence.PreviousPosition, to end: FenceEvidence) {
        self.shape = shape
        self.start = start
        self.end = end
        bearing = start.coordinate.initialBearing(to: end.coordinate)
    }

    /// Returns when the device crossed the boundary before the current position. Returns the time
    /// of the current position if there is no earlier one, or if both lie on the same side.
    static func crossingTime(_ shape: FenceShape, _ evidence: FenceEvidence, distance: Double) -> UTCTime? {
        guard let earlier = evidence.previous, earlier.time != nil else { return evidence.time }
        let passage = BoundaryCrossing(shape, from: earlier, to: evidence)
        let before = shape.signedDistance(from: earlier.coordinate)
        guard (before >= 0) != (distance >= 0) else { return evidence.time }
        return passage.time(at: passage.crossing(0, before, 1, distance))
    }

    /// Returns the times and depth of a visit between two positions outside, if the line leads deep
    /// enough inside.
    ///
    /// - Parameter need: The depth in metres that counts as a visit.
    func minDepth(need: Double, before: Double, after: Double) -> (entry: UTCTime?, exit: UTCTime?, depth: Double)? {
        // The distance to the boundary changes by no more than the length of the line. If both ends
        // are too far outside, the line cannot reach the depth.
        guard before < 0, after < 0, (before + after + start.way) / 2 >= need else { return nil }
        var (deepest, where_) = (before, 0.0)
        var metres = 0.0
        for _ in 0..<200 where metres < start.way {
            let depth = distance(at: metres / start.way)
            if depth > deepest { (deepest, where_) = (depth, metres / start.way) }
            metres += max(need - depth, need / 2, start.way / 200)
        }
        guard deepest >= need else { return nil }
        let (entry, exit) = (crossing(0, before, where_, deepest), crossing(where_, deepest, 1, after))
        return (time(at: entry), time(at: exit), deepest)
    }

    /// Returns the fraction of the line at which the distance changes its sign, by bisection with
    /// linear interpolation.
    private func crossing(_ first: Double, _ before: Double, _ last: Double, _ after: Double) -> Double {
        var (low, high, atLow, atHigh) = (first, last, before, after)
        for _ in 0..<6 {
            let middle = low + (high - low) * min(max(atLow / (atLow - atHigh), 0.05), 0.95)
            let value = distance(at: middle)
            if abs(value) < 0.1 { return middle }
            if (value >= 0) == (atLow >= 0) { (low, atLow) = (middle, value) } else { (high, atHigh) = (middle, value) }
        }
        return low + (high - low) * min(max(atLow / (atLow - atHigh), 0), 1)
    }

    private func distance(at share: Double) -> Double {
        shape.signedDistance(from: start.coordinate.moved(by: share * start.way, bearing: bearing))
    }

    private func time(at share: Double) -> UTCTime? {
        guard let from = start.time, let to = end.time, share.isFinite else { return end.time }
        return from.advanced(by: .seconds(to.span(since: from).seconds * min(max(share, 0), 1)))
    }
}
