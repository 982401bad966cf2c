import Chronology

/// Compares the first positions after a gap with the earlier resting place, to decide whether the
/// device is still there.
///
/// The first fixes after a start are the worst, 7 to 10 m off in recordings of restarts, so one fix
/// alone decides nothing.
struct RestCheck: Sendable {
    enum Verdict { case undecided, stayed, left }

    /// Fixes closer together in time than this count as one.
    private static let minInterval = Instant.Span.seconds(5)

    private var firstOutside: Instant?
    private var firstInside: Instant?

    /// Whether the last position was outside the resting place.
    var isLastOutside: Bool { firstOutside != nil }

    mutating func evaluate(_ sample: MotionSample, against reference: StationaryReference) -> Verdict {
        let variance = reference.accuracy * reference.accuracy + sample.radius * sample.radius
        let edge = max(2 * variance.squareRoot(), 10) + reference.swingRadius
        if reference.distance(east: sample.east, north: sample.north) > edge {
            firstInside = nil
            guard let first = firstOutside else {
                firstOutside = sample.at
                return .undecided
            }
            return sample.at - first >= RestCheck.minInterval ? .left : .undecided
        }
        firstOutside = nil
        guard let first = firstInside else {
            firstInside = sample.at
            return .undecided
        }
        return sample.at - first >= RestCheck.minInterval ? .stayed : .undecided
    }
}
