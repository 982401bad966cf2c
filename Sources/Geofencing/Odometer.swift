/// How far the device has gone at most, so that what was found to be far away need not be looked at before it has gone that far.
///
/// Jitter does not count: the way grows by steps from one anchor to the next, and what is asked in between is measured from the anchor.
struct Odometer: Sendable {
    /// Metres from the anchor at which the next is laid: what a receiver at rest says stays within that.
    private static let step = 10.0

    private var anchor: SIMD4<Double>?
    private var toAnchor = 0.0
    private var fromAnchor = 0.0

    /// Metres, at most, that the device has gone.
    var way: Double { toAnchor + fromAnchor }

    /// The ``way`` before which nothing that is `clearance` metres from the present place comes nearer than nought.
    func mark(_ clearance: Double) -> Double { toAnchor - fromAnchor + clearance }

    /// The device is at that point in space.
    mutating func take(_ point: SIMD4<Double>) {
        guard let anchor else {
            anchor = point
            return
        }
        fromAnchor = Odometer.ground(anchor, point)
        guard fromAnchor > Odometer.step else { return }
        toAnchor += fromAnchor
        (self.anchor, fromAnchor) = (point, 0)
    }

    /// Metres over the ground between two points of the surface, or a little more.
    static func ground(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> Double {
        let apart = a - b
        let line = (apart.x * apart.x + apart.y * apart.y + apart.z * apart.z).squareRoot()
        // An arc of 1000 km is longer than its chord by a thousandth; half of a circle by pi / 2.
        return line * (line < 1e6 ? 1.002 : 1.6)
    }
}
