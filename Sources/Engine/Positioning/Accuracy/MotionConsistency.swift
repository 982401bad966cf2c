import Geodesy

/// Compares the receiver's positions with its motion and measures the displacement that speed and
/// course do not explain.
///
/// Keeps one mark per second for the last minute. The receiver measures speed by Doppler and
/// position by ranges. Reflections that distort the ranges hardly affect Doppler, so a small
/// difference shows position errors that no DOP includes. A difference that grows beyond any
/// position error shows that the speed or the course is wrong.
///
/// A single position or velocity never counts: each difference is the median of three consecutive
/// ones, as is a velocity that differs from both of its neighbours, and a walk needs two marks.
struct MotionConsistency: Sendable {
    /// Seconds. Across a longer step the speed does not determine the displacement.
    private static let maxStep = 2.6
    /// Seconds between marks, slightly less than one.
    private static let markInterval = 0.9
    private static let maxMarks = 64
    /// Metres per second. A higher speed is invalid.
    private static let absurdSpeed = 1e4
    /// Seconds by which a mark's age may exceed the span of a comparison.
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
        /// The sum of the changes of velocity between marks, in metres per second.
        var changes = 0.0
        /// Degrees from true north.
        var course: Double?

        /// Returns the displacement since an earlier mark that motion does not explain, in metres.
        /// It never exceeds the displacement itself: if the position stays constant while the speed
        /// is noisy, the error is in the speed.
        func unexplained(since earlier: Mark) -> Double {
            min((position - earlier.position).squaredLength, difference(since: earlier).squaredLength).squareRoot()
        }

        /// Returns the displacement minus the motion since an earlier mark.
        func difference(since earlier: Mark) -> LocalPlane.Offset {
            position - earlier.position - (motion - earlier.motion)
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
    /// The velocity before that of ``current``, and half the seconds between the two.
    private var before: (velocity: LocalPlane.Offset, half: Double)?
    /// The mean square of the unexplained displacement. It decays over time, also in a period
    /// without evidence.
    private var meanSquare = 0.0
    private var lastUpdate = 0.0
    /// The last two squares of the unexplained displacement.
    private var recent: (Double, Double)?
    /// The last one, and the marks between which it was measured.
    private var lastSquare: (value: Double, start: Double, end: Double)?

    /// Whether the positions contradict the reported speed, which must not be used.
    private(set) var isSpeedWrong = false
    /// Whether the positions contradict the reported course, which must not be used.
    private(set) var isCourseWrong = false
    /// The seconds of movement for which the contradicted values have agreed with the positions.
    private var agreement = 0.0

    /// Adds an epoch's position and motion. `course` may be nil below walking speed, where many
    /// receivers omit it.
    ///
    /// - Parameter radius: R68 of the position in metres, without the evidence of this type.
    mutating func add(_ place: Coordinate, radius: Double, speed: Double?, course: Double?, at seconds: Double) {
        decay(at: seconds)
        guard let speed, speed < MotionConsistency.absurdSpeed,
            course != nil || speed < AccuracyConstants.standstillSpeed
        else { return }
        var mark = advance(
            to: place, speed: speed,
            velocity: LocalPlane.Offset(distance: course == nil ? 0 : speed, bearing: course ?? 0), at: seconds)
        mark.course = course
        (current, coordinate) = (mark, place)
        guard let last = lastMark else { return store(mark) }
        guard mark.at - last.at >= MotionConsistency.markInterval else { return }
        mark.changes = last.changes + (mark.velocity - last.velocity).squaredLength.squareRoot()
        evaluate(mark, after: last, radius: radius)
        store(mark)
    }

    /// R68 in metres that the differences of the last minute indicate; 0 without evidence.
    var innovationRadius: Double {
        AccuracyConstants.innovationToR68 * meanSquare.squareRoot()
    }

    /// The largest displacement in metres from two consecutive positions of the last minute while
    /// the reported speed indicates standstill; 0 if there is none.
    var stationaryWalk: Double {
        guard let current, !isSpeedWrong else { return 0 }
        var (longest, before) = (0.0, 0.0)
        for index in 0..<marks.count {
            let mark = marks[(next + index) % marks.count]
            let age = current.at - mark.at
            guard age <= AccuracyConstants.walkSpan else { continue }
            guard age >= AccuracyConstants.innovationSpan else { break }
            let isAtRest = current.distance - mark.distance < AccuracyConstants.standstillSpeed * age
            let walk = isAtRest ? current.unexplained(since: mark) : 0
            longest = max(longest, min(walk, before))
            before = walk
        }
        return longest
    }

    private mutating func advance(to place: Coordinate, speed: Double, velocity: LocalPlane.Offset, at seconds: Double)
        -> Mark
    {
        guard let last = current, let coordinate, seconds - last.at <= MotionConsistency.maxStep, seconds > last.at
        else {
            clearMarks()
            return Mark(at: seconds, position: .zero, motion: .zero, distance: 0, velocity: velocity)
        }
        let half = (seconds - last.at) / 2
        var motion = last.motion + (last.velocity + velocity) * half
        // A single velocity that both of its neighbours contradict has no effect on later marks.
        var usual = last.velocity
        if let before {
            let middle = LocalPlane.Offset(
                east: median(before.velocity.east, last.velocity.east, velocity.east),
                north: median(before.velocity.north, last.velocity.north, velocity.north))
            let error = middle - last.velocity
            if error.squaredLength > AccuracyConstants.maxVelocityNoise * AccuracyConstants.maxVelocityNoise {
                motion = motion + error * (before.half + half)
                usual = middle
            }
        }
        before = (usual, half)
        return Mark(
            at: seconds, position: last.position + LocalPlane(origin: coordinate).offset(of: place), motion: motion,
            distance: last.distance + speed * half * 2, velocity: velocity)
    }

    /// Evaluates a new mark: against the speed or the course if no position error explains the
    /// difference, otherwise against the positions.
    private mutating func evaluate(_ mark: Mark, after last: Mark, radius: Double) {
        let limit = max(AccuracyConstants.minContradiction, AccuracyConstants.contradictionToR68 * radius)
        if let spans = contradiction(at: mark, limit: limit) {
            withdrawFields(mark, middle: spans.middle, start: spans.start)
        } else if isSpeedWrong || isCourseWrong {
            recordAgreement(mark, after: last, limit: limit)
        }
        // After a missing epoch the same mark would count twice.
        guard !isSpeedWrong, !isCourseWrong, let before = markBefore(mark, by: AccuracyConstants.innovationSpan),
            before.at != lastSquare?.start
        else { return }
        let unexplained = mark.unexplained(since: before)
        let square = max(0, unexplained * unexplained - mark.allowance(since: before))
        if let recent, let lastSquare {
            let span = mark.at - lastSquare.end
            meanSquare += share(of: span) * median(recent.0, recent.1, square)
        }
        recent = recent.map { ($0.1, square) } ?? lastSquare.map { ($0.value, square) }
        lastSquare = (square, before.at, mark.at)
    }

    // MARK: Wrong speed or course

    /// Returns the marks at the start and in the middle of a span in which the difference grew
    /// beyond `limit`, steadily; nil if there is none.
    private func contradiction(at mark: Mark, limit: Double) -> (start: Mark, middle: Mark)? {
        for span in AccuracyConstants.contradictionSpans {
            guard let start = markBefore(mark, by: span), let middle = markBefore(mark, by: span / 2) else {
                return nil
            }
            let total = mark.difference(since: start)
            let lag = AccuracyConstants.maxSpeedLag * (mark.changes - start.changes)
            guard total.squaredLength > limit * limit + lag * lag + mark.allowance(since: start),
                isSteady(total, since: start, to: mark)
            else { continue }
            // A receiver that holds its position while a person walks is not wrong about the speed.
            // A position that is exactly the same is wrong rather than the speed.
            let moved = (mark.position - start.position).squaredLength
            let isSlow = mark.distance - start.distance < AccuracyConstants.maxHeldSpeed * (mark.at - start.at)
            if moved == 0 || isSlow && moved < total.squaredLength / 4 { continue }
            return (start, middle)
        }
        return nil
    }

    /// Returns whether a difference grew in each fifth of its span. Position errors come in steps.
    private func isSteady(_ total: LocalPlane.Offset, since start: Mark, to end: Mark) -> Bool {
        var later = end
        for fifth in 1...5 {
            guard let earlier = fifth == 5 ? start : markBefore(end, by: (end.at - start.at) * Double(fifth) / 5) else {
                return false
            }
            let grown = later.difference(since: earlier)
            let share = (grown.east * total.east + grown.north * total.north) / total.squaredLength
            guard AccuracyConstants.steadyShare.contains(share) else { return false }
            later = earlier
        }
        return true
    }

    /// Withdraws the speed if the distance is wrong, and otherwise the course. What was counted
    /// against the positions is forgotten.
    private mutating func withdrawFields(_ mark: Mark, middle: Mark, start: Mark) {
        var excess = 0.0
        for (later, earlier) in [(middle, start), (mark, middle)] {
            let moved = (later.position - earlier.position).squaredLength.squareRoot()
            excess += abs(moved - (later.motion - earlier.motion).squaredLength.squareRoot())
        }
        if excess * excess > mark.difference(since: start).squaredLength / 4 {
            isSpeedWrong = true
            let direction = (mark.position - middle.position).bearing
            if let course = middle.course,
                abs((course - direction).remainder(dividingBy: 360)) > AccuracyConstants.maxCourseDifference
            {
                isCourseWrong = true
            }
        } else {
            isCourseWrong = true
        }
        agreement = 0
        forgetEvidence()
    }

    /// Counts the movement in which speed and course agree with the positions, and trusts them
    /// again after a minute. Standstill proves nothing.
    private mutating func recordAgreement(_ mark: Mark, after last: Mark, limit: Double) {
        guard let start = startOfMovement(beyond: limit, before: mark) else { return }
        let tolerated = limit * AccuracyConstants.agreementShare
        let agrees = mark.difference(since: start).squaredLength < tolerated * tolerated + mark.allowance(since: start)
        agreement = agrees ? agreement + mark.at - last.at : 0
        if agreement >= AccuracyConstants.agreementSpan { (isSpeedWrong, isCourseWrong) = (false, false) }
    }

    /// Returns the start of the shorter of two spans in which the position moved farther than
    /// `limit`.
    private func startOfMovement(beyond limit: Double, before mark: Mark) -> Mark? {
        for span in AccuracyConstants.contradictionSpans.suffix(2) {
            if let start = markBefore(mark, by: span),
                (mark.position - start.position).squaredLength > limit * limit
            {
                return start
            }
        }
        return nil
    }

    // MARK: Marks

    private var lastMark: Mark? { marks.isEmpty ? nil : marks[(next + marks.count - 1) % marks.count] }

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
        if marks.count < MotionConsistency.maxMarks {
            marks.append(mark)
            next = marks.count % MotionConsistency.maxMarks
        } else {
            marks[next] = mark
            next = (next + 1) % MotionConsistency.maxMarks
        }
    }

    /// Decays the mean.
    private mutating func decay(at seconds: Double) {
        meanSquare *= 1 - share(of: seconds - lastUpdate)
        lastUpdate = seconds
    }

    /// Returns the weight of a value that stands for that many seconds.
    private func share(of span: Double) -> Double {
        1 - AccuracyConstants.evidenceMemory / (AccuracyConstants.evidenceMemory + max(0, span))
    }

    private mutating func forgetEvidence() { (meanSquare, recent, lastSquare) = (0, nil, nil) }

    private mutating func clearMarks() {
        marks.removeAll(keepingCapacity: true)
        before = nil
        next = 0
        (recent, lastSquare) = (nil, nil)
    }

    /// Discards all marks, so that the next position is not compared with earlier ones.
    mutating func reset() {
        clearMarks()
        (current, coordinate) = (nil, nil)
    }

    /// Discards all marks and all evidence: the receiver is at another place than it reported.
    mutating func restart() {
        reset()
        forgetEvidence()
    }
}

/// Returns the middle one of three values.
private func median(_ a: Double, _ b: Double, _ c: Double) -> Double { max(min(a, b), min(max(a, b), c)) }

extension LocalPlane.Offset {
    fileprivate static let zero = LocalPlane.Offset(east: 0, north: 0)
    fileprivate var squaredLength: Double { east * east + north * north }

    fileprivate static func + (a: Self, b: Self) -> Self { Self(east: a.east + b.east, north: a.north + b.north) }
    fileprivate static func - (a: Self, b: Self) -> Self { Self(east: a.east - b.east, north: a.north - b.north) }
    fileprivate static func * (a: Self, factor: Double) -> Self { Self(east: a.east * factor, north: a.north * factor) }
}
