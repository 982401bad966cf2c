import Chronology
import Geodesy

/// Detection of crossings and their retraction.
extension ConditionTracker {
    /// The age up to which a crossing can be retracted, as for motion (`docs/motion.md` section 3).
    static let maxRetractionAge = Instant.Span.seconds(240)
    /// The time stationary on the other side after which the first determination counts as wrong
    /// although Doppler shows no movement.
    private static let confirmingRestDuration = Instant.Span.seconds(300)
    /// The speed in metres per second above which the device passes through a shape faster than an
    /// entry takes to confirm.
    private static let minPassThroughSpeed = 5.0

    mutating func evaluateSide(_ test: BoundaryTest) -> ConditionOutcomes {
        let wasInside = state == .satisfied
        // The distance beyond the boundary, negative on the side of the current state.
        let depth = wasInside ? -test.distance : test.distance
        if let outcome = retraction(test, depth: depth) { return ConditionOutcomes(outcome) }
        guard depth >= 0 else { return evaluateCurrentSide(test, distanceOutside: wasInside ? 0 : -depth) }
        if !flags.contains(.isOnOtherSide) {
            flags.insert(.isOnOtherSide)
            if !flags.contains(.isPassing) { crossedAt = crossingTime(test) }
        }
        guard test.isConfident(inside: !wasInside) else { return .none }
        startConfidence(test)
        let ratio = depth / test.requiredDepth(inside: !wasInside)
        guard ratio >= 0.5, isConfirmedByDoppler(test, depth: depth, depthRatio: ratio) else { return .none }
        if !wasInside, ratio >= 1, test.evidence.speed >= Self.minPassThroughSpeed { flags.insert(.isPassing) }
        guard test.evidence.at - confidentSince >= crossingDelay(depthRatio: ratio, test) else { return .none }
        return ConditionOutcomes(cross(to: depth, test))
    }

    /// Changes the state to the other side and returns the outcome.
    private mutating func cross(to depth: Double, _ test: BoundaryTest) -> ConditionOutcome {
        let isInside = state != .satisfied
        if isInside {
            insideSince = confidentSince
            flags.remove(.hasDwelt)
        }
        setState(isInside ? .satisfied : .unsatisfied, after: test)
        publishedAt = test.evidence.at
        farthest = Float(depth)
        farthestDopplerDistance = test.evidence.dopplerDistance
        flags.insert(.mayRetract)
        return ConditionOutcome(isInside ? .entered : .left, state: state, date: date, margin: test.distance)
    }

    private var date: UTCTime? { crossedAt == .min ? nil : UTCTime(milliseconds: crossedAt) }

    private func crossingTime(_ test: BoundaryTest) -> Int64 {
        BoundaryCrossing.crossingTime(of: test.shape, evidence: test.evidence, distance: test.distance)?.milliseconds
            ?? .min
    }

    /// Returns whether the Doppler distance confirms the movement to the other side.
    ///
    /// Positions wander, but Doppler does not. Without a Doppler distance, the position must lie
    /// far beyond the boundary or be averaged over minutes while stationary.
    private func isConfirmedByDoppler(_ test: BoundaryTest, depth: Double, depthRatio ratio: Double) -> Bool {
        let evidence = test.evidence
        // The distance is a counter that wraps; differences stay right.
        if !evidence.lacksDopplerDistance,
            Double(evidence.dopplerDistance &- currentSideDopplerDistance) / 10 >= depth / 2
        {
            return true
        }
        guard ratio >= 1 else { return false }
        if evidence.isAtRest {
            return depth >= max(3 * evidence.radius, 10) && evidence.at - confidentSince >= Self.confirmingRestDuration
        }
        return !evidence.hasDoppler || depth > max(4 * evidence.radius, 35)
    }

    /// Handles a position on the side of the current state. Checks whether the device was on the
    /// other side between this position and previous ones.
    private mutating func evaluateCurrentSide(_ test: BoundaryTest, distanceOutside: Double) -> ConditionOutcomes {
        let evidence = test.evidence
        confidentSince = Self.never
        currentSideDopplerDistance = evidence.dopplerDistance
        if flags.contains(.isPassing) {
            flags.remove(.isOnOtherSide)
            guard distanceOutside >= test.requiredDepth(inside: false) else { return .none }
            flags.remove(.isPassing)
            guard evidence.speed >= Self.minPassThroughSpeed, !evidence.isAtRest else { return .none }
            // The device crossed the boundary this distance ago.
            let exit = evidence.time?.advanced(by: .seconds(-distanceOutside / evidence.speed))
            return passage(entry: date, exit: exit.map { time in date.map { max($0, time) } ?? time }, test)
        }
        flags.remove(.isOnOtherSide)
        // Until a departure is certain, a device has the place where it rests, and has passed
        // nothing.
        guard distanceOutside > 0, !evidence.isAtRest, let previous = evidence.previous,
            previous.distance > distanceOutside
        else { return .none }
        return evaluatePassThrough(test, from: previous, distanceOutside: distanceOutside)
    }

    /// Returns an entry and an exit if the straight line between two positions outside leads
    /// through the shape.
    private func evaluatePassThrough(
        _ test: BoundaryTest, from previous: FenceEvidence.PreviousPosition, distanceOutside: Double
    ) -> ConditionOutcomes {
        let evidence = test.evidence
        // Long paths are seldom straight, so a longer path must lead deeper inside.
        let requiredDepth = max(test.requiredDepth(inside: true), 0.05 * previous.distance)
        guard previous.distance > distanceOutside + 2 * requiredDepth,
            evidence.at - previous.at <= FenceEvidence.maxPassage, evidence.at > previous.at
        else {
            return .none
        }
        let impliedSpeed = previous.distance / (evidence.at - previous.at).seconds
        let reportedSpeed = max(evidence.speed, previous.speed)
        guard reportedSpeed >= Self.minPassThroughSpeed, impliedSpeed <= 1.5 * reportedSpeed + 10,
            impliedSpeed >= 0.5 * min(evidence.speed, previous.speed)
        else { return .none }
        let before = test.shape.signedDistance(from: previous.coordinate)
        let crossing = BoundaryCrossing(of: test.shape, from: previous, to: evidence)
        guard let crossed = crossing.passage(requiredDepth: requiredDepth, before: before, after: test.distance) else {
            return .none
        }
        return passage(entry: crossed.entry, exit: crossed.exit, test)
    }

    private func passage(entry: UTCTime?, exit: UTCTime?, _ test: BoundaryTest) -> ConditionOutcomes {
        ConditionOutcomes(
            ConditionOutcome(.entered, state: .satisfied, date: entry, margin: test.distance),
            ConditionOutcome(.left, state: .unsatisfied, date: exit, margin: test.distance))
    }

    /// Retracts the last crossing if the device is on the previous side again and the Doppler
    /// distance shows no return.
    private mutating func retraction(_ test: BoundaryTest, depth: Double) -> ConditionOutcome? {
        guard flags.contains(.mayRetract) else { return nil }
        let evidence = test.evidence
        guard evidence.at - publishedAt <= Self.maxRetractionAge else {
            flags.remove(.mayRetract)
            return nil
        }
        if -depth > Double(farthest) {
            (farthest, farthestDopplerDistance) = (Float(-depth), evidence.dopplerDistance)
        }
        guard depth >= 0, evidence.isRetraction || isRetractedByReturn(test, depth: depth) else { return nil }
        let old: ConditionState = state == .satisfied ? .unsatisfied : .satisfied
        setState(old, after: test)
        return ConditionOutcome(.retracted, state: old, date: evidence.time, margin: test.distance)
    }

    private func isRetractedByReturn(_ test: BoundaryTest, depth: Double) -> Bool {
        let (evidence, returnDistance) = (test.evidence, Double(farthest) + depth)
        // Require a second epoch on that side.
        guard flags.contains(.isOnOtherSide), evidence.speed >= 0, depth >= 0.5 * evidence.radius else { return false }
        // The distance is a counter that wraps; differences stay right.
        return returnDistance >= max(evidence.radius, 5)
            && Double(evidence.dopplerDistance &- farthestDopplerDistance) / 10 < returnDistance / 2
    }
}

/// The straight line between two positions, used to compute when the device crossed a boundary.
struct BoundaryCrossing {
    /// A point of the line, as a fraction of its length, and its distance to the boundary in
    /// metres.
    private typealias Sample = (fraction: Double, distance: Double)

    private let shape: FenceShape
    private let start: FenceEvidence.PreviousPosition
    private let end: FenceEvidence
    private let bearing: Double

    init(of shape: FenceShape, from start: FenceEvidence.PreviousPosition, to end: FenceEvidence) {
        self.shape = shape
        self.start = start
        self.end = end
        bearing = start.coordinate.initialBearing(to: end.coordinate)
    }

    /// Returns when the device crossed the boundary before the current position. Returns the time
    /// of the current position if there is no earlier one, or if both lie on the same side.
    static func crossingTime(of shape: FenceShape, evidence: FenceEvidence, distance: Double) -> UTCTime? {
        guard let previous = evidence.previous, previous.time != nil else { return evidence.time }
        let crossing = BoundaryCrossing(of: shape, from: previous, to: evidence)
        let before = shape.signedDistance(from: previous.coordinate)
        guard (before >= 0) != (distance >= 0) else { return evidence.time }
        return crossing.time(at: crossing.fraction(between: (0, before), and: (1, distance)))
    }

    /// Returns the times of entry and exit between two positions outside, if the line leads deep
    /// enough inside.
    ///
    /// - Parameters:
    ///   - requiredDepth: The depth in metres that counts as a passage.
    ///   - before: The distance from the start to the boundary in metres, negative outside.
    ///   - after: The distance from the end to the boundary in metres, negative outside.
    func passage(requiredDepth: Double, before: Double, after: Double) -> (entry: UTCTime?, exit: UTCTime?)? {
        // The distance to the boundary changes by no more than the length of the line. If both ends
        // are too far outside, the line cannot reach the depth.
        guard before < 0, after < 0, (before + after + start.distance) / 2 >= requiredDepth else { return nil }
        var deepest = (fraction: 0.0, distance: before)
        var metres = 0.0
        for _ in 0..<200 where metres < start.distance {
            let depth = distance(at: metres / start.distance)
            if depth > deepest.distance { deepest = (metres / start.distance, depth) }
            metres += max(requiredDepth - depth, requiredDepth / 2, start.distance / 200)
        }
        guard deepest.distance >= requiredDepth else { return nil }
        let entry = fraction(between: (0, before), and: deepest)
        let exit = fraction(between: deepest, and: (1, after))
        return (time(at: entry), time(at: exit))
    }

    /// Returns the fraction of the line at which the distance changes its sign, by bisection with
    /// linear interpolation.
    private func fraction(between start: Sample, and end: Sample) -> Double {
        var (low, high) = (start, end)
        for _ in 0..<6 {
            let share = low.distance / (low.distance - high.distance)
            let middle = low.fraction + (high.fraction - low.fraction) * min(max(share, 0.05), 0.95)
            let value = distance(at: middle)
            if abs(value) < 0.1 { return middle }
            if (value >= 0) == (low.distance >= 0) { low = (middle, value) } else { high = (middle, value) }
        }
        let share = low.distance / (low.distance - high.distance)
        return low.fraction + (high.fraction - low.fraction) * min(max(share, 0), 1)
    }

    private func distance(at fraction: Double) -> Double {
        shape.signedDistance(from: start.coordinate.moved(by: fraction * start.distance, bearing: bearing))
    }

    private func time(at fraction: Double) -> UTCTime? {
        guard let from = start.time, let to = end.time, fraction.isFinite else { return end.time }
        return from.advanced(by: .seconds(to.span(since: from).seconds * min(max(fraction, 0), 1)))
    }
}
