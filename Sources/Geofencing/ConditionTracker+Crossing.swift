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
    /// The longest time between two positions for which the path between them counts as known.
    private static let maxPassage = Instant.Span.seconds(120)

    mutating func evaluateSide(_ sight: BoundaryTest) -> ConditionOutcomes {
        let wasInside = state == .satisfied
        let beyond = wasInside ? -sight.distance : sight.distance
        if let outcome = retraction(sight, beyond: beyond) { return ConditionOutcomes(outcome) }
        guard beyond >= 0 else { return evaluateCurrentSide(sight, distanceOutside: wasInside ? 0 : -beyond) }
        if !flags.contains(.isOnOtherSide) {
            flags.insert(.isOnOtherSide)
            if !flags.contains(.isPassing) { crossedAt = crossingTime(sight) }
        }
        guard sight.isConfident(inside: !wasInside) else { return .none }
        startConfidence(sight)
        let ratio = beyond / sight.requiredDepth(inside: !wasInside)
        guard ratio >= 0.5, isConfirmedByDoppler(sight, beyond, ratio) else { return .none }
        if !wasInside, ratio >= 1, sight.evidence.speed >= Self.minPassThroughSpeed { flags.insert(.isPassing) }
        guard sight.evidence.at - confidentSince >= timeout(ratio, sight) else { return .none }
        return ConditionOutcomes(cross(sight, beyond))
    }

    /// Changes the state to the other side and returns the outcome.
    private mutating func cross(_ sight: BoundaryTest, _ beyond: Double) -> ConditionOutcome {
        let isInside = state != .satisfied
        if isInside {
            insideSince = confidentSince
            flags.remove(.hasDwelt)
        }
        setState(isInside ? .satisfied : .unsatisfied, sight)
        publishedAt = sight.evidence.at
        farthest = Float(beyond)
        odometerFarthest = sight.evidence.dopplerDistance
        flags.insert(.mayRetract)
        return ConditionOutcome(isInside ? .entered : .left, state, date: date, margin: sight.distance)
    }

    private var date: UTCTime? { crossedAt == .min ? nil : UTCTime(milliseconds: crossedAt) }

    private func crossingTime(_ sight: BoundaryTest) -> Int64 {
        BoundaryCrossing.crossingTime(sight.shape, sight.evidence, distance: sight.distance)?.milliseconds ?? .min
    }

    /// Returns whether the Doppler distance confirms the movement to the other side.
    ///
    /// Positions wander, but Doppler does not. Without a Doppler distance, the position must lie
    /// far beyond the boundary or be averaged over minutes while stationary.
    private func isConfirmedByDoppler(_ sight: BoundaryTest, _ beyond: Double, _ ratio: Double) -> Bool {
        let evidence = sight.evidence
        if !evidence.lacksDopplerDistance, Double(evidence.dopplerDistance &- odometerAtCurrentSide) / 10 >= beyond / 2
        {
            return true
        }
        guard ratio >= 1 else { return false }
        if evidence.isAtRest {
            return beyond >= max(3 * evidence.radius, 10) && evidence.at - confidentSince >= Self.confirmingRestDuration
        }
        return !evidence.hasDoppler || beyond > max(4 * evidence.radius, 35)
    }

    /// Handles a position on the side of the current state. Checks whether the device was on the
    /// other side between this position and earlier ones.
    private mutating func evaluateCurrentSide(_ sight: BoundaryTest, distanceOutside: Double) -> ConditionOutcomes {
        let evidence = sight.evidence
        confidentSince = Self.never
        odometerAtCurrentSide = evidence.dopplerDistance
        if flags.contains(.isPassing) {
            flags.remove(.isOnOtherSide)
            guard distanceOutside >= sight.requiredDepth(inside: false) else { return .none }
            flags.remove(.isPassing)
            guard evidence.speed >= Self.minPassThroughSpeed else { return .none }
            // The device crossed the boundary this distance ago.
            let exit = evidence.time?.advanced(by: .seconds(-distanceOutside / evidence.speed))
            return visit(date, exit.map { time in date.map { max($0, time) } ?? time }, sight)
        }
        flags.remove(.isOnOtherSide)
        guard distanceOutside > 0, let earlier = evidence.previous, earlier.way > distanceOutside else { return .none }
        return evaluatePassThrough(sight, from: earlier, distanceOutside: distanceOutside)
    }

    /// Returns an entry and an exit if the straight line between two positions outside leads
    /// through the shape.
    private func evaluatePassThrough(
        _ sight: BoundaryTest, from earlier: FenceEvidence.PreviousPosition, distanceOutside: Double
    ) -> ConditionOutcomes {
        let evidence = sight.evidence
        // Long paths are seldom straight, so a longer path must lead deeper inside.
        let need = max(sight.requiredDepth(inside: true), 0.05 * earlier.way)
        guard earlier.way > distanceOutside + 2 * need, evidence.at - earlier.at <= Self.maxPassage,
            evidence.at > earlier.at
        else {
            return .none
        }
        let (implied, stated) = (earlier.way / (evidence.at - earlier.at).seconds, max(evidence.speed, earlier.speed))
        guard stated >= Self.minPassThroughSpeed, implied <= 1.5 * stated + 10,
            implied >= 0.5 * min(evidence.speed, earlier.speed)
        else { return .none }
        let before = sight.shape.signedDistance(from: earlier.coordinate)
        let through = BoundaryCrossing(sight.shape, from: earlier, to: evidence)
        guard let visit = through.minDepth(need: need, before: before, after: sight.distance) else { return .none }
        return self.visit(visit.entry, visit.exit, sight)
    }

    private func visit(_ entry: UTCTime?, _ exit: UTCTime?, _ sight: BoundaryTest) -> ConditionOutcomes {
        ConditionOutcomes(
            ConditionOutcome(.entered, .satisfied, date: entry, margin: sight.distance),
            ConditionOutcome(.left, .unsatisfied, date: exit, margin: sight.distance))
    }

    /// Retracts the last crossing if the device is on the previous side again and the Doppler
    /// distance shows no return.
    private mutating func retraction(_ sight: BoundaryTest, beyond: Double) -> ConditionOutcome? {
        guard flags.contains(.mayRetract) else { return nil }
        let evidence = sight.evidence
        guard evidence.at - publishedAt <= Self.maxRetractionAge else {
            flags.remove(.mayRetract)
            return nil
        }
        if -beyond > Double(farthest) { (farthest, odometerFarthest) = (Float(-beyond), evidence.dopplerDistance) }
        guard beyond >= 0, evidence.isRetraction || isRetractedByReturn(sight, beyond) else { return nil }
        let old: ConditionState = state == .satisfied ? .unsatisfied : .satisfied
        setState(old, sight)
        return ConditionOutcome(.retracted, old, date: evidence.time, margin: sight.distance)
    }

    private func isRetractedByReturn(_ sight: BoundaryTest, _ beyond: Double) -> Bool {
        let (evidence, back) = (sight.evidence, Double(farthest) + beyond)
        // Require a second epoch on that side.
        guard flags.contains(.isOnOtherSide), evidence.speed >= 0, beyond >= 0.5 * evidence.radius else { return false }
        return back >= max(evidence.radius, 5) && Double(evidence.dopplerDistance &- odometerFarthest) / 10 < back / 2
    }
}
