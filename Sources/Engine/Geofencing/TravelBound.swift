/// An upper bound of the distance that the device has travelled. A condition at a known distance
/// needs no evaluation before the bound grows by that distance.
///
/// Jitter does not accumulate. The bound grows in steps from one reference position to the next;
/// between them it includes the distance from the current one.
struct TravelBound: Sendable {
    /// The distance in metres from the reference position at which a new one is set. The positions
    /// of a stationary receiver stay within it.
    private static let step = 10.0

    private var reference: SIMD4<Double>?
    private var distanceToReference = 0.0
    private var distanceFromReference = 0.0

    /// The upper bound of the travelled distance, in metres.
    var distance: Double { distanceToReference + distanceFromReference }

    /// Returns the ``distance`` before which the device cannot reach a point that is `clearance`
    /// metres from its current position.
    func bound(afterTravelling clearance: Double) -> Double { distanceToReference - distanceFromReference + clearance }

    /// Processes a position of the device in space.
    mutating func process(_ point: SIMD4<Double>) {
        guard let reference else {
            reference = point
            return
        }
        distanceFromReference = TravelBound.groundDistance(from: reference, to: point)
        guard distanceFromReference > TravelBound.step else { return }
        distanceToReference += distanceFromReference
        (self.reference, distanceFromReference) = (point, 0)
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
