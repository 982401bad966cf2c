import Geodesy

/// Compares the receiver's positions with its motion and measures the displacement that speed and
/// course do not explain.
///
/// Keeps one mark per second for the last minute. The receiver measures speed by Doppler and
/// position by ranges. Reflections that distort the ranges hardly affect Doppler, so the difference
/// shows position errors that no DOP includes.
struct MotionConsistency: Sendable {
    /// Seconds. Across a longer step the speed does not determine the displacement.
    private static let maxStep = 2.6
    /// Seconds between marks, slightly less than one.
    private static let markInterval = 0.9
    private static let maxMarks = 64
    /// Metres per second. A higher speed is invalid.
    private static let absurdSpeed = 1e4
    /// Seconds by which a mark's age may exceed ``AccuracyConstants/innovationSpan``.
    private static let spanSlack = 1.5

    private struct Mark {
        var at: Double
        /// The displacement from the first mark in metres, according to the positions.
        var position: LocalPlane.Offset
        /// The displacement in metres, according to speed and course.
        var motion: LocalPlane.Offset
        /// The distance travelled in metres, according to the speed.
        var distance: Double
        /// Metres per second.
        var velocity: LocalPlane.Offset

        /// Returns the displacement since an earlier mark that motion does not explain, in metres.
        /// It never exceeds the displacement itself: if the position stays constant while the speed
        /// is noisy, the error is in the speed.
        func unexplained(since earlier: Mark) -> Double {
            let moved = position - earlier.position
            let left = moved - (motion - earlier.motion)
            return min(moved.squaredLength, left.squaredLength).squareRoot()
        }

        /// Returns the squared difference, in square metres, that speed errors can cause.
        func allowance(since earlier: Mark) -> Double {
            let lag =
                (velocity - earlier.velocity).squaredLength * (AccuracyConstants.speedLag * AccuracyConstants.speedLag)
            let bias = AccuracyConstants.speedBias * (at - earlier.at)
            let share = AccuracyConstants.distanceErrorShare * (distance - earlier.distance)
            return lag + bias * bias + share * share
        }
    }

    private var marks: [Mark] = []
    /// The index of the next mark.
    private var next = 0
    private var current: Mark?
    private var coordinate: Coordinate?
    /// The mean square of the unexplained displacement. It decays over time, also in a period
    /// without evidence.
    private var meanSquare = 0.0
    private var lastUpdate = 0.0

    /// Adds an epoch's position and motion. `course` may be nil below walking speed, where many
    /// receivers omit it.
    mutating func add(_ place: Coordinate, speed: Double?, course: Double?, at seconds: Double) {
        let share = decay(at: seconds)
        guard let speed, speed < MotionConsistency.absurdSpeed,
            course != nil || speed < AccuracyConstants.standstillSpeed
        else { return reset() }
        let velocity = LocalPlane.Offset(distance: course == nil ? 0 : speed, bearing: course ?? 0)
        let mark = advance(to: place, speed: speed, velocity: velocity, at: seconds)
        (current, coordinate) = (mark, place)
        if let before = markBefore(mark, by: AccuracyConstants.innovationSpan) {
            let unexplained = mark.unexplained(since: before)
            meanSquare += share * max(0, unexplained * unexplained - mark.allowance(since: before))
        }
        store(mark)
    }

    /// R68 in metres that the differences of the last minute indicate; 0 without evidence.
    var innovationRadius: Double {
        AccuracyConstants.innovationToR68 * meanSquare.squareRoot()
    }

    /// The largest displacement in metres from a position of the last minute while the reported
    /// speed indicates standstill; 0 if there is none.
    var stationaryWalk: Double {
        guard let current else { return 0 }
        var longest = 0.0
        for mark in marks {
            let age = current.at - mark.at
            guard age >= AccuracyConstants.innovationSpan, age <= AccuracyConstants.walkSpan else { continue }
            if current.distance - mark.distance < AccuracyConstants.standstillSpeed * age {
                longest = max(longest, current.unexplained(since: mark))
            }
        }
        return longest
    }

    private mutating func advance(to place: Coordinate, speed: Double, velocity: LocalPlane.Offset, at seconds: Double)
        -> Mark
    {
        guard let last = current, let coordinate, seconds - last.at <= MotionConsistency.maxStep, seconds > last.at
        else {
            reset()
            return Mark(at: seconds, position: .zero, motion: .zero, distance: 0, velocity: velocity)
        }
        let half = (seconds - last.at) / 2
        return Mark(
            at: seconds, position: last.position + LocalPlane(origin: coordinate).offset(of: place),
            motion: last.motion + (last.velocity + velocity) * half, distance: last.distance + speed * half * 2,
            velocity: velocity)
    }

    /// Returns the latest mark of that age, within the tolerance.
    private func markBefore(_ mark: Mark, by span: Double) -> Mark? {
        guard !marks.isEmpty else { return nil }
        for back in 1...marks.count {
            let earlier = marks[(next + marks.count - back) % marks.count]
            let age = mark.at - earlier.at
            if age > span - 0.5 { return age < span + MotionConsistency.spanSlack ? earlier : nil }
        }
        return nil
    }

    private mutating func store(_ mark: Mark) {
        if !marks.isEmpty, mark.at - marks[(next + marks.count - 1) % marks.count].at < MotionConsistency.markInterval {
            return
        }
        if marks.count < MotionConsistency.maxMarks {
            marks.append(mark)
            next = marks.count % MotionConsistency.maxMarks
        } else {
            marks[next] = mark
            next = (next + 1) % MotionConsistency.maxMarks
        }
    }

    /// Decays the mean and returns the weight of the new value.
    private mutating func decay(at seconds: Double) -> Double {
        let span = max(0, seconds - lastUpdate)
        let kept = AccuracyConstants.evidenceMemory / (AccuracyConstants.evidenceMemory + span)
        meanSquare *= kept
        lastUpdate = seconds
        return 1 - kept
    }

    /// Discards all marks, so that the next position is not compared with earlier ones.
    mutating func reset() {
        marks.removeAll(keepingCapacity: true)
        next = 0
        current = nil
        coordinate = nil
    }
}

extension LocalPlane.Offset {
    fileprivate static let zero = LocalPlane.Offset(east: 0, north: 0)
    fileprivate var squaredLength: Double { east * east + north * north }

    fileprivate static func + (a: Self, b: Self) -> Self { Self(east: a.east + b.east, north: a.north + b.north) }
    fileprivate static func - (a: Self, b: Self) -> Self { Self(east: a.east - b.east, north: a.north - b.north) }
    fileprivate static func * (a: Self, factor: Double) -> Self { Self(east: a.east * factor, north: a.north * factor) }
}
