import Geodesy
import Glibc

/// Decides whether a position continues the track of its receiver.
///
/// A position that the receiver cannot have reached since the last one is an outlier until later
/// positions confirm it. If they contradict it, it alone was wrong, and they are as accurate as
/// without it.
struct TrackCheck: Sendable {
    private typealias Constants = AccuracyConstants

    enum Verdict: Equatable {
        /// The position follows from the previous ones.
        case continues
        /// The position does not follow from the previous ones, and none has confirmed it yet.
        case outlier
        /// Several positions agree on another place; earlier ones are not comparable with them.
        case jumped
        /// The positions have contradicted each other for too long: some are wrong by this distance
        /// in metres.
        case contradicted(Double)
    }

    /// A position with the time in seconds, its R68 in metres and a speed in metres per second.
    struct Point: Sendable {
        var at: Double
        var coordinate: Coordinate
        var radius: Double
        /// Metres. The least distance of an outlier.
        var minJump: Double
        /// The greater of the reported speed and that between the positions.
        var speed: Double
        /// The reported speed and course in metres per second.
        var velocity = LocalPlane.Offset(east: 0, north: 0)
        /// The velocity between the position before and this one, in metres per second; nil if this
        /// one was far from where the earlier positions led.
        var measured: LocalPlane.Offset?

        /// Returns how far a later point is from where the reported velocity leads, in metres.
        func deviation(of later: Point) -> Double { deviation(of: later, at: velocity) }

        /// Returns the velocity with which a later point is reached, in metres per second.
        func velocity(to later: Point) -> LocalPlane.Offset {
            let offset = LocalPlane(origin: coordinate).offset(of: later.coordinate)
            return LocalPlane.Offset(east: offset.east / (later.at - at), north: offset.north / (later.at - at))
        }

        /// Returns how far a later point is from where a velocity leads, in metres.
        func deviation(of later: Point, at velocity: LocalPlane.Offset) -> Double {
            let span = later.at - at
            let offset = LocalPlane(origin: coordinate).offset(of: later.coordinate)
            return hypot(offset.east - velocity.east * span, offset.north - velocity.north * span)
        }
    }

    /// Whether the receiver can have had the last reported speed, by its positions.
    private(set) var isSpeedPossible = true
    /// The last position of the track.
    private(set) var last: Point?
    /// The position before it.
    private var previous: Point?
    /// The greatest distance in metres between positions that agreed with none before them; 0 if
    /// the last position agreed.
    private var scatter = 0.0
    /// Positions at another place that may be the new track.
    private var candidate: Candidate?
    /// The number of positions since the last one of the track.
    private var outliers = 0
    /// The number of positions of the track, as far as it matters.
    private var length = 0

    /// Positions that agree with each other but not with the track.
    private struct Candidate {
        /// Seconds. The time of the first one.
        var since: Double
        var last: Point
        var count = 1
    }

    /// Forgets the track, so that the next position starts one.
    mutating func reset() { self = TrackCheck() }

    /// Classifies the next position that satellites determine.
    mutating func classify(_ fix: Fix, at place: Coordinate, radius: Double, at seconds: Double) -> Verdict {
        var point = Point(
            at: seconds, coordinate: place, radius: radius,
            minJump: fix.quality == .rtkFixed
                ? Constants.minFixedJump : fix.quality == .rtkFloat ? Constants.minFloatJump : Constants.minJump,
            speed: fix.speed ?? 0)
        if let speed = fix.speed, let course = fix.course {
            point.velocity = LocalPlane.Offset(distance: speed, bearing: course)
        }
        // Nothing is known of the speed at the start of a track without one.
        if fix.speed == nil, last == nil { point.speed = Constants.unknownSpeed }
        isSpeedPossible = true
        guard let last, seconds > last.at else {
            accept(point)
            return .continues
        }
        let distance = last.coordinate.nearbyDistance(to: place)
        isSpeedPossible = isPossible(point, after: last, distance: distance)
        if scatter == 0, let verdict = continueTrack(point, at: distance, from: last, reported: fix.speed) {
            return verdict
        }
        let disagreement = candidate?.last.coordinate.nearbyDistance(to: place)
        if extendCandidate(by: &point) {
            accept(point)
            (previous, scatter) = (nil, 0)
            length = Constants.jumpPositions
            return .jumped
        }
        outliers += 1
        if scatter > 0 || outliers >= Constants.minContradictions && seconds - last.at >= Constants.maxContradiction {
            scatter = max(scatter, min(disagreement ?? distance, Constants.maxPlausibleError))
            return .contradicted(scatter)
        }
        return .outlier
    }

    /// Adds a point to the track if it follows from it; nil if not.
    private mutating func continueTrack(
        _ new: Point, at distance: Double, from last: Point, reported: Double?
    ) -> Verdict? {
        var point = new
        let span = point.at - last.at
        let surprise = surprise(of: point, after: last)
        if distance <= reach(of: point, from: last), surprise <= 1, !continuesCandidate(point, ratherThan: last) {
            // A receiver may repeat its position and then catch up.
            if distance < (reported ?? last.speed) * span / 10, span <= Constants.maxPrediction { return .continues }
            if surprise <= 0.5 { point.measured = last.velocity(to: point) }
            let plausible = isSpeedPossible ? plausibleSpeed(of: point, after: last) : 0
            point.speed = max(plausible, min(distance / span, Constants.maxImpliedSpeed))
            accept(point)
            return .continues
        }
        // The last position was wrong, too little for an outlier: the track continues without it.
        if candidate == nil, let previous, previous.deviation(of: point) < last.deviation(of: point) / 3,
            previous.coordinate.nearbyDistance(to: point.coordinate) <= reach(of: point, from: previous)
        {
            point.speed = previous.speed
            self.last = point
            return .continues
        }
        return nil
    }

    /// Adds a point to the positions that may be the new track, or begins them with it. Returns
    /// whether it confirms them.
    private mutating func extendCandidate(by point: inout Point) -> Bool {
        guard let earlier = candidate?.last else {
            candidate = Candidate(since: point.at, last: point)
            return false
        }
        let velocity = earlier.velocity(to: point)
        // The second position may be anywhere that an aircraft reaches, the third must follow from
        // the two.
        guard
            velocity.length <= Constants.maxImpliedSpeed + tolerance(of: point, after: earlier)
                / (point.at - earlier.at)
        else {
            candidate = Candidate(since: point.at, last: point)
            return false
        }
        let isExpected = earlier.measured.map {
            min(earlier.deviation(of: point), earlier.deviation(of: point, at: $0))
                <= tolerance(of: point, after: earlier)
        }
        point.measured = velocity
        point.speed = max(point.speed, min(velocity.length, Constants.maxImpliedSpeed))
        if isExpected == false {
            candidate = Candidate(since: earlier.at, last: point, count: 2)
        } else {
            candidate?.last = point
            candidate?.count += 1
        }
        guard let candidate else { return false }
        // A track that has only begun is no better than its successor. Random positions agree by
        // chance, so after several of them more must agree.
        var needed = min(Constants.jumpPositions, length + 1)
        if outliers >= Constants.minContradictions { needed += 2 }
        return candidate.count >= needed && point.at - candidate.since >= Constants.jumpConfirmation
    }

    /// Returns whether a point that can follow from the track follows better from the candidate, as
    /// after a short jump backwards.
    private func continuesCandidate(_ point: Point, ratherThan last: Point) -> Bool {
        guard let candidate else { return false }
        return candidate.last.deviation(of: point) < last.deviation(of: point) / 3
    }

    private mutating func accept(_ point: Point) {
        (previous, last) = (last, point)
        (candidate, outliers) = (nil, 0)
        length = min(length + 1, Constants.jumpPositions)
    }

    /// Returns the distance in metres within which a point follows from an earlier one.
    private func reach(of point: Point, from earlier: Point) -> Double {
        let span = point.at - earlier.at
        let speed = max(earlier.speed, plausibleSpeed(of: point, after: earlier))
        return tolerance(of: point, after: earlier) + speed * span
    }

    /// Returns the distance in metres that errors of two positions and a manoeuvre explain. While
    /// other positions contradict the track, a long manoeuvre does not explain one of them.
    private func tolerance(of point: Point, after earlier: Point) -> Double {
        var span = point.at - earlier.at
        if let candidate { span = min(span, max(Constants.maxPrediction, point.at - candidate.last.at)) }
        return max(earlier.minJump, point.minJump, Constants.jumpToR68 * (earlier.radius + point.radius))
            + TrackCheck.manoeuvre(in: span)
    }

    /// Returns how far a point is from where the last velocity leads, as the positions or the
    /// receiver state it; 1 is the greatest distance that errors explain. 0 if nothing is expected.
    private func surprise(of point: Point, after last: Point) -> Double {
        guard let measured = last.measured, point.at - last.at <= Constants.maxPrediction else { return 0 }
        let deviation = min(last.deviation(of: point), last.deviation(of: point, at: measured))
        return deviation / tolerance(of: point, after: last)
    }

    /// Returns whether a reported speed agrees with the distance from the last position. One that
    /// agrees with the last speed may exceed it by more.
    private func isPossible(_ point: Point, after last: Point, distance: Double) -> Bool {
        let span = point.at - last.at
        let excess = point.speed * span - distance - TrackCheck.manoeuvre(in: span)
        let isSudden = plausibleSpeed(of: point, after: last) < point.speed
        let errors = Constants.speedErrorsToR68 * (last.radius + point.radius)
        // Within a second the errors of positions hardly change.
        let share = isSudden ? min(span, 1) : 1
        return excess <= max(errors * share, isSudden ? Constants.speedSlack * span : Constants.maxSpeedExcess)
    }

    /// Returns the reported speed, limited to what the earlier speed and an acceleration explain.
    private func plausibleSpeed(of point: Point, after earlier: Point) -> Double {
        min(point.speed, earlier.speed + Constants.maxAcceleration * (point.at - earlier.at) + Constants.speedSlack)
    }

    /// Returns the distance in metres by which acceleration can change a track in some seconds.
    static func manoeuvre(in span: Double) -> Double {
        let accelerated = min(span, Constants.accelerationSpan)
        return Constants.maxAcceleration * accelerated * (span - accelerated / 2)
    }
}
