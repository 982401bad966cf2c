import Chronology

/// Distinguishes outliers from movements by comparing the speed between positions with the Doppler
/// speed.
struct OutlierFilter: Sendable {
    enum Verdict {
        case plausible
        /// An outlier: the position does not follow from the previous one; the next may correct it.
        case outlier
        /// The third consecutive such position: the change is permanent, and earlier data is not
        /// comparable.
        case jump
    }

    private var last: MotionSample?
    private var impliedSpeed = 0.0
    private var rejected = 0
    private var lastRejected: MotionSample?

    mutating func classify(_ sample: MotionSample) -> Verdict {
        guard let last else { return accept(sample, impliedSpeed: 0, verdict: .plausible) }
        let step = (sample.at - last.at).seconds
        guard step > 0, sample.at - last.at <= OutlierRule.maxStep else {
            return accept(sample, impliedSpeed: 0, verdict: .plausible)
        }
        let speed = sample.distance(east: last.east, north: last.north) / step
        // Without Doppler only the previous implied speed is available for the comparison.
        let expectedSpeed = sample.speed >= 0 ? max(sample.speed, last.speed) : impliedSpeed
        if OutlierRule.explains(
            impliedSpeed: speed, expectedSpeed: expectedSpeed, radius: sample.radius, step: step)
        {
            return accept(sample, impliedSpeed: speed, verdict: .plausible)
        }
        guard rejected >= OutlierRule.maxRejected else {
            rejected += 1
            lastRejected = sample
            return .outlier
        }
        // At the new place the device moves as it did since the last rejected position.
        let speedThere = lastRejected.map { before in
            sample.distance(east: before.east, north: before.north) / max((sample.at - before.at).seconds, 0.1)
        }
        return accept(sample, impliedSpeed: speedThere ?? 0, verdict: .jump)
    }

    private mutating func accept(_ sample: MotionSample, impliedSpeed speed: Double, verdict: Verdict) -> Verdict {
        last = sample
        impliedSpeed = speed
        rejected = 0
        return verdict
    }
}
