import Chronology

/// Detects the end of a stationary period, and movement from an unknown state.
extension MotionDetector {
    private static let short = Instant.Span.seconds(5)
    /// After this time, positions outside without Doppler travel are a correction of the receiver's
    /// position, not a movement.
    private static let offset = Instant.Span.seconds(60)
    /// Metres per second. A higher five-second median is a movement if the displacement confirms
    /// it.
    private static let walking = 0.8
    /// Metres per second. A higher speed is a movement after three epochs whose positions confirm
    /// it.
    private static let driving = 3.0

    /// Returns the displacement in metres that confirms a speed. Under a poor sky Doppler reports 1
    /// m/s for seconds without movement.
    private static func confirmingDisplacement(_ radius: Double) -> Double { min(max(0.75 * radius, 5), 30) }

    /// Evaluates a position in the stationary state that follows the previous one without a gap.
    mutating func evaluateStationary(_ sample: MotionSample, _ anchor: RestAnchor) -> MotionAction? {
        let length = window.recent(Self.short)
        guard let middle = window.medianPosition(length) else { return nil }
        let distance = anchor.distance(middle.east, middle.north)
        let speed = window.medianSpeed(length)
        let start = startOfMotion(from: anchor)
        let gone = start.distance(sample.east, sample.north)
        let isWalking = speed.map { $0 > max(Self.walking, 4 * anchor.doppler) } ?? false
        if isDriving || isWalking && min(distance, gone) > Self.confirmingDisplacement(middle.radius) {
            return leave(anchor, since: start.at, told: sample.at)
        }
        guard distance <= anchor.boundary(forRadius: middle.radius) else {
            return evaluateOutside(sample, anchor, middle, hasDoppler: speed != nil)
        }
        outside = nil
        return follow(sample, anchor)
    }

    /// Moves the anchor towards a position. Ends the stationary period if the anchor has drifted
    /// too far in such steps.
    private mutating func follow(_ sample: MotionSample, _ anchor: RestAnchor) -> MotionAction? {
        self.anchor?.follow(sample)
        guard self.anchor?.hasDrifted == true else { return nil }
        return leave(anchor, since: sample.at, told: sample.at)
    }

    /// Evaluates a median position outside the anchor's edge.
    private mutating func evaluateOutside(
        _ sample: MotionSample, _ anchor: RestAnchor, _ middle: (east: Double, north: Double, radius: Double),
        hasDoppler: Bool
    ) -> MotionAction? {
        let start = outside?.since ?? sample.at
        let count = (outside?.count ?? 0) + 1
        outside = (start, count)
        guard sample.at - start >= Self.short, count >= 3 else { return nil }
        let distance = anchor.distance(middle.east, middle.north)
        // Under a poor sky positions wander for minutes while Doppler does not. Without Doppler
        // travel the distance must be large.
        let far = hasDoppler ? max(4 * middle.radius, 35) : max(3 * middle.radius, 15)
        let isDriven =
            (window.dopplerDistance(.seconds(120), above: max(Doppler.noise, 2 * anchor.doppler)) ?? 0) >= distance / 2
        guard isDriven || distance > far + anchor.swingRadius else {
            return sample.at - start >= Self.offset ? follow(sample, anchor) : nil
        }
        return leave(anchor, since: start, told: sample.at)
    }

    /// Whether three epochs have driving speed and their positions confirm at least half of it.
    var isDriving: Bool {
        guard window.count >= 3 else { return false }
        let (newest, middle, oldest) = (window[0], window[1], window[2])
        guard min(newest.speed, middle.speed, oldest.speed) > Self.driving, newest.hasPosition, oldest.hasPosition
        else { return false }
        let time = (newest.at - oldest.at).seconds
        let speed = (newest.speed + middle.speed + oldest.speed) / 3
        return time < 10 && newest.distance(oldest.east, oldest.north) >= 0.5 * speed * time
    }

    /// Returns the first sample of the continuous movement that led to the present one.
    private func startOfMotion(from anchor: RestAnchor) -> MotionSample {
        var back = 0
        while back + 1 < window.count, window[back + 1].speed > Doppler.noise * 1.5, window[back + 1].at > anchor.since
        { back += 1 }
        return window[back]
    }

    /// The start of a movement from an unknown state; nil without evidence of movement.
    var startOfMovement: Instant? {
        mutating get {
            if isDriving { return window[2].at }
            guard let middle = window.medianPosition(window.recent(Self.short)) else { return nil }
            let near = window.recent(.seconds(15))
            let oldest = window[near - 1]
            let (gone, time) = (oldest.distance(middle.east, middle.north), (window[0].at - oldest.at).seconds)
            if oldest.hasPosition, time >= 5, let speed = window.medianSpeed(near), speed > Self.walking,
                gone > Self.confirmingDisplacement(middle.radius), gone >= 0.4 * speed * time
            {
                return oldest.at
            }
            guard let length = window.covering(.seconds(60)) else { return nil }
            let start = window[length - 1]
            guard start.hasPosition,
                start.distance(middle.east, middle.north) > max(4 * max(middle.radius, start.radius), 35)
            else {
                return nil
            }
            return start.at
        }
    }
}
