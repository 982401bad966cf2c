import Chronology

/// How a rest is left, and how movement is seen where no rest was known.
extension MotionDetector {
    private static let short = Instant.Span.seconds(5)
    /// Positions that stay off for so long without having been driven there are the receiver's new opinion of the same place.
    private static let offset = Instant.Span.seconds(60)
    /// Metres per second: a median of five seconds that is a movement when it leads somewhere.
    private static let walking = 0.8
    /// Metres per second that are a movement after three epochs that bear it out.
    private static let driving = 3.0

    /// Metres that somebody must have gone for his speed to be believed: under a poor sky Doppler says 1 m/s for seconds on end.
    private static func farEnough(_ radius: Double) -> Double { min(max(0.75 * radius, 5), 30) }

    /// At rest, with a position that follows on the one before.
    mutating func judgeRest(_ sample: MotionSample, _ anchor: Anchor) -> MotionAction? {
        let length = window.recent(Self.short)
        guard let middle = window.middle(length) else { return nil }
        let distance = anchor.distance(middle.east, middle.north)
        let speed = window.medianSpeed(length)
        let start = startOfRun(from: anchor)
        let gone = start.distance(sample.east, sample.north)
        let isWalking = speed.map { $0 > max(Self.walking, 4 * anchor.doppler) } ?? false
        if isRunning || isWalking && min(distance, gone) > Self.farEnough(middle.radius) {
            return leave(anchor, since: start.at, told: sample.at)
        }
        guard distance <= anchor.edge(middle.radius) else { return judgeOutside(sample, anchor, middle, hasDoppler: speed != nil) }
        outside = nil
        return follow(sample, anchor)
    }

    /// Takes a position into the place; one that has drifted too far by such steps is left after all.
    private mutating func follow(_ sample: MotionSample, _ anchor: Anchor) -> MotionAction? {
        self.anchor?.follow(sample)
        guard self.anchor?.hasDrifted == true else { return nil }
        return leave(anchor, since: sample.at, told: sample.at)
    }

    /// The middle of the last seconds lies outside the anchor's edge.
    private mutating func judgeOutside(
        _ sample: MotionSample, _ anchor: Anchor, _ middle: (east: Double, north: Double, radius: Double), hasDoppler: Bool
    ) -> MotionAction? {
        let start = outside?.since ?? sample.at
        let count = (outside?.count ?? 0) + 1
        outside = (start, count)
        guard sample.at - start >= Self.short, count >= 3 else { return nil }
        let distance = anchor.distance(middle.east, middle.north)
        // Positions wander by minutes under a poor sky, and Doppler does not: what it has not driven must be far to be believed.
        let far = hasDoppler ? max(4 * middle.radius, 35) : max(3 * middle.radius, 15)
        let isDriven = (window.driven(.seconds(120), above: max(Doppler.noise, 2 * anchor.doppler)) ?? 0) >= distance / 2
        guard isDriven || distance > far + anchor.reach else {
            return sample.at - start >= Self.offset ? follow(sample, anchor) : nil
        }
        return leave(anchor, since: start, told: sample.at)
    }

    /// Three epochs at driving speed, whose positions bear at least half of it out.
    var isRunning: Bool {
        guard window.count >= 3 else { return false }
        let (newest, middle, oldest) = (window[0], window[1], window[2])
        guard min(newest.speed, middle.speed, oldest.speed) > Self.driving, newest.hasPosition, oldest.hasPosition else { return false }
        let time = (newest.at - oldest.at).seconds
        let speed = (newest.speed + middle.speed + oldest.speed) / 3
        return time < 10 && newest.distance(oldest.east, oldest.north) >= 0.5 * speed * time
    }

    /// Where the speeds began that led to now.
    private func startOfRun(from anchor: Anchor) -> MotionSample {
        var back = 0
        while back + 1 < window.count, window[back + 1].speed > Doppler.noise * 1.5, window[back + 1].at > anchor.since { back += 1 }
        return window[back]
    }

    /// Where no rest was known: since when the device moves; nil while that is not seen.
    var startOfMovement: Instant? {
        mutating get {
            if isRunning { return window[2].at }
            guard let middle = window.middle(window.recent(Self.short)) else { return nil }
            let near = window.recent(.seconds(15))
            let oldest = window[near - 1]
            let (gone, time) = (oldest.distance(middle.east, middle.north), (window[0].at - oldest.at).seconds)
            if oldest.hasPosition, time >= 5, let speed = window.medianSpeed(near), speed > Self.walking,
                gone > Self.farEnough(middle.radius), gone >= 0.4 * speed * time
            {
                return oldest.at
            }
            guard let length = window.covering(.seconds(60)) else { return nil }
            let start = window[length - 1]
            guard start.hasPosition, start.distance(middle.east, middle.north) > max(4 * max(middle.radius, start.radius), 35) else {
                return nil
            }
            return start.at
        }
    }
}
