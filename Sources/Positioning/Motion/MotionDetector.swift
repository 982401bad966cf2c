import Chronology
import Geodesy

/// Tells whether a device moves or rests, from its fixes alone.
///
/// Never by the speed of one moment: by medians over seconds, and by displacement against the 68 % radius. A rest is entered when
/// fixes have kept together for the patience's window, and left by distance from the place, or by a speed that lasts and leads somewhere.
/// Rules and their figures: `docs/motion.md`.
public struct MotionDetector: Sendable {
    /// Fixes that come faster are thinned out to about one a second.
    private static let densest = Instant.Span.milliseconds(800)
    /// After so long without a position a rest is compared anew.
    private static let gap = Instant.Span.seconds(15)
    /// After so long without a position nobody knows whether a device moves on. A rest holds.
    private static let forgets = Instant.Span.seconds(600)
    /// Metres from the plane's origin where a new one is laid.
    private static let widest = 20_000.0

    /// How long it waits for a rest.
    public let patience: MotionPatience
    /// What the device does.
    public private(set) var state = MotionState.unknown

    var window = MotionWindow()
    var anchor: Anchor?
    var departure: Departure?
    var flight = Flight()
    /// When the last movement was told; a rest is of fixes after it.
    var movedAt: Instant?
    /// When positions were first outside the anchor's edge, and how many have been since.
    var outside: (since: Instant, count: Int)?
    private var plane: LocalPlane?
    private var comparison: Comparison?
    private var spikes = SpikeFilter()
    private var lastKept: Instant?
    private var lastPosition: (at: Instant, coordinate: Coordinate)?

    /// A detector that has seen nothing.
    public init(_ patience: MotionPatience = .any) {
        self.patience = patience
    }

    /// Where the device rests, averaged until now; nil while it does not.
    public var restingPlace: RestingPlace? {
        guard state == .stationary, let anchor, let plane else { return nil }
        return place(anchor, plane)
    }

    /// Whether a device that was left at rest seems to be elsewhere, and one fix more or two will tell.
    public var suspectsDeparture: Bool { comparison?.isOutside ?? false }

    /// When ``tick(at:)`` wants to be called; nil while nothing is due.
    public var deadline: Instant? {
        state == .moving ? lastPosition.map { $0.at + MotionDetector.forgets } : nil
    }

    /// Lets time pass.
    public mutating func tick(at now: Instant) -> MotionAction? {
        guard let deadline, deadline <= now, let last = lastPosition else { return nil }
        (state, departure) = (.unknown, nil)
        window.clear()
        return .becameUnknown(since: last.at)
    }

    /// Takes an epoch in, with a position or without.
    public mutating func take(_ fix: Fix, at now: Instant) -> MotionAction? {
        if let lastKept, now - lastKept < MotionDetector.densest { return nil }
        lastKept = now
        let expired = tick(at: now)
        guard let sample = sample(of: fix, at: now) else {
            window.append(MotionSample(at: now))
            return expired
        }
        let verdict = spikes.judge(sample)
        guard verdict != .spike else { return expired }
        let isLookedAtAnew = verdict == .jump || lastPosition.map { now - $0.at > MotionDetector.gap } ?? false
        if let coordinate = fix.coordinate { lastPosition = (now, coordinate) }
        if state == .stationary, isLookedAtAnew {
            comparison = comparison ?? Comparison()
            outside = nil
            window.clear()
        }
        window.append(sample)
        let hasTakenOff = patience == .airborne && flight.take(fix, at: now)
        return judge(sample, hasTakenOff: hasTakenOff) ?? expired
    }

    private mutating func judge(_ sample: MotionSample, hasTakenOff: Bool) -> MotionAction? {
        guard state == .stationary, let anchor else { return judgeWithoutRest(sample) }
        if hasTakenOff { return leave(anchor, since: sample.at, told: sample.at) }
        guard let comparison = comparison else { return judgeRest(sample, anchor) }
        return judge(sample, anchor, comparison)
    }

    /// At rest before a gap.
    private mutating func judge(_ sample: MotionSample, _ anchor: Anchor, _ comparison: Comparison) -> MotionAction? {
        var comparison = comparison
        switch comparison.judge(sample, against: anchor) {
        case .open:
            self.comparison = comparison
            return isRunning ? leave(anchor, since: anchor.held, told: sample.at) : nil
        case .here:
            self.comparison = nil
            return nil
        case .gone:
            return leave(anchor, since: anchor.held, told: sample.at)
        }
    }

    private mutating func judgeWithoutRest(_ sample: MotionSample) -> MotionAction? {
        if let undone = undoneDeparture(sample) { return rest(undone) }
        if let found = foundRest(at: sample.at) { return rest(found) }
        guard state == .unknown, let since = startOfMovement else { return nil }
        (state, movedAt) = (.moving, sample.at)
        return .becameMoving(since: since)
    }

    private mutating func undoneDeparture(_ sample: MotionSample) -> Anchor? {
        guard departure != nil, let middle = window.middle(window.recent(.seconds(5))) else { return nil }
        guard departure?.isUndone(sample, middle: middle) == true else { return nil }
        return departure?.anchor
    }

    private mutating func rest(_ anchor: Anchor) -> MotionAction? {
        guard let plane else { return nil }
        let isOld = departure?.anchor.since == anchor.since
        (state, self.anchor, departure, outside, comparison) = (.stationary, anchor, nil, nil, nil)
        if patience == .airborne { flight.land() }
        let place = place(anchor, plane)
        return isOld ? .retracted(place) : .becameStationary(place)
    }

    mutating func leave(_ anchor: Anchor, since: Instant, told: Instant) -> MotionAction {
        departure = Departure(from: anchor, since: since, told: told)
        (state, movedAt, self.anchor, outside, comparison) = (.moving, told, nil, nil, nil)
        return .becameMoving(since: since)
    }

    private func place(_ anchor: Anchor, _ plane: LocalPlane) -> RestingPlace {
        let accuracy = (anchor.accuracy * anchor.accuracy + anchor.reach * anchor.reach).squareRoot()
        let coordinate = plane.coordinate(at: LocalPlane.Offset(east: anchor.east, north: anchor.north))
        return RestingPlace(coordinate: coordinate, horizontalAccuracy: accuracy, since: anchor.since, reach: anchor.reach)
    }
}

extension MotionDetector {
    /// A fix as a sample on the plane; nil where it has no position.
    private mutating func sample(of fix: Fix, at now: Instant) -> MotionSample? {
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius.isFinite, radius >= 0 else { return nil }
        var plane = plane ?? LocalPlane(origin: coordinate)
        var offset = plane.offset(of: coordinate)
        // A rest is never so far from its origin but after a gap, and then the comparison wants the old one.
        if offset.length > MotionDetector.widest, state != .stationary {
            plane = LocalPlane(origin: coordinate)
            offset = LocalPlane.Offset(east: 0, north: 0)
            window.clear()
            (departure, spikes) = (nil, SpikeFilter())
        }
        self.plane = plane
        let speed = fix.speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? -1
        let isRepeat = speed <= 0 && lastPosition?.coordinate == coordinate
        return MotionSample(at: now, east: offset.east, north: offset.north, radius: radius, speed: speed, isRepeat: isRepeat)
    }
}
