import Chronology

/// A rest that was looked away from: whether the device is still there is asked of the first positions after the gap.
///
/// The first fixes after a start are the worst, 7 to 10 m off in recordings of restarts, so one alone decides nothing.
struct Comparison: Sendable {
    enum Verdict { case open, here, gone }

    /// Fixes closer together than this are one piece of evidence.
    private static let apart = Instant.Span.seconds(5)

    private var firstOutside: Instant?
    private var firstInside: Instant?

    /// The last position was away from the rest.
    var isOutside: Bool { firstOutside != nil }

    mutating func judge(_ sample: MotionSample, against anchor: Anchor) -> Verdict {
        let (mine, other) = (anchor.accuracy, sample.radius)
        let edge = max(2 * (mine * mine + other * other).squareRoot(), 10) + anchor.reach
        if anchor.distance(sample.east, sample.north) > edge {
            firstInside = nil
            guard let first = firstOutside else {
                firstOutside = sample.at
                return .open
            }
            return sample.at - first >= Comparison.apart ? .gone : .open
        }
        firstOutside = nil
        guard let first = firstInside else {
            firstInside = sample.at
            return .open
        }
        return sample.at - first >= Comparison.apart ? .here : .open
    }
}
