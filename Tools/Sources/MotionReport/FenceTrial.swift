import Chronology
import Geodesy
import Geofencing
import Positioning

/// A replay of a log for evaluating conditions.
package struct FenceTrial: Sendable {
    /// An epoch with a position and its evidence; the evidence is nil if all states stay unchanged.
    package struct Step: Sendable {
        /// The time of the epoch, from the first epoch on.
        package var at: Instant
        /// The reported position.
        package var coordinate: Coordinate
        /// The horizontal accuracy (R68) in metres.
        package var radius: Double
        /// The speed in metres per second.
        package var speed: Double?
        /// The evidence; see ``EvidenceBuilder``.
        package var evidence: FenceEvidence?
    }

    /// A reported outcome of a condition with its time.
    package struct TimedOutcome: Sendable {
        /// The time of the deciding epoch.
        package var at: Instant
        package var outcome: ConditionOutcome
    }

    /// The epochs with a position.
    package private(set) var steps: [Step] = []
    /// The time from the first epoch to the last.
    package private(set) var length = Instant.Span.zero
    private let fixes: [Fix]
    private let times: [Instant]

    /// Replays fixes through the motion detector and the ``EvidenceBuilder``.
    package init(_ fixes: [Fix]) {
        self.fixes = fixes
        times = MotionTrial.instants(of: fixes)
        var pipeline = EvidencePipeline()
        for (fix, now) in zip(fixes, times) {
            let evidence = pipeline.process(fix, at: now)
            guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy else { continue }
            steps.append(Step(at: now, coordinate: coordinate, radius: radius, speed: fix.speed, evidence: evidence))
        }
        length = times.last.map { $0 - .zero } ?? .zero
    }

    private struct EvidencePipeline {
        var (evidenceBuilder, motion) = (EvidenceBuilder(), MotionDetector(.any))

        mutating func process(_ fix: Fix, at now: Instant) -> FenceEvidence? {
            while let due = motion.deadline, due < now { _ = motion.tick(at: due) }
            let action = motion.process(fix, at: now)
            return evidenceBuilder.process(fix, motion: action, stationaryPosition: motion.restingPlace, at: now)
        }
    }

    /// Returns the outcomes of a condition over all epochs.
    package func outcomes(of condition: FenceCondition) -> [TimedOutcome] {
        var tracker = ConditionTracker(condition)
        var outcomes: [TimedOutcome] = []
        for step in steps {
            guard let evidence = step.evidence else { continue }
            FenceTrial.record(tracker.process(evidence, of: condition), at: step.at, into: &outcomes)
        }
        return outcomes
    }

    /// Returns the outcomes if the receiver provides one fix per period, and every fix while a
    /// change is being decided.
    package func outcomes(of condition: FenceCondition, every period: Instant.Span) -> [TimedOutcome] {
        var tracker = ConditionTracker(condition)
        var pipeline = EvidencePipeline()
        var timedOutcomes = [TimedOutcome]()
        var next: Instant?
        for (fix, now) in zip(fixes, times) {
            if let next, now < next, !tracker.isDeciding(at: now) { continue }
            if fix.coordinate != nil { next = now + period }
            guard let evidence = pipeline.process(fix, at: now) else { continue }
            FenceTrial.record(tracker.process(evidence, of: condition), at: now, into: &timedOutcomes)
        }
        return timedOutcomes
    }

    private static func record(_ outcomes: ConditionOutcomes, at now: Instant, into timedOutcomes: inout [TimedOutcome])
    {
        if let first = outcomes.first { timedOutcomes.append(TimedOutcome(at: now, outcome: first)) }
        if let second = outcomes.second { timedOutcomes.append(TimedOutcome(at: now, outcome: second)) }
    }

    /// Returns how often plain containment of every position changes after the first.
    package func plainChanges(_ shape: FenceShape) -> Int {
        let sides = steps.map { shape.contains($0.coordinate) }
        return zip(sides, sides.dropFirst()).reduce(0) { count, pair in count + (pair.0 == pair.1 ? 0 : 1) }
    }
}
