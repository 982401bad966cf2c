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

/// The rule for when a position does not follow from the previous one, used for motion and fences.
public enum OutlierRule {
    /// The difference between implied and reported speed, in metres per second, that no manoeuvre
    /// explains.
    private static let mismatch = 10.0
    /// The maximum number of consecutive positions to reject; the next one is a permanent change.
    public static let maxRejected = 2
    /// The longest time between two positions for which a speed is implied.
    public static let maxStep = Instant.Span.seconds(10)

    /// Returns whether the expected speed and the radius explain a step.
    ///
    /// - Parameters:
    ///   - impliedSpeed: Metres per second, by the two positions.
    ///   - expectedSpeed: Metres per second, by Doppler or the best available source.
    ///   - radius: Metres, R68 of the later position.
    ///   - step: Seconds between them, above 0.
    public static func explains(impliedSpeed: Double, expectedSpeed: Double, radius: Double, step: Double) -> Bool {
        impliedSpeed - expectedSpeed <= max(mismatch, 3 * radius / step)
    }
}
