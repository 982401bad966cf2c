import Chronology

/// Compares the first positions after a gap with the earlier resting place, to decide whether the
/// device is still there.
///
/// The first fixes after a start are the worst, 7 to 10 m off in recordings of restarts, so one fix
/// alone decides nothing.
struct RestCheck: Sendable {
    enum Verdict { case open, here, gone }

    /// Fixes closer together in time than this count as one.
    private static let apart = Instant.Span.seconds(5)

    private var firstOutside: Instant?
    private var firstInside: Instant?

    /// Whether the last position was outside the resting place.
    var isLastOutside: Bool { firstOutside != nil }

    mutating func judge(_ sample: MotionSample, against anchor: RestAnchor) -> Verdict {
        let (mine, other) = (anchor.accuracy, sample.radius)
        let edge = max(2 * (mine * mine + other * other).squareRoot(), 10) + anchor.swingRadius
        if anchor.distance(sample.east, sample.north) > edge {
            firstInside = nil
            guard let first = firstOutside else {
                firstOutside = sample.at
                return .open
            }
            return sample.at - first >= RestCheck.apart ? .gone : .open
        }
        firstOutside = nil
        guard let first = firstInside else {
            firstInside = sample.at
            return .open
        }
        return sample.at - first >= RestCheck.apart ? .here : .open
    }
}
