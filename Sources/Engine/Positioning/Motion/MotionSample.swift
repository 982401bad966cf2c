import Chronology

/// One epoch in the form that the detector stores, on the plane about the detector's origin.
struct MotionSample: Sendable {
    var at: Instant
    /// Metres east and north of the origin; meaningless without a position.
    var east = 0.0
    var north = 0.0
    /// The 68 % radius in metres; negative for an epoch without a position.
    var radius = -1.0
    /// Metres per second by Doppler; negative if the receiver reports none.
    var speed = -1.0
    /// Whether the receiver repeats itself: the same coordinate as in the previous epoch, and no
    /// speed.
    var isRepeat = false

    var hasPosition: Bool { radius >= 0 }

    func distance(east: Double, north: Double) -> Double {
        let (x, y) = (self.east - east, self.north - north)
        return (x * x + y * y).squareRoot()
    }
}
