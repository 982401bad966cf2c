/// An upper bound of the distance that the device has travelled. A condition at a known distance
/// needs no evaluation before the bound grows by that distance.
///
/// Jitter does not accumulate. The bound grows in steps from one anchor to the next; between
/// anchors it includes the distance from the current anchor.
struct TravelBound: Sendable {
    /// The distance in metres from the anchor at which a new anchor is set. The positions of a
    /// stationary receiver stay within it.
    private static let step = 10.0

    private var anchor: SIMD4<Double>?
    private var distanceToAnchor = 0.0
    private var distanceFromAnchor = 0.0

    /// The upper bound of the travelled distance, in metres.
    var distance: Double { distanceToAnchor + distanceFromAnchor }

    /// Returns the ``distance`` before which the device cannot reach a point that is `clearance`
    /// metres from its current position.
    func bound(afterTravelling clearance: Double) -> Double { distanceToAnchor - distanceFromAnchor + clearance }

    /// Processes a position of the device in space.
    mutating func process(_ point: SIMD4<Double>) {
        guard let anchor else {
            anchor = point
            return
        }
        distanceFromAnchor = TravelBound.groundDistance(from: anchor, to: point)
        guard distanceFromAnchor > TravelBound.step else { return }
        distanceToAnchor += distanceFromAnchor
        (self.anchor, distanceFromAnchor) = (point, 0)
    }

    /// Returns an upper bound of the distance in metres over the ground between two points of the
    /// surface.
    static func groundDistance(from a: SIMD4<Double>, to b: SIMD4<Double>) -> Double {
        let difference = a - b
        let line = (difference.x * difference.x + difference.y * difference.y + difference.z * difference.z)
            .squareRoot()
        // An arc of 1000 km is 0.1 % longer than its chord; a half circle is longer by the factor
        // pi / 2.
        return line * (line < 1e6 ? 1.002 : 1.6)
    }
}
