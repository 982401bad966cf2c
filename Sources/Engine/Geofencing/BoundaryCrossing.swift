import Chronology
import Geodesy

/// The straight line between two positions, used to compute when the device crossed a boundary.
struct BoundaryCrossing {
    /// A point of the line, as a fraction of its length, and its distance to the boundary in
    /// metres.
    private typealias Sample = (fraction: Double, distance: Double)

    private let shape: FenceShape
    private let start: FenceEvidence.PreviousPosition
    private let end: FenceEvidence
    private let bearing: Double

    init(of shape: FenceShape, from start: FenceEvidence.PreviousPosition, to end: FenceEvidence) {
        self.shape = shape
        self.start = start
        self.end = end
        bearing = start.coordinate.initialBearing(to: end.coordinate)
    }

    /// Returns when the device crossed the boundary before the current position. Returns the time
    /// of the current position if there is no earlier one, or if both lie on the same side.
    static func crossingTime(of shape: FenceShape, evidence: FenceEvidence, distance: Double) -> UTCTime? {
        guard let previous = evidence.previous, previous.time != nil else { return evidence.time }
        let crossing = BoundaryCrossing(of: shape, from: previous, to: evidence)
        let before = shape.signedDistance(from: previous.coordinate)
        guard (before >= 0) != (distance >= 0) else { return evidence.time }
        return crossing.time(at: crossing.fraction(between: (0, before), and: (1, distance)))
    }

    /// Returns the times of entry and exit between two positions outside, if the line leads deep
    /// enough inside.
    ///
    /// - Parameters:
    ///   - requiredDepth: The depth in metres that counts as a passage.
    ///   - before: The distance from the start to the boundary in metres, negative outside.
    ///   - after: The distance from the end to the boundary in metres, negative outside.
    func passage(requiredDepth: Double, before: Double, after: Double) -> (entry: UTCTime?, exit: UTCTime?)? {
        // The distance to the boundary changes by no more than the length of the line. If both ends
        // are too far outside, the line cannot reach the depth.
        guard before < 0, after < 0, (before + after + start.distance) / 2 >= requiredDepth else { return nil }
        var deepest = (fraction: 0.0, distance: before)
        var metres = 0.0
        for _ in 0..<200 where metres < start.distance {
            let depth = distance(at: metres / start.distance)
            if depth > deepest.distance { deepest = (metres / start.distance, depth) }
            metres += max(requiredDepth - depth, requiredDepth / 2, start.distance / 200)
        }
        guard deepest.distance >= requiredDepth else { return nil }
        let entry = fraction(between: (0, before), and: deepest)
        let exit = fraction(between: deepest, and: (1, after))
        return (time(at: entry), time(at: exit))
    }

    /// Returns the fraction of the line at which the distance changes its sign, by bisection with
    /// linear interpolation.
    private func fraction(between start: Sample, and end: Sample) -> Double {
        var (low, high) = (start, end)
        for _ in 0..<6 {
            let share = low.distance / (low.distance - high.distance)
            let middle = low.fraction + (high.fraction - low.fraction) * min(max(share, 0.05), 0.95)
            let value = distance(at: middle)
            if abs(value) < 0.1 { return middle }
            if (value >= 0) == (low.distance >= 0) { low = (middle, value) } else { high = (middle, value) }
        }
        let share = low.distance / (low.distance - high.distance)
        return low.fraction + (high.fraction - low.fraction) * min(max(share, 0), 1)
    }

    private func distance(at fraction: Double) -> Double {
        shape.signedDistance(from: start.coordinate.moved(by: fraction * start.distance, bearing: bearing))
    }

    private func time(at fraction: Double) -> UTCTime? {
        guard let from = start.time, let to = end.time, fraction.isFinite else { return end.time }
        return from.advanced(by: .seconds(to.span(since: from).seconds * min(max(fraction, 0), 1)))
    }
}
