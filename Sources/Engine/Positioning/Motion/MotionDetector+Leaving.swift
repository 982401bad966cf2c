import Chronology

/// Detects the end of a stationary period, and movement from an unknown state.
extension MotionDetector {
    private static let medianSpan = Instant.Span.seconds(5)
    /// After this time, positions outside without Doppler travel are a correction of the receiver's
    /// position, not a movement.
    private static let correctionTime = Instant.Span.seconds(60)
    /// Metres per second. A higher five-second median is a movement if the displacement confirms
    /// it.
    private static let walkingSpeed = 0.8
    /// Metres per second. A higher speed is a movement after three epochs whose positions confirm
    /// it.
    private static let drivingSpeed = 3.0

    /// Returns the displacement in metres that confirms a speed. Under a poor sky Doppler reports 1
    /// m/s for seconds without movement.
    private static func confirmingDisplacement(_ radius: Double) -> Double { min(max(0.75 * radius, 5), 30) }

    /// Evaluates a position in the stationary state that follows the previous one without a gap.
    mutating func evaluateStationary(_ sample: MotionSample, reference: StationaryReference) -> MotionAction? {
        let length = window.recent(Self.medianSpan)
        guard let median = window.medianPosition(length) else { return nil }
        let distance = reference.distance(east: median.east, north: median.north)
        let speed = window.medianSpeed(length)
        let start = startOfMotion(from: reference)
        let displacement = start.distance(east: sample.east, north: sample.north)
        let isWalking = speed.map { $0 > max(Self.walkingSpeed, 4 * reference.doppler) } ?? false
        if isDriving || isWalking && min(distance, displacement) > Self.confirmingDisplacement(median.radius) {
            return leave(reference, since: start.at, publishedAt: sample.at)
        }
        guard distance <= reference.boundary(forRadius: median.radius) else {
            return evaluateOutside(sample, reference: reference, median: median, hasDoppler: speed != nil)
        }
        outside = nil
        return follow(sample, reference: reference)
    }

    /// Moves the reference towards a position. Ends the stationary period if the reference has
    /// drifted too far in such steps.
    private mutating func follow(_ sample: MotionSample, reference: StationaryReference) -> MotionAction? {
        self.reference?.follow(sample)
        guard self.reference?.hasDrifted == true else { return nil }
        return leave(reference, since: sample.at, publishedAt: sample.at)
    }

    /// Evaluates a median position outside the boundary of the reference.
    private mutating func evaluateOutside(
        _ sample: MotionSample, reference: StationaryReference, median: (east: Double, north: Double, radius: Double),
        hasDoppler: Bool
    ) -> MotionAction? {
        let start = outside?.since ?? sample.at
        let count = (outside?.count ?? 0) + 1
        outside = (start, count)
        guard sample.at - start >= Self.medianSpan, count >= 3 else { return nil }
        let distance = reference.distance(east: median.east, north: median.north)
        // Under a poor sky positions wander for minutes while Doppler does not. Without Doppler
        // travel the distance must be large.
        let far = hasDoppler ? max(4 * median.radius, 35) : max(3 * median.radius, 15)
        let isCoveredByDoppler =
            (window.dopplerDistance(.seconds(120), above: max(Doppler.noise, 2 * reference.doppler)) ?? 0) >= distance
            / 2
        guard isCoveredByDoppler || distance > far + reference.swingRadius else {
            return sample.at - start >= Self.correctionTime ? follow(sample, reference: reference) : nil
        }
        return leave(reference, since: start, publishedAt: sample.at)
    }

    /// Whether three epochs have driving speed and their positions confirm at least half of it.
    var isDriving: Bool {
        guard window.count >= 3 else { return false }
        let newest = window[0]
        let middle = window[1]
        let oldest = window[2]
        guard min(newest.speed, middle.speed, oldest.speed) > Self.drivingSpeed, newest.hasPosition, oldest.hasPosition
        else { return false }
        let time = (newest.at - oldest.at).seconds
        let speed = (newest.speed + middle.speed + oldest.speed) / 3
        return time < 10 && newest.distance(east: oldest.east, north: oldest.north) >= 0.5 * speed * time
    }

    /// Returns the first sample of the continuous movement that led to the present one.
    private func startOfMotion(from reference: StationaryReference) -> MotionSample {
        var back = 0
        while back + 1 < window.count, window[back + 1].speed > Doppler.noise * 1.5,
            window[back + 1].at > reference.since
        { back += 1 }
        return window[back]
    }

    /// The start of a movement from an unknown state; nil without evidence of movement.
    var startOfMovement: Instant? {
        mutating get {
            if isDriving { return window[2].at }
            guard let median = window.medianPosition(window.recent(Self.medianSpan)) else { return nil }
            let near = window.recent(.seconds(15))
            let oldest = window[near - 1]
            let (displacement, time) = (
                oldest.distance(east: median.east, north: median.north), (window[0].at - oldest.at).seconds
            )
            if oldest.hasPosition, time >= 5, let speed = window.medianSpeed(near), speed > Self.walkingSpeed,
                displacement > Self.confirmingDisplacement(median.radius), displacement >= 0.4 * speed * time
            {
                return oldest.at
            }
            guard let length = window.covering(.seconds(60)) else { return nil }
            let start = window[length - 1]
            guard start.hasPosition,
                start.distance(east: median.east, north: median.north) > max(4 * max(median.radius, start.radius), 35)
            else {
                return nil
            }
            return start.at
        }
    }
}

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

/// Detects the start of a stationary period.
extension MotionDetector {
    /// Metres per second. A lower twenty-second median is no movement.
    private static let restSpeed = 0.4
    /// The smallest distance bound in metres: fixes under a good sky stay within it of their
    /// median.
    private static let minSpread = 6.0
    /// The largest distance bound in metres for any accuracy: a walking user covers more in one
    /// window.
    private static let maxSpread = 30.0
    /// The greatest age of the first sample of a window. An older one proves nothing about the time
    /// in between.
    private static let maxWindowAge = Instant.Span.seconds(900)
    /// The minimum share of epochs with a position.
    private static let minPositionShare = 0.7
    /// The longest time between two stationary periods of a boat that swings at anchor. After a
    /// longer time, or beyond the following limits, the device has moved.
    private static let maxSwingTime = Instant.Span.seconds(900)
    /// The greatest distance in metres between the places of these periods.
    private static let maxSwingDistance = 2 * StationaryReference.maxSwingRadius
    /// The speed in metres per second that such a boat does not reach.
    private static let maxSwingSpeed = 0.7

    /// Returns the place at which fixes have stayed for the whole window; nil if they have not.
    mutating func detectRest(at now: Instant) -> StationaryReference? {
        if let movedAt, now - movedAt < threshold.window { return nil }
        guard (window.medianSpeed(window.recent(.seconds(20))) ?? 0) < Self.restSpeed else { return nil }
        guard let length = window.covering(threshold.window), length >= 5 else { return nil }
        guard now - window[length - 1].at <= Self.maxWindowAge, flight.canBeStationary(at: now) else { return nil }
        guard let median = window.medianPosition(length), isClustered(length: length, about: median) else { return nil }
        var (averaged, since) = (Instant.Span.zero, now)
        for back in 0..<length where window[back].hasPosition {
            since = window[back].at
            if back > 0, !window[back - 1].isRepeat {
                averaged = averaged + min(window[back - 1].at - since, .seconds(10))
            }
        }
        var found = StationaryReference(
            east: median.east, north: median.north, radius: median.radius, since: since, averaged: averaged, at: now)
        if let departure, isSwing(from: departure, to: found) { found.merge(with: departure.reference) }
        return found
    }

    private func isSwing(from departure: ProvisionalDeparture, to found: StationaryReference) -> Bool {
        let distance = departure.reference.distance(east: found.east, north: found.north)
        guard found.lastConfirmed - departure.publishedAt <= Self.maxSwingTime, distance <= Self.maxSwingDistance else {
            return false
        }
        // Without Doppler the speed follows from distance and time.
        let implied = distance / max((found.since - departure.since).seconds, 1)
        return (departure.fastest > 0 ? departure.fastest : implied) < Self.maxSwingSpeed
    }

    /// Returns whether the fixes stay together: one in twenty may lie outside the bound, none
    /// beyond twice the bound.
    private func isClustered(length: Int, about median: (east: Double, north: Double, radius: Double)) -> Bool {
        let bound = min(max(2 * median.radius, Self.minSpread), Self.maxSpread)
        var (positions, outliers) = (0, 0)
        for back in 0..<length where window[back].hasPosition {
            positions += 1
            let distance = window[back].distance(east: median.east, north: median.north)
            guard distance > bound else { continue }
            outliers += 1
            if distance > 2 * bound || outliers * 20 > length { return false }
        }
        return Double(positions) >= Self.minPositionShare * Double(length)
    }
}
