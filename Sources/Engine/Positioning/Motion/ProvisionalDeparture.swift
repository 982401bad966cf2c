import Chronology

/// A published movement that may turn out to be a receiver error.
///
/// A parked u-blox receiver moved 62 m with a matching Doppler speed, stopped within a second and
/// drifted back within a minute while Doppler reported standstill (tkforbes/py-sandbox,
/// 2020-10-04). HDOP, satellites and quality showed nothing; only the missing Doppler speed during
/// the return did.
struct ProvisionalDeparture: Sendable {
    /// The age up to which a movement can be an error; the drift back took a minute.
    private static let maxAge = Instant.Span.seconds(240)

    let reference: StationaryReference
    /// The time at which the movement was published.
    let publishedAt: Instant
    /// The time at which the movement began.
    let since: Instant
    private var farthest = 0.0
    /// The distance in metres travelled since the farthest point, according to Doppler.
    private var returnDistance = 0.0
    private var last: Instant
    /// The highest speed that two consecutive epochs reached since the departure, in metres per
    /// second.
    private(set) var fastest = 0.0
    private var lastSpeed = 0.0

    init(from reference: StationaryReference, since: Instant, publishedAt: Instant) {
        self.reference = reference
        self.since = since
        self.publishedAt = publishedAt
        last = publishedAt
    }

    /// Returns whether this position revokes the movement: it is back at the place, but Doppler
    /// shows no travel back.
    ///
    /// - Parameter median: The median position of the last seconds.
    mutating func isRevoked(_ sample: MotionSample, median: (east: Double, north: Double, radius: Double)) -> Bool {
        fastest = max(fastest, min(sample.speed, lastSpeed))
        lastSpeed = sample.speed
        let distance = reference.distance(east: median.east, north: median.north)
        let step = min((sample.at - last).seconds, 5)
        last = sample.at
        guard sample.speed >= 0, sample.at - publishedAt <= ProvisionalDeparture.maxAge else { return false }
        if distance > farthest {
            (farthest, returnDistance) = (distance, 0)
            return false
        }
        if sample.speed > Doppler.noise { returnDistance += sample.speed * step }
        let back = farthest - distance
        return back >= max(median.radius, 5) && returnDistance < back / 2
            && distance <= 0.75 * reference.boundary(forRadius: median.radius)
    }
}
