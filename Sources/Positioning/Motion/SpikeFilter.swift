import Chronology

/// Tells a position that jumped from one that moved: what the positions imply, against what Doppler says.
struct SpikeFilter: Sendable {
    enum Verdict {
        case plausible
        /// It does not follow from the one before; perhaps an error that the next will mend.
        case spike
        /// The third in a row that does not: the position has been moved for good, and what was known of it before does not compare.
        case jump
    }

    private var last: MotionSample?
    private var implied = 0.0
    private var rejected = 0

    mutating func judge(_ sample: MotionSample) -> Verdict {
        guard let last else { return accept(sample, 0, .plausible) }
        let step = (sample.at - last.at).seconds
        guard step > 0, sample.at - last.at <= SpikeRule.longestStep else { return accept(sample, 0, .plausible) }
        let speed = sample.distance(last.east, last.north) / step
        // Without Doppler the speed before it is all there is to compare with.
        let stated = max(sample.speed, last.speed)
        let expected = stated >= 0 ? stated : implied
        if SpikeRule.explains(speed, expected: expected, radius: sample.radius, step: step) { return accept(sample, speed, .plausible) }
        guard rejected >= SpikeRule.mostRejected else {
            rejected += 1
            return .spike
        }
        return accept(sample, 0, .jump)
    }

    private mutating func accept(_ sample: MotionSample, _ speed: Double, _ verdict: Verdict) -> Verdict {
        (last, implied, rejected) = (sample, speed, 0)
        return verdict
    }
}
