import Geodesy

/// Compares the receiver's positions with its motion and measures the displacement that speed and
/// course do not explain.
///
/// Keeps one mark per second for the last minute. The receiver measures speed by Doppler and
/// position by ranges. Reflections that distort the ranges hardly affect Doppler, so a small
/// difference shows position errors that no DOP includes. A difference that grows beyond any
/// position error shows that the speed or the course is wrong.
///
/// A difference in proportion to the motion shows a constant error of speed or course, and counts
/// as far as that does not explain it.
///
/// One or two wrong positions and a wrong velocity never count: each difference is the median of
/// five consecutive ones, a velocity that differs from both of its neighbours is the median of
/// three, and a walk needs three marks.
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
        /// The number of missing epochs in manoeuvres, whose motion is not known well.
        var gaps = 0
        /// Degrees from true north.
        var course: Double?

        /// Returns the displacement since an earlier mark that motion does not explain, in metres.
        /// It never exceeds the displacement itself: if the position stays constant while the speed
        /// is noisy, the error is in the speed.
        func unexplained(since earlier: Mark) -> Double {
            min((position - earlier.position).squaredLength, difference(since: earlier).squaredLength).squareRoot()
        }

        /// Returns the same if only the length of the motion is known, not its direction.
        func unexplainedByDistance(since earlier: Mark) -> Double {
            max(0, (position - earlier.position).squaredLength.squareRoot() - (distance - earlier.distance))
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
    /// The mean square of the unexplained displacement.
    private var unexplained = RobustMean()
    /// The same with the motion corrected by the constant error.
    private var corrected = RobustMean()
    private var constantError = ConstantError()
    private var lastUpdate = 0.0
    /// The times of the marks between which the last displacement was measured.
    private var lastSpan: (start: Double, end: Double)?

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
        let mean = constantError.isProbable ? min(corrected.value, unexplained.value) : unexplained.value
        return AccuracyConstants.innovationToR68 * mean.squareRoot()
    }

    /// The largest displacement in metres from three consecutive positions of the last minute while
    /// the reported speed indicates standstill; 0 if there is none.
    var stationaryWalk: Double {
        guard let current, !isSpeedWrong else { return 0 }
        var longest = 0.0
        var before = (0.0, 0.0)
        for index in 0..<marks.count {
            let place = next + index
            let mark = marks[place < marks.count ? place : place - marks.count]
            let age = current.at - mark.at
            guard age <= AccuracyConstants.walkSpan else { continue }
            guard age >= AccuracyConstants.innovationSpan else { break }
            let isAtRest = current.distance - mark.distance < AccuracyConstants.standstillSpeed * age
            var walk = 0.0
            if isAtRest {
                walk = isCourseWrong ? current.unexplainedByDistance(since: mark) : current.unexplained(since: mark)
            }
            longest = max(longest, min(walk, before.0, before.1))
            before = (before.1, walk)
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
        var isGap = false
        let maxNoise = AccuracyConstants.maxVelocityNoise * AccuracyConstants.maxVelocityNoise
        if let before {
            // The course of the velocity within a gap is not known.
            isGap = half > before.half * 1.5 && (velocity - last.velocity).squaredLength > maxNoise
            let middle = LocalPlane.Offset(
                east: median(before.velocity.east, last.velocity.east, velocity.east),
                north: median(before.velocity.north, last.velocity.north, velocity.north))
            let error = middle - last.velocity
            if error.squaredLength > maxNoise {
                motion = motion + error * (before.half + half)
                usual = middle
            }
        }
        before = (usual, half)
        return Mark(
            at: seconds, position: last.position + LocalPlane(origin: coordinate).offset(of: place), motion: motion,
            distance: last.distance + speed * half * 2, velocity: velocity, gaps: last.gaps + (isGap ? 1 : 0))
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
            before.at != lastSpan?.start, before.gaps == mark.gaps
        else { return }
        let weight = share(of: mark.at - (lastSpan?.end ?? mark.at))
        let (motion, difference) = (mark.motion - before.motion, mark.difference(since: before))
        constantError.add(difference, motion: motion, weight: weight)
        let moved = (mark.position - before.position).squaredLength
        let allowance = mark.allowance(since: before)
        unexplained.add(min(moved, difference.squaredLength) - allowance, weight: weight)
        corrected.add(
            min(moved, constantError.correct(difference, motion: motion).squaredLength) - allowance, weight: weight)
        lastSpan = (before.at, mark.at)
    }

    // MARK: Wrong speed or course

    /// Returns the marks at the start and in the middle of a span in which the difference grew
    /// beyond `limit`, steadily; nil if there is none.
    private func contradiction(at mark: Mark, limit: Double) -> (start: Mark, middle: Mark)? {
        var back = 1
        for span in AccuracyConstants.contradictionSpans {
            guard let start = markBefore(mark, by: span, from: &back) else { return nil }
            let total = mark.difference(since: start)
            let lag = AccuracyConstants.maxSpeedLag * (mark.changes - start.changes)
            guard total.squaredLength > limit * limit + lag * lag + mark.allowance(since: start),
                isSteady(total, since: start, to: mark), let middle = markBefore(mark, by: span / 2)
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
        var back = 1
        return markBefore(mark, by: span, from: &back)
    }

    /// The same; begins at least `back` marks ago, and sets `back` to the one that it found.
    private func markBefore(_ mark: Mark, by span: Double, from back: inout Int) -> Mark? {
        back = max(back, Int((span - 0.5) / MotionConsistency.maxStep))
        while back <= marks.count {
            let index = next - back < 0 ? next - back + marks.count : next - back
            let age = mark.at - marks[index].at
            if age > span - 0.5 { return age < span + MotionConsistency.spanSlack ? marks[index] : nil }
            back += 1
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

    /// Decays the evidence, also in a period without any.
    private mutating func decay(at seconds: Double) {
        let lost = share(of: seconds - lastUpdate)
        unexplained.decay(lost)
        corrected.decay(lost)
        constantError.decay(lost)
        lastUpdate = seconds
    }

    /// Returns the weight of a value that stands for that many seconds.
    private func share(of span: Double) -> Double {
        1 - AccuracyConstants.evidenceMemory / (AccuracyConstants.evidenceMemory + max(0, span))
    }

    private mutating func forgetEvidence() {
        (unexplained, corrected) = (RobustMean(), RobustMean())
        constantError = ConstantError()
        lastSpan = nil
    }

    private mutating func clearMarks() {
        marks.removeAll(keepingCapacity: true)
        before = nil
        next = 0
        lastSpan = nil
        unexplained.forgetRecent()
        corrected.forgetRecent()
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

/// A mean over the last minute of values of which one or two consecutive ones may be wrong.
private struct RobustMean: Sendable {
    private(set) var value = 0.0
    /// The last four values, in any order.
    private var recent = InlineArray<4, Double>(repeating: 0)
    private var count = 0

    /// Adds a value: the median of the last five counts. Values below 0 count as 0.
    mutating func add(_ new: Double, weight: Double) {
        let new = max(0, new)
        if count >= recent.count {
            let (a, b) = (min(recent[0], recent[1]), max(recent[0], recent[1]))
            let (c, d) = (min(recent[2], recent[3]), max(recent[2], recent[3]))
            value += weight * median(new, max(a, c), min(b, d))
        }
        recent[count % recent.count] = new
        count += 1
    }

    mutating func decay(_ lost: Double) { value *= 1 - lost }

    mutating func forgetRecent() { count = 0 }
}

/// The error in proportion to the motion that explains the differences of the last minute best: a
/// scale of the speed and an angle of the course.
///
/// East and north are the real and the imaginary part, so that the factor turns and stretches. It
/// is the least-squares solution: the sum of conj(motion) times difference over that of motion
/// squared.
private struct ConstantError: Sendable {
    private var motion = 0.0
    private var difference = 0.0
    private var product = LocalPlane.Offset.zero

    /// Whether this error explains so much of the differences that it is no coincidence.
    var isProbable: Bool {
        product.squaredLength > AccuracyConstants.constantErrorShare * motion * difference
    }

    mutating func add(_ difference: LocalPlane.Offset, motion: LocalPlane.Offset, weight: Double) {
        self.motion += weight * motion.squaredLength
        self.difference += weight * difference.squaredLength
        product =
            product
            + LocalPlane.Offset(
                east: motion.east * difference.east + motion.north * difference.north,
                north: motion.east * difference.north - motion.north * difference.east) * weight
    }

    /// Returns a difference without the part that the error explains.
    func correct(_ difference: LocalPlane.Offset, motion: LocalPlane.Offset) -> LocalPlane.Offset {
        guard self.motion > 0 else { return difference }
        let factor = product * (1 / self.motion)
        return difference
            - LocalPlane.Offset(
                east: factor.east * motion.east - factor.north * motion.north,
                north: factor.east * motion.north + factor.north * motion.east)
    }

    mutating func decay(_ lost: Double) {
        motion *= 1 - lost
        difference *= 1 - lost
        product = product * (1 - lost)
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
