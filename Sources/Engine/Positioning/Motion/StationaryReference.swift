import Chronology

/// The reference position of a stationary device, on the detector's plane.
struct StationaryReference: Sendable {
    /// The time constant in seconds with which the reference follows the fixes in the long run.
    private static let maxTimeConstant = 300.0
    /// The shortest time constant in seconds, for a receiver that releases a frozen position.
    private static let minTimeConstant = 90.0
    /// Metres. Beyond this distance from its first position the reference has drifted, which
    /// averaging does not explain.
    private static let driftLimit = 20.0
    /// The largest swing of a boat at anchor, in metres.
    static let maxSwingRadius = 40.0

    var east: Double
    var north: Double
    /// The 68 % radius of one fix in metres, smoothed like the position.
    var radius: Double
    var swingRadius = 0.0
    /// The average speed that this receiver reports while stationary, in metres per second.
    private(set) var doppler = 0.0
    let since: Instant
    /// The time over which differing fixes were averaged.
    private(set) var averaged: Instant.Span
    private var origin: (east: Double, north: Double)
    /// The last time at which a fix confirmed the reference.
    private(set) var lastConfirmed: Instant

    init(east: Double, north: Double, radius: Double, since: Instant, averaged: Instant.Span, at now: Instant) {
        self.east = east
        self.north = north
        self.radius = radius
        self.since = since
        self.averaged = averaged
        origin = (east, north)
        lastConfirmed = now
    }

    /// The 68 % radius of the averaged position in metres.
    var accuracy: Double { StationaryPlace.averaged(radius, over: averaged) }

    /// Returns the distance in metres beyond which a fix with that radius is outside.
    func boundary(forRadius fix: Double) -> Double { max(2 * max(fix, accuracy), 10) + swingRadius }

    /// Whether the reference has drifted from its first position by more than averaged errors
    /// explain.
    var hasDrifted: Bool {
        let (x, y) = (east - origin.east, north - origin.north)
        return (x * x + y * y).squareRoot() > max(3 * radius, StationaryReference.driftLimit) + swingRadius
    }

    func distance(east: Double, north: Double) -> Double {
        let (x, y) = (self.east - east, self.north - north)
        return (x * x + y * y).squareRoot()
    }

    /// Moves the reference towards a sample of the stationary device. A repeated sample contains no
    /// new position.
    mutating func follow(_ sample: MotionSample) {
        let step = min(max((sample.at - lastConfirmed).seconds, 0), 10)
        lastConfirmed = sample.at
        if sample.speed >= 0 {
            doppler += step / StationaryReference.maxTimeConstant * (min(sample.speed, 1) - doppler)
        }
        guard !sample.isRepeat else { return }
        let gain =
            step
            / (min(max(averaged.seconds, StationaryReference.minTimeConstant), StationaryReference.maxTimeConstant)
                + step)
        east += gain * (sample.east - east)
        north += gain * (sample.north - north)
        radius += gain * (sample.radius - radius)
        averaged = averaged + .seconds(step)
    }

    /// Merges with the reference of a place that the device left slowly: it swings about the middle
    /// of both.
    mutating func merge(with other: StationaryReference) {
        let separation = distance(east: other.east, north: other.north)
        swingRadius = min(
            max(other.swingRadius, separation / 2 + other.swingRadius / 2), StationaryReference.maxSwingRadius)
        east = (east + other.east) / 2
        north = (north + other.north) / 2
        origin = (east, north)
    }
}
