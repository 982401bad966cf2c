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
        /// The outcome.
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
        var look = EvidencePipeline()
        for (fix, now) in zip(fixes, times) {
            let seen = look.take(fix, at: now)
            guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy else { continue }
            steps.append(Step(at: now, coordinate: coordinate, radius: radius, speed: fix.speed, evidence: seen))
        }
        length = times.last.map { $0 - .zero } ?? .zero
    }

    private struct EvidencePipeline {
        var (witness, motion) = (EvidenceBuilder(), MotionDetector(.any))

        mutating func take(_ fix: Fix, at now: Instant) -> FenceEvidence? {
            while let due = motion.deadline, due < now { _ = motion.tick(at: due) }
            let action = motion.take(fix, at: now)
            return witness.process(fix, motion: action, stationaryPosition: motion.restingPlace, at: now)
        }
    }

    /// Returns the outcomes of a condition over all epochs.
    package func outcomes(of condition: Condition) -> [TimedOutcome] {
        var snapshot = ConditionTracker(condition)
        var outcomes: [TimedOutcome] = []
        for step in steps {
            guard let seen = step.evidence else { continue }
            FenceTrial.record(snapshot.process(seen, of: condition), at: step.at, &outcomes)
        }
        return outcomes
    }

    /// Returns the outcomes if the receiver provides one fix per period, and every fix while a
    /// change is being decided.
    package func outcomes(of condition: Condition, every period: Instant.Span) -> [TimedOutcome] {
        var (snapshot, look, told) = (ConditionTracker(condition), EvidencePipeline(), [TimedOutcome]())
        var next: Instant?
        for (fix, now) in zip(fixes, times) {
            if let next, now < next, !snapshot.isDeciding(at: now) { continue }
            if fix.coordinate != nil { next = now + period }
            guard let seen = look.take(fix, at: now) else { continue }
            FenceTrial.record(snapshot.process(seen, of: condition), at: now, &told)
        }
        return told
    }

    private static func record(_ outcomes: ConditionOutcomes, at now: Instant, _ told: inout [TimedOutcome]) {
        if let first = outcomes.first { told.append(TimedOutcome(at: now, outcome: first)) }
        if let second = outcomes.second { told.append(TimedOutcome(at: now, outcome: second)) }
    }

    /// Returns how often plain containment of every position changes after the first.
    package func plainChanges(_ shape: FenceShape) -> Int {
        let sides = steps.map { shape.contains($0.coordinate) }
        return zip(sides, sides.dropFirst()).reduce(0) { count, pair in count + (pair.0 == pair.1 ? 0 : 1) }
    }
}
