import Chronology

/// Distinguishes outliers from movements by comparing the speed between positions with the Doppler
/// speed.
struct SpikeFilter: Sendable {
    enum Verdict {
        case plausible
        /// An outlier: the position does not follow from the previous one; the next may correct it.
        case outlier
        /// The third consecutive such position: the change is permanent, and earlier data is not
        /// comparable.
        case jump
    }

    private var last: MotionSample?
    private var implied = 0.0
    private var rejected = 0

    mutating func judge(_ sample: MotionSample) -> Verdict {
        guard let last else { return accept(sample, 0, .plausible) }
        let step = (sample.at - last.at).seconds
        guard step > 0, sample.at - last.at <= OutlierFilter.maxStep else { return accept(sample, 0, .plausible) }
        let speed = sample.distance(last.east, last.north) / step
        // Without Doppler only the previous speed is available for the comparison.
        let stated = max(sample.speed, last.speed)
        let expected = stated >= 0 ? stated : implied
        if OutlierFilter.explains(speed, expected: expected, radius: sample.radius, step: step) {
            return accept(sample, speed, .plausible)
        }
        guard rejected >= OutlierFilter.maxRejected else {
            rejected += 1
            return .outlier
        }
        return accept(sample, 0, .jump)
    }

    private mutating func accept(_ sample: MotionSample, _ speed: Double, _ verdict: Verdict) -> Verdict {
        last = sample
        implied = speed
        rejected = 0
        return verdict
    }
}
