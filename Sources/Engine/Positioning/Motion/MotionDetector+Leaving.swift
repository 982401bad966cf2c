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
