import Chronology

/// One epoch as the detector keeps it, on the plane about the detector's origin.
struct MotionSample: Sendable {
    var at: Instant
    /// Metres east and north of the origin; meaningless without a position.
    var east = 0.0
    var north = 0.0
    /// Metres, 68 %; negative for an epoch without a position.
    var radius = -1.0
    /// Metres per second by Doppler; negative where the receiver states none.
    var speed = -1.0
    /// The receiver repeats itself: the very coordinate of the epoch before, and no speed.
    var isRepeat = false

    var hasPosition: Bool { radius >= 0 }

    func distance(_ east: Double, _ north: Double) -> Double {
        let (x, y) = (self.east - east, self.north - north)
        return (x * x + y * y).squareRoot()
    }
}
