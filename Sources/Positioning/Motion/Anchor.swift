import Chronology

/// The place that a device at rest is compared with, on the detector's plane.
struct Anchor: Sendable {
    /// The time over which the place follows what is said of it, once it is known.
    private static let follows = 300.0
    /// And the least, for a receiver that had frozen its position and lets go of it.
    private static let settles = 90.0
    /// Farther than this from where it was first found, and it has drifted and not been averaged.
    private static let leash = 20.0
    /// What a boat at anchor may swing, metres.
    static let mostReach = 40.0

    var east: Double
    var north: Double
    /// Metres, 68 %, of one fix, followed like the position.
    var radius: Double
    var reach = 0.0
    /// Metres per second that this receiver states at rest, on average.
    private(set) var doppler = 0.0
    let since: Instant
    /// How long fixes that differ were averaged.
    private(set) var averaged: Instant.Span
    private var home: (east: Double, north: Double)
    /// When it was last seen to hold.
    private(set) var held: Instant

    init(east: Double, north: Double, radius: Double, since: Instant, averaged: Instant.Span, at now: Instant) {
        (self.east, self.north, self.radius, self.since, self.averaged) = (east, north, radius, since, averaged)
        home = (east, north)
        held = now
    }

    /// The 68 % radius of the averaged place.
    var accuracy: Double { RestingPlace.averaged(radius, over: averaged) }

    /// Farther than this is outside, for a fix of that radius.
    func edge(_ fix: Double) -> Double { max(2 * max(fix, accuracy), 10) + reach }

    /// The place has drifted off where it was found, by more than errors that average out.
    var hasDrifted: Bool {
        let (x, y) = (east - home.east, north - home.north)
        return (x * x + y * y).squareRoot() > max(3 * radius, Anchor.leash) + reach
    }

    func distance(_ east: Double, _ north: Double) -> Double {
        let (x, y) = (self.east - east, self.north - north)
        return (x * x + y * y).squareRoot()
    }

    /// The device is here, and its receiver says so; a receiver that repeats itself says nothing new of where that is.
    mutating func follow(_ sample: MotionSample) {
        let step = min(max((sample.at - held).seconds, 0), 10)
        held = sample.at
        if sample.speed >= 0 { doppler += step / Anchor.follows * (min(sample.speed, 1) - doppler) }
        guard !sample.isRepeat else { return }
        let gain = step / (min(max(averaged.seconds, Anchor.settles), Anchor.follows) + step)
        east += gain * (sample.east - east)
        north += gain * (sample.north - north)
        radius += gain * (sample.radius - radius)
        averaged = averaged + .seconds(step)
    }

    /// The device has come to rest beside a place that it left slowly: it swings about the middle of both.
    mutating func widen(with other: Anchor) {
        let apart = distance(other.east, other.north)
        reach = min(max(other.reach, apart / 2 + other.reach / 2), Anchor.mostReach)
        east = (east + other.east) / 2
        north = (north + other.north) / 2
        home = (east, north)
    }
}
