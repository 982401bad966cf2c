import Glibc

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

/// The probability that the device is inside, for a position with a circular normal error.
enum InsideProbability {
    /// The ratio of R68 to sigma: a circle of 1.515 sigma holds 68.27 % of errors with one sigma
    /// per axis: sqrt(-2 ln 0.3173).
    static let sigmasOfRadius = 1.515
    /// The radius in sigmas above which a circle's edge is treated as straight.
    private static let straightEdgeRadius = 10.0

    /// Returns the probability that the device is inside.
    ///
    /// - Parameters:
    ///   - distance: The distance to the boundary in metres, positive inside.
    ///   - radius: The R68 of the position in metres.
    ///   - circleRadius: The radius in metres if the shape is a circle.
    static func probability(distance: Double, radius: Double, circleRadius: Double?) -> Double {
        let sigma = max(radius, 0.01) / sigmasOfRadius
        guard let circleRadius, circleRadius < straightEdgeRadius * sigma else { return normal(distance / sigma) }
        return 1 - marcumQ((circleRadius - distance) / sigma, circleRadius / sigma)
    }

    /// Returns the cumulative distribution function of the standard normal distribution.
    static func normal(_ x: Double) -> Double { erfc(-x / 2.0.squareRoot()) / 2 }

    /// Returns Marcum's Q function of first order, for `b` up to about 10. It is the probability
    /// that a random point is farther than `b` from the centre. The point has an error of 1 per
    /// axis around a mean at distance `a` from the centre.
    ///
    /// Computed as a Poisson-weighted sum for the squared distance (noncentral chi-square with two
    /// degrees of freedom; M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions",
    /// 26.4.25).
    static func marcumQ(_ a: Double, _ b: Double) -> Double {
        guard a < b + 9 else { return 1 }
        let (x, y) = (a * a / 2, b * b / 2)
        var weight = exp(-x)
        // The k-th term of exp(-y) y^k / k! and the sum up to k: the probability that a Poisson
        // variable with mean y is at most k.
        var term = exp(-y)
        var tail = term
        var (sum, weights) = (0.0, 0.0)
        for k in 1...600 {
            sum += weight * tail
            weights += weight
            if weights > 1 - 1e-12 { break }
            weight *= x / Double(k)
            term *= y / Double(k)
            tail += term
        }
        return min(sum + max(1 - weights, 0), 1)
    }
}
