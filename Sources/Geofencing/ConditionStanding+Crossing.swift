import Chronology
import Geodesy

/// How a side is changed, and changed back.
extension ConditionStanding {
    /// A movement that is older has been one, as for motion (`docs/motion.md` section 3).
    static let retractable = Instant.Span.seconds(240)
    /// At rest for so long on the other side, undriven: the first determination was wrong.
    private static let longRest = Instant.Span.seconds(300)
    /// Metres per second at which going through a shape takes less time than entering it.
    private static let fast = 5.0
    /// A way between two positions that took longer is not known.
    private static let longestPassage = Instant.Span.seconds(120)

    mutating func judge(_ sight: FenceSight) -> ConditionOutcomes {
        let wasInside = state == .satisfied
        let beyond = wasInside ? -sight.distance : sight.distance
        if let outcome = retraction(sight, beyond: beyond) { return ConditionOutcomes(outcome) }
        guard beyond >= 0 else { return stay(sight, outside: wasInside ? 0 : -beyond) }
        if !flags.contains(.isOver) {
            flags.insert(.isOver)
            if !flags.contains(.isPassing) { crossed = moment(sight) }
        }
        guard sight.isConfident(inside: !wasInside) else { return .none }
        noteConfidence(sight)
        let ratio = beyond / sight.need(inside: !wasInside)
        guard ratio >= 1, isBorneOut(sight, beyond) else { return .none }
        if !wasInside, sight.evidence.speed >= Self.fast { flags.insert(.isPassing) }
        guard sight.evidence.at - confidentSince >= patience(ratio, sight) else { return .none }
        return ConditionOutcomes(cross(sight, beyond))
    }

    /// The device is on the other side, and that is told.
    private mutating func cross(_ sight: FenceSight, _ beyond: Double) -> ConditionOutcome {
        let isInside = state != .satisfied
        if isInside {
            insideSince = confidentSince
            flags.remove(.hasDwelt)
        }
        settle(isInside ? .satisfied : .unsatisfied, sight)
        (told, farthest, odometerFarthest) = (sight.evidence.at, Float(beyond), sight.evidence.odometer)
        flags.insert(.mayRetract)
        return ConditionOutcome(isInside ? .entered : .left, state, date: date, margin: sight.distance)
    }

    private var date: UTCTime? { crossed == .min ? nil : UTCTime(milliseconds: crossed) }

    private func moment(_ sight: FenceSight) -> Int64 {
        BoundaryPassage.moment(sight.shape, sight.evidence, distance: sight.distance)?.milliseconds ?? .min
    }

    /// Whether the way to the other side was driven. Positions wander and Doppler does not: what it has not driven must be far, or have
    /// been averaged at rest for minutes.
    private func isBorneOut(_ sight: FenceSight, _ beyond: Double) -> Bool {
        let evidence = sight.evidence
        if Double(evidence.odometer &- odometerThere) / 10 >= beyond / 2 { return true }
        if evidence.isAtRest {
            return beyond >= max(3 * evidence.radius, 10) && evidence.at - confidentSince >= Self.longRest
        }
        return evidence.speed < 0 || beyond > max(4 * evidence.radius, 35)
    }

    /// The device is on the side that holds; whether it has been on the other between this position and the ones before.
    private mutating func stay(_ sight: FenceSight, outside: Double) -> ConditionOutcomes {
        let evidence = sight.evidence
        confidentSince = Self.never
        odometerThere = evidence.odometer
        if flags.contains(.isPassing) {
            flags.remove(.isOver)
            guard outside >= sight.need(inside: false) else { return .none }
            flags.remove(.isPassing)
            guard evidence.speed >= Self.fast else { return .none }
            // The boundary lies behind by what has been gone since.
            let exit = evidence.time?.advanced(by: .seconds(-outside / evidence.speed))
            return visit(date, exit.map { time in date.map { max($0, time) } ?? time }, sight)
        }
        flags.remove(.isOver)
        guard outside > 0, let earlier = evidence.earlier, earlier.way > outside else { return .none }
        return passage(sight, earlier, outside: outside)
    }

    /// A way from outside to outside that leads through the shape.
    private func passage(_ sight: FenceSight, _ earlier: FenceEvidence.Earlier, outside: Double) -> ConditionOutcomes {
        let evidence = sight.evidence
        // Nobody drives straight for long: the longer the way, the deeper it must lead.
        let need = max(sight.need(inside: true), 0.05 * earlier.way)
        guard earlier.way > outside + 2 * need, evidence.at - earlier.at <= Self.longestPassage, evidence.at > earlier.at else {
            return .none
        }
        let (implied, stated) = (earlier.way / (evidence.at - earlier.at).seconds, max(evidence.speed, earlier.speed))
        guard stated >= Self.fast, implied <= 1.5 * stated + 10, implied >= 0.5 * min(evidence.speed, earlier.speed) else { return .none }
        let before = sight.shape.signedDistance(from: earlier.coordinate)
        let through = BoundaryPassage(sight.shape, from: earlier, to: evidence)
        guard let visit = through.visit(need: need, before: before, after: sight.distance) else { return .none }
        return self.visit(visit.entry, visit.exit, sight)
    }

    private func visit(_ entry: UTCTime?, _ exit: UTCTime?, _ sight: FenceSight) -> ConditionOutcomes {
        ConditionOutcomes(
            ConditionOutcome(.entered, .satisfied, date: entry, margin: sight.distance),
            ConditionOutcome(.left, .unsatisfied, date: exit, margin: sight.distance))
    }

    /// The crossing told of last is taken back where the device turns up on the side before without having been driven there.
    private mutating func retraction(_ sight: FenceSight, beyond: Double) -> ConditionOutcome? {
        guard flags.contains(.mayRetract) else { return nil }
        let evidence = sight.evidence
        guard evidence.at - told <= Self.retractable else {
            flags.remove(.mayRetract)
            return nil
        }
        if -beyond > Double(farthest) { (farthest, odometerFarthest) = (Float(-beyond), evidence.odometer) }
        guard beyond >= 0, evidence.isRetraction || isUndone(sight, beyond) else { return nil }
        let old: ConditionState = state == .satisfied ? .unsatisfied : .satisfied
        settle(old, sight)
        return ConditionOutcome(.retracted, old, date: evidence.time, margin: sight.distance)
    }

    private func isUndone(_ sight: FenceSight, _ beyond: Double) -> Bool {
        let (evidence, back) = (sight.evidence, Double(farthest) + beyond)
        // The second epoch there.
        guard flags.contains(.isOver), evidence.speed >= 0, beyond >= 0.5 * evidence.radius else { return false }
        return back >= max(evidence.radius, 5) && Double(evidence.odometer &- odometerFarthest) / 10 < back / 2
    }
}
