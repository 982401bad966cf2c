import Chronology
import Geodesy
import Geofencing

/// A trial with circles of 100 m centred on the track of a moving device. Each entry and exit must
/// be reported exactly once.
package struct MovingFenceTrial: Sendable {
    /// The radius of the circles, in metres.
    private static let radius = 100.0
    /// The distance between consecutive centres, in metres.
    private static let spacing = 400.0
    /// The distance in metres beyond the boundary that makes a crossing certain.
    ///
    /// A circle with a shorter crossing is left out, because both results would be correct. So is a
    /// circle whose boundary is within twice this distance of the start, where no state is
    /// determined yet.
    private static let certain = 25.0
    /// The time before the end of a log in which a crossing can no longer be reported.
    private static let ending = Instant.Span.seconds(60)

    struct TrueCrossing {
        var isEntry: Bool
        var at: Instant
    }

    /// The number of circles evaluated.
    package private(set) var circles = 0
    /// The number of circles left out.
    package private(set) var unclear = 0
    /// The number of true crossings.
    package private(set) var crossings = 0
    /// The number of true crossings that were reported.
    package private(set) var found = 0
    /// The number of reported crossings that did not happen or were reported again.
    package private(set) var wrong = 0
    /// The seconds from each crossing to its report.
    package private(set) var delays: [Double] = []
    /// The difference in seconds between the reported and the true time of each crossing.
    package private(set) var errors: [Double] = []

    /// Evaluates circles with a log.
    ///
    /// - Parameters:
    ///   - track: The true position at each step; nil to use the positions of the log.
    ///   - period: The period of ``FenceTrial/outcomes(of:every:)``; nil for all epochs.
    package init(_ trial: FenceTrial, track: [Coordinate]? = nil, every period: Instant.Span? = nil) {
        let track = track ?? trial.steps.map(\.coordinate)
        guard var last = track.first, track.count == trial.steps.count else { return }
        for (index, place) in track.enumerated() where last.distance(to: place) >= Self.spacing {
            last = place
            guard index > 0 else { continue }
            evaluate(trial, track: track, shape: .circle(center: place, radius: Self.radius), period: period)
        }
    }

    private mutating func evaluate(_ trial: FenceTrial, track: [Coordinate], shape: FenceShape, period: Instant.Span?) {
        guard let trueCrossings = MovingFenceTrial.crossings(trial, track: track, shape: shape) else {
            unclear += 1
            return
        }
        circles += 1
        let condition = FenceCondition(shape: shape)
        var outcomes = (period.map { trial.outcomes(of: condition, every: $0) } ?? trial.outcomes(of: condition)).filter
        {
            $0.outcome.kind != .determined
        }
        let start = trial.steps.first?.evidence?.time ?? trial.steps.lazy.compactMap { $0.evidence?.time }.first
        for crossing in trueCrossings {
            crossings += 1
            let kind: ConditionEvent.Kind = crossing.isEntry ? .entered : .left
            guard
                let index = outcomes.firstIndex(where: {
                    $0.outcome.kind == kind && abs(($0.at - crossing.at).seconds - 60) < 90
                })
            else {
                continue
            }
            let event = outcomes.remove(at: index)
            found += 1
            delays.append((event.at - crossing.at).seconds)
            if let date = event.outcome.date, let start {
                errors.append(abs(date.span(since: start).seconds - (crossing.at - .zero).seconds))
            }
        }
        wrong += outcomes.count
    }

    /// Returns the certain crossings of a boundary; nil if any crossing is uncertain.
    static func crossings(_ trial: FenceTrial, track: [Coordinate], shape: FenceShape) -> [TrueCrossing]? {
        let distances = track.map { shape.signedDistance(from: $0) }
        guard let end = trial.steps.last?.at, let first = distances.first, abs(first) >= 2 * certain else { return nil }
        var (isInside, crossed, truths): (Bool, Instant?, [TrueCrossing]) = (first > 0, nil, [])
        for index in distances.indices.dropFirst() {
            let (before, now) = (distances[index - 1], distances[index])
            let (from, to) = (trial.steps[index - 1].at, trial.steps[index].at)
            if (now > 0) == isInside {
                // The device was on the other side, but not far enough to be certain.
                if crossed != nil { return nil }
                continue
            }
            if crossed == nil { crossed = from + .seconds((to - from).seconds * before / (before - now)) }
            guard abs(now) >= max(certain, 1.5 * trial.steps[index].radius), let position = crossed else { continue }
            guard end - position >= ending else { return nil }
            truths.append(TrueCrossing(isEntry: !isInside, at: position))
            (isInside, crossed) = (!isInside, nil)
        }
        return crossed == nil ? truths : nil
    }
}
