import Chronology
import Geodesy

/// One piece of evidence, as one condition sees it.
struct FenceSight {
    /// Times what is needed: there is no doubt left of the side.
    static let deep = 4.0
    /// The least probability of being on a side that counts as evidence of it.
    private static let confident = 0.9
    /// Metres, the least hysteresis: what positions at rest wander within a minute under an open sky (`docs/motion.md` section 1).
    private static let least = 10.0
    /// For the averaged place of a device at rest.
    private static let leastAtRest = 5.0
    /// For a receiver that states no speed.
    private static let leastWithoutDoppler = 15.0

    let evidence: FenceEvidence
    let shape: FenceShape
    /// Metres, positive inside.
    let distance: Double
    private let halfDepth: Double
    private let inside: Double

    init(_ evidence: FenceEvidence, _ shape: FenceShape, distance: Double, halfDepth: Double) {
        (self.evidence, self.shape, self.distance, self.halfDepth) = (evidence, shape, distance, halfDepth)
        var circle: Double?
        if case .circle(_, let radius) = shape { circle = radius }
        inside = InsideProbability.at(distance, radius: evidence.radius, circle: circle)
    }

    /// Whether the device is on that side with a probability of 0.9.
    func isConfident(inside isInside: Bool) -> Bool { (isInside ? inside : 1 - inside) >= FenceSight.confident }

    /// Metres beyond the boundary that are needed to have changed sides; inside a small shape half of what there is.
    func need(inside isInside: Bool) -> Double {
        let needed: Double =
            if evidence.isAtRest { max(evidence.radius, FenceSight.leastAtRest) } else if evidence.speed < 0 {
                max(1.5 * evidence.radius, FenceSight.leastWithoutDoppler)
            } else { max(evidence.radius, FenceSight.least) }
        return isInside ? min(needed, max(halfDepth, 0.1)) : needed
    }
}
