import Chronology
import Geodesy

/// The evidence of one epoch relative to the boundary of one condition.
struct BoundaryTest {
    /// The ratio of the depth to the required depth above which the side is certain.
    static let certainDepthRatio = 4.0
    /// The smallest probability that makes evidence for a side confident.
    private static let confident = 0.9
    /// The smallest hysteresis in metres: stationary positions wander by this distance within a
    /// minute under open sky (`docs/motion.md` section 1).
    private static let minHysteresis = 10.0
    /// The smallest hysteresis in metres for the averaged position of a stationary device.
    private static let minWhileStationary = 5.0
    /// The smallest hysteresis in metres for a receiver that reports no speed.
    private static let minWithoutDoppler = 15.0

    let evidence: FenceEvidence
    let shape: FenceShape
    /// The distance to the boundary in metres, positive inside.
    let distance: Double
    private let halfDepth: Double
    private let insideProbability: Double

    init(of evidence: FenceEvidence, against shape: FenceShape, distance: Double, halfDepth: Double) {
        self.evidence = evidence
        self.shape = shape
        self.distance = distance
        self.halfDepth = halfDepth
        // At nine sigmas the side is certain.
        guard abs(distance) < 6 * evidence.radius else {
            insideProbability = distance >= 0 ? 1 : 0
            return
        }
        var circleRadius: Double?
        if case .circle(_, let radius) = shape { circleRadius = radius }
        insideProbability = InsideProbability.probability(
            distance: distance, radius: evidence.radius, circleRadius: circleRadius)
    }

    /// Returns whether the device is on that side with a probability of at least 0.9.
    func isConfident(inside isInside: Bool) -> Bool {
        (isInside ? insideProbability : 1 - insideProbability) >= BoundaryTest.confident
    }

    /// Returns the depth in metres beyond the boundary that a change of side requires. Inside a
    /// small shape it is limited to the half depth.
    func requiredDepth(inside isInside: Bool) -> Double {
        let depth =
            if evidence.isAtRest {
                max(evidence.radius, BoundaryTest.minWhileStationary)
            } else if !evidence.hasDoppler {
                max(1.5 * evidence.radius, BoundaryTest.minWithoutDoppler)
            } else {
                max(evidence.radius, BoundaryTest.minHysteresis)
            }
        return isInside ? min(depth, max(halfDepth, 0.1)) : depth
    }
}
