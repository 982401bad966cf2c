import Geodesy

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

        /// Returns how far a later point is from where this velocity leads, in metres.
        func deviation(of later: Point) -> Double {
            let span = later.at - at
            let offset = LocalPlane(origin: coordinate).offset(of: later.coordinate)
            let expected = LocalPlane.Offset(east: velocity.east * span, north: velocity.north * span)
            return LocalPlane.Offset(east: offset.east - expected.east, north: offset.north - expected.north).length
        }
    }

    /// Whether the receiver can have had the last reported speed, by its positions.
    private(set) var isSpeedPossible = true
    /// The last position of the track.
    private(set) var last: Point?
    /// The position before it.
    private var previous: Point?
    /// Whether the last position agreed with none before it.
    private var isContradicted = false
    /// Positions at another place that may be the new track.
    private var candidate: (since: Double, last: Point)?

    /// Forgets the track, so that the next position starts one.
    mutating func reset() { self = TrackCheck() }

    /// Classifies the next position that satellites determine.
    mutating func classify(_ fix: Fix, at place: Coordinate, radius: Double, at seconds: Double) -> Verdict {
        var point = Point(
            at: seconds, coordinate: place, radius: radius,
            minJump: fix.quality.isCarrierPhase ? Constants.minCarrierPhaseJump : Constants.minJump,
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
        if distance <= reach(of: point, from: last), !continuesCandidate(point, ratherThan: last) {
            let reported = isSpeedPossible ? plausibleSpeed(of: point, after: last) : 0
            point.speed = max(reported, distance / max(seconds - last.at, 1))
            accept(point)
            isContradicted = false
            return .continues
        }
        // The last position was wrong by less than makes an outlier, and the track goes on without
        // it.
        if candidate == nil, let previous, previous.deviation(of: point) < last.deviation(of: point) / 3,
            previous.coordinate.nearbyDistance(to: place) <= reach(of: point, from: previous)
        {
            point.speed = previous.speed
            self.last = point
            isContradicted = false
            return .continues
        }
        if let candidate, candidate.last.coordinate.nearbyDistance(to: place) <= reach(of: point, from: candidate.last)
        {
            point.speed = speed(of: point, after: candidate.last)
            guard seconds - candidate.since >= Constants.jumpConfirmation else {
                self.candidate?.last = point
                return .outlier
            }
            accept(point)
            previous = nil
            return .jumped
        }
        if isContradicted || candidate != nil && seconds - last.at >= Constants.maxContradiction {
            accept(point)
            isContradicted = true
            return .contradicted(min(distance, Constants.maxPlausibleError))
        }
        // The reported speed may be missing or wrong: the next position must be reached at that
        // between the last two.
        if let candidate { point.speed = speed(of: point, after: candidate.last) }
        candidate = (seconds, point)
        return .outlier
    }

    /// Returns the greater of the reported speed and that since an earlier point, as far as it is
    /// one of an aircraft.
    private func speed(of point: Point, after earlier: Point) -> Double {
        let distance = earlier.coordinate.nearbyDistance(to: point.coordinate)
        return max(point.speed, min(distance / max(point.at - earlier.at, 1), Constants.maxImpliedSpeed))
    }

    /// Returns whether a point that can follow from the track follows better from the candidate, as
    /// after a short jump backwards.
    private func continuesCandidate(_ point: Point, ratherThan last: Point) -> Bool {
        guard let candidate else { return false }
        return candidate.last.deviation(of: point) < last.deviation(of: point) / 3
    }

    private mutating func accept(_ point: Point) {
        (previous, last) = (last, point)
        candidate = nil
    }

    /// Returns the distance in metres within which a point follows from an earlier one.
    private func reach(of point: Point, from earlier: Point) -> Double {
        let span = point.at - earlier.at
        return max(earlier.minJump, point.minJump, Constants.jumpToR68 * (earlier.radius + point.radius))
            + max(earlier.speed, plausibleSpeed(of: point, after: earlier)) * span + TrackCheck.manoeuvre(in: span)
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
