import Chronology
import Geodesy
import Geofencing
import Positioning

/// A log as conditions see it.
public struct FencePlay: Sendable {
    /// One epoch with a position, and the evidence that was made of it; none where all is held.
    public struct Step: Sendable {
        /// When it came, from the first epoch on.
        public var at: Instant
        /// The position as it was told.
        public var coordinate: Coordinate
        /// Metres, 68 %.
        public var radius: Double
        /// Metres per second.
        public var speed: Double?
        /// See ``FenceWitness``.
        public var evidence: FenceEvidence?
    }

    /// Something told of a condition, and when.
    public struct Told: Sendable {
        /// The instant of the deciding epoch.
        public var at: Instant
        /// What was told.
        public var outcome: ConditionOutcome
    }

    /// All epochs with a position.
    public private(set) var steps: [Step] = []
    /// From the first epoch to the last.
    public private(set) var length = Instant.Span.zero
    private let fixes: [Fix]
    private let times: [Instant]

    /// Plays fixes through the motion detector and the witness.
    public init(_ fixes: [Fix]) {
        self.fixes = fixes
        times = MotionTrial.instants(of: fixes)
        var look = Look()
        for (fix, now) in zip(fixes, times) {
            let seen = look.take(fix, at: now)
            guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy else { continue }
            steps.append(Step(at: now, coordinate: coordinate, radius: radius, speed: fix.speed, evidence: seen))
        }
        length = times.last.map { $0 - .zero } ?? .zero
    }

    private struct Look {
        var (witness, motion) = (FenceWitness(), MotionDetector(.any))

        mutating func take(_ fix: Fix, at now: Instant) -> FenceEvidence? {
            while let due = motion.deadline, due < now { _ = motion.tick(at: due) }
            let action = motion.take(fix, at: now)
            return witness.take(fix, motion: action, place: motion.restingPlace, at: now)
        }
    }

    /// All that is told of a condition.
    public func told(_ condition: Condition) -> [Told] {
        var standing = ConditionStanding(condition)
        var told: [Told] = []
        for step in steps {
            guard let seen = step.evidence else { continue }
            FencePlay.note(standing.take(seen, of: condition), at: step.at, &told)
        }
        return told
    }

    /// The same for a receiver that is looked at once in a while, and then until nothing is being decided.
    public func told(_ condition: Condition, every period: Instant.Span) -> [Told] {
        var (standing, look, told) = (ConditionStanding(condition), Look(), [Told]())
        var next: Instant?
        for (fix, now) in zip(fixes, times) {
            if let next, now < next, !standing.isDeciding(at: now) { continue }
            if fix.coordinate != nil { next = now + period }
            guard let seen = look.take(fix, at: now) else { continue }
            FencePlay.note(standing.take(seen, of: condition), at: now, &told)
        }
        return told
    }

    private static func note(_ outcomes: ConditionOutcomes, at now: Instant, _ told: inout [Told]) {
        if let first = outcomes.first { told.append(Told(at: now, outcome: first)) }
        if let second = outcomes.second { told.append(Told(at: now, outcome: second)) }
    }

    /// What plain containment of every position would tell after the first.
    public func plainChanges(_ shape: FenceShape) -> Int {
        let sides = steps.map { shape.contains($0.coordinate) }
        return zip(sides, sides.dropFirst()).reduce(0) { count, pair in count + (pair.0 == pair.1 ? 0 : 1) }
    }
}
