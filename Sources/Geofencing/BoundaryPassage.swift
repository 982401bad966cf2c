import Chronology
import Geodesy

/// The straight way between two positions, and when it crosses a boundary.
struct BoundaryPassage {
    private let shape: FenceShape
    private let start: FenceEvidence.Earlier
    private let end: FenceEvidence
    private let bearing: Double

    init(_ shape: FenceShape, from start: FenceEvidence.Earlier, to end: FenceEvidence) {
        (self.shape, self.start, self.end) = (shape, start, end)
        bearing = start.coordinate.initialBearing(to: end.coordinate)
    }

    /// When the boundary was crossed on the way here. Where the earlier position lies on this side too, or there is none, the time of the
    /// position here.
    static func moment(_ shape: FenceShape, _ evidence: FenceEvidence, distance: Double) -> UTCTime? {
        guard let earlier = evidence.earlier, earlier.time != nil else { return evidence.time }
        let passage = BoundaryPassage(shape, from: earlier, to: evidence)
        let before = shape.signedDistance(from: earlier.coordinate)
        guard (before >= 0) != (distance >= 0) else { return evidence.time }
        return passage.time(at: passage.crossing(0, before, 1, distance))
    }

    /// A visit of the inside between two positions outside, where the way goes deep enough to be one.
    ///
    /// - Parameter need: Metres inside that the way must reach.
    func visit(need: Double, before: Double, after: Double) -> (entry: UTCTime?, exit: UTCTime?, depth: Double)? {
        // The distance changes by no more than the way: where both ends are far for its length, nothing lies between.
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

    /// The share of the way at which the distance changes its sign between two shares: halving, begun where a straight line would have it.
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
        return from.advanced(by: .seconds(to.since(from).seconds * min(max(share, 0), 1)))
    }
}
