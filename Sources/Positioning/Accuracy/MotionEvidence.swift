import Geodesy

/// What the receiver's own motion tells against its positions: displacement that its speed and course do not explain.
///
/// Keeps one mark a second for the last minute. Speed is measured by Doppler, position by ranges; reflections that bend the one leave the
/// other nearly as it is, so their difference shows errors of position that no DOP knows of.
struct MotionEvidence: Sendable {
    /// Seconds between epochs above which speed does not tell what lies between them.
    private static let longestStep = 2.6
    /// Seconds between marks, a little under one.
    private static let markInterval = 0.9
    private static let mostMarks = 64
    /// Metres per second; above it a speed is none.
    private static let absurdSpeed = 1e4
    /// Seconds by which a mark's age may miss ``AccuracyConstants/innovationSpan``.
    private static let spanSlack = 1.5

    private struct Mark {
        var at: Double
        /// Metres from where the marks began: as the positions say.
        var position: LocalPlane.Offset
        /// Metres: as speed and course say.
        var motion: LocalPlane.Offset
        /// Metres of way, by the speed.
        var way: Double
        /// Metres per second.
        var velocity: LocalPlane.Offset

        /// Metres of displacement since an earlier mark that motion does not explain. No more than the displacement itself: a receiver
        /// that holds its position still while its speed is noisy shows an error of the speed.
        func unexplained(since earlier: Mark) -> Double {
            let moved = position - earlier.position
            let left = moved - (motion - earlier.motion)
            return min(moved.squaredLength, left.squaredLength).squareRoot()
        }

        /// Metres of difference, squared, that errors of the speed make.
        func allowance(since earlier: Mark) -> Double {
            let lag = (velocity - earlier.velocity).squaredLength * (AccuracyConstants.speedLag * AccuracyConstants.speedLag)
            let bias = AccuracyConstants.speedBias * (at - earlier.at)
            let share = AccuracyConstants.wayShare * (way - earlier.way)
            return lag + bias * bias + share * share
        }
    }

    private var marks: [Mark] = []
    /// Where the next mark goes.
    private var next = 0
    private var present: Mark?
    private var coordinate: Coordinate?
    /// Mean square of the unexplained, fading; a time without evidence speaks for nothing.
    private var meanSquare = 0.0
    private var lastTaken = 0.0

    /// Takes an epoch's position and motion. `course` may be nil below a walking pace, where many receivers leave it out.
    mutating func take(_ place: Coordinate, speed: Double?, course: Double?, at now: Double) {
        let share = fade(at: now)
        guard let speed, speed < MotionEvidence.absurdSpeed, course != nil || speed < AccuracyConstants.standing else { return forget() }
        let velocity = LocalPlane.Offset(distance: course == nil ? 0 : speed, bearing: course ?? 0)
        let mark = advance(to: place, speed, velocity, at: now)
        (present, coordinate) = (mark, place)
        if let before = markBefore(mark, by: AccuracyConstants.innovationSpan) {
            let unexplained = mark.unexplained(since: before)
            meanSquare += share * max(0, unexplained * unexplained - mark.allowance(since: before))
        }
        keep(mark)
    }

    /// Metres of R68 that the last minute's differences speak for; 0 where nothing speaks.
    var innovation: Double {
        AccuracyConstants.innovationToR68 * meanSquare.squareRoot()
    }

    /// Metres that the position has walked from any place of the last minute since when the receiver says it stands; 0 where it does not.
    var walk: Double {
        guard let present else { return 0 }
        var longest = 0.0
        for mark in marks {
            let age = present.at - mark.at
            guard age >= AccuracyConstants.innovationSpan, age <= AccuracyConstants.walkSpan else { continue }
            if present.way - mark.way < AccuracyConstants.standing * age { longest = max(longest, present.unexplained(since: mark)) }
        }
        return longest
    }

    private mutating func advance(to place: Coordinate, _ speed: Double, _ velocity: LocalPlane.Offset, at now: Double) -> Mark {
        guard let last = present, let coordinate, now - last.at <= MotionEvidence.longestStep, now > last.at else {
            forget()
            return Mark(at: now, position: .zero, motion: .zero, way: 0, velocity: velocity)
        }
        let half = (now - last.at) / 2
        return Mark(
            at: now, position: last.position + LocalPlane(origin: coordinate).offset(of: place),
            motion: last.motion + (last.velocity + velocity) * half, way: last.way + speed * half * 2, velocity: velocity)
    }

    /// The youngest mark that old, within the slack.
    private func markBefore(_ mark: Mark, by span: Double) -> Mark? {
        guard !marks.isEmpty else { return nil }
        for back in 1...marks.count {
            let earlier = marks[(next + marks.count - back) % marks.count]
            let age = mark.at - earlier.at
            if age > span - 0.5 { return age < span + MotionEvidence.spanSlack ? earlier : nil }
        }
        return nil
    }

    private mutating func keep(_ mark: Mark) {
        if !marks.isEmpty, mark.at - marks[(next + marks.count - 1) % marks.count].at < MotionEvidence.markInterval { return }
        if marks.count < MotionEvidence.mostMarks {
            marks.append(mark)
            next = marks.count % MotionEvidence.mostMarks
        } else {
            marks[next] = mark
            next = (next + 1) % MotionEvidence.mostMarks
        }
    }

    /// Forgets a little; returns the share in the mean that what comes now has.
    private mutating func fade(at now: Double) -> Double {
        let span = max(0, now - lastTaken)
        let kept = AccuracyConstants.evidenceMemory / (AccuracyConstants.evidenceMemory + span)
        meanSquare *= kept
        lastTaken = now
        return 1 - kept
    }

    /// What comes next is not held against what was: it does not go on from there.
    mutating func forget() {
        marks.removeAll(keepingCapacity: true)
        (next, present, coordinate) = (0, nil, nil)
    }
}

extension LocalPlane.Offset {
    fileprivate static let zero = LocalPlane.Offset(east: 0, north: 0)
    fileprivate var squaredLength: Double { east * east + north * north }

    fileprivate static func + (a: Self, b: Self) -> Self { Self(east: a.east + b.east, north: a.north + b.north) }
    fileprivate static func - (a: Self, b: Self) -> Self { Self(east: a.east - b.east, north: a.north - b.north) }
    fileprivate static func * (a: Self, factor: Double) -> Self { Self(east: a.east * factor, north: a.north * factor) }
}
