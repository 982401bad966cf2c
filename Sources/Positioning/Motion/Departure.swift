import Chronology

/// A movement that may yet prove to be an error of the receiver.
///
/// A parked u-blox receiver ran 62 m with a matching Doppler speed, halted within a second and crept back in a minute while Doppler
/// said that it stood (tkforbes/py-sandbox, 2020-10-04). HDOP, satellites and quality showed nothing; that the way back was never driven did.
struct Departure: Sendable {
    /// The creeping took a minute; a movement that is older has been one.
    private static let longest = Instant.Span.seconds(240)

    let anchor: Anchor
    /// When the movement was told.
    let told: Instant
    /// Where the movement began.
    let since: Instant
    private var farthest = 0.0
    /// Metres that Doppler says were driven since the farthest point.
    private var drivenBack = 0.0
    private var last: Instant
    /// The greatest speed on the way that two epochs shared, m/s.
    private(set) var fastest = 0.0
    private var lastSpeed = 0.0

    init(from anchor: Anchor, since: Instant, told: Instant) {
        (self.anchor, self.since, self.told) = (anchor, since, told)
        last = told
    }

    /// Whether this position, back at the place without having been driven there, undoes the movement.
    ///
    /// - Parameter middle: The median of the last seconds.
    mutating func isUndone(_ sample: MotionSample, middle: (east: Double, north: Double, radius: Double)) -> Bool {
        fastest = max(fastest, min(sample.speed, lastSpeed))
        lastSpeed = sample.speed
        let distance = anchor.distance(middle.east, middle.north)
        let step = min((sample.at - last).seconds, 5)
        last = sample.at
        guard sample.speed >= 0, sample.at - told <= Departure.longest else { return false }
        if distance > farthest {
            (farthest, drivenBack) = (distance, 0)
            return false
        }
        if sample.speed > Doppler.noise { drivenBack += sample.speed * step }
        let back = farthest - distance
        return back >= max(middle.radius, 5) && drivenBack < back / 2 && distance <= 0.75 * anchor.edge(middle.radius)
    }
}
