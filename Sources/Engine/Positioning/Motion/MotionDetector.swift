import Chronology
import Geodesy

/// Detects whether a device is moving or stationary, from its fixes alone.
///
/// The decision never depends on a single speed, but on medians over seconds and on displacement
/// relative to the 68 % radius. The stationary state starts when fixes stay together for the window
/// of ``threshold``. It ends by distance from the place, or by a sustained speed with a matching
/// displacement. Rules and their values: `docs/motion.md`.
public struct MotionDetector: Sendable {
    /// The minimum interval between samples. Faster fixes are reduced to about one per second.
    private static let minSampleInterval = Instant.Span.milliseconds(800)
    /// The time without a position after which the detector checks the resting place against new
    /// positions.
    private static let gap = Instant.Span.seconds(15)
    /// The time without an epoch after which the receiver is assumed to have slept.
    private static let pause = Instant.Span.seconds(5)
    /// The time without a position after which the moving state becomes unknown. The stationary
    /// state persists.
    public static let unknownTimeout = Instant.Span.seconds(600)
    /// Metres from the plane's origin beyond which the detector uses a new plane.
    private static let maxPlaneDistance = 20_000.0

    /// How long a device must keep its place to be stationary.
    public let threshold: StationaryThreshold
    /// The current state of the device.
    public private(set) var state = MotionState.unknown

    var window = MotionWindow()
    var reference: StationaryReference?
    var departure: ProvisionalDeparture?
    var flight = FlightDetector()
    /// The time at which the last movement was published; a stationary period depends only on later
    /// fixes.
    var movedAt: Instant?
    /// The time of the first position outside the boundary of the reference, and the number of such
    /// positions since.
    var outside: (since: Instant, count: Int)?
    private var plane: LocalPlane?
    private var restCheck: RestCheck?
    private var outlierFilter = OutlierFilter()
    private var lastSample: Instant?
    /// Whether the receiver has restarted and has no position yet. Such epochs do not count as
    /// epochs without a position.
    private var isStarting = false
    private var lastPosition: (at: Instant, coordinate: Coordinate)?

    /// Creates a detector without any data.
    public init(_ threshold: StationaryThreshold = .any) {
        self.threshold = threshold
    }

    /// The average position of the stationary device until now; nil if it is not stationary.
    public var restingPlace: StationaryPlace? {
        guard state == .stationary, let reference, let plane else { return nil }
        return place(of: reference, on: plane)
    }

    /// Whether a stationary device seems to have moved during a gap, and one or two more fixes will
    /// decide.
    public var mayHaveDeparted: Bool { restCheck?.isLastOutside ?? false }

    /// When the last position that counted was processed; nil if none was.
    public var lastPositionAt: Instant? { lastPosition?.at }

    /// When the caller must call ``tick(at:)``; nil if nothing is due.
    public var deadline: Instant? {
        state == .moving ? lastPosition.map { $0.at + MotionDetector.unknownTimeout } : nil
    }

    /// Advances the time.
    public mutating func tick(at now: Instant) -> MotionAction? {
        guard let deadline, deadline <= now, let last = lastPosition else { return nil }
        (state, departure) = (.unknown, nil)
        window.clear()
        return .becameUnknown(since: last.at)
    }

    /// Processes an epoch, with or without a position.
    public mutating func process(_ fix: Fix, at now: Instant) -> MotionAction? {
        // The first position after a start counts however soon it comes: with several receivers, an
        // epoch without one of another receiver may precede it.
        let isFirst = isStarting && fix.coordinate != nil
        if let lastSample, !isFirst, now - lastSample < MotionDetector.minSampleInterval { return nil }
        if lastSample.map({ now - $0 > MotionDetector.pause }) ?? true { isStarting = true }
        lastSample = now
        let expired = tick(at: now)
        guard let sample = sample(of: fix, at: now) else {
            if !isStarting { window.append(MotionSample(at: now)) }
            return expired
        }
        isStarting = false
        let verdict = outlierFilter.classify(sample)
        guard verdict != .outlier else { return expired }
        let needsRecheck = verdict == .jump || lastPosition.map { now - $0.at > MotionDetector.gap } ?? false
        if let coordinate = fix.coordinate { lastPosition = (now, coordinate) }
        if state == .stationary, needsRecheck {
            restCheck = restCheck ?? RestCheck()
            outside = nil
            window.clear()
        }
        window.append(sample)
        let hasTakenOff = threshold == .airborne && flight.process(fix, at: now)
        return evaluate(sample, hasTakenOff: hasTakenOff) ?? expired
    }

    private mutating func evaluate(_ sample: MotionSample, hasTakenOff: Bool) -> MotionAction? {
        guard state == .stationary, let reference else { return evaluateMoving(sample) }
        if hasTakenOff { return leave(reference, since: sample.at, publishedAt: sample.at) }
        guard let restCheck else { return evaluateStationary(sample, reference: reference) }
        return evaluateAfterGap(sample, reference: reference, check: restCheck)
    }

    /// Evaluates a position in the stationary state after a gap.
    private mutating func evaluateAfterGap(
        _ sample: MotionSample, reference: StationaryReference, check restCheck: RestCheck
    )
        -> MotionAction?
    {
        var restCheck = restCheck
        switch restCheck.evaluate(sample, against: reference) {
        case .undecided:
            self.restCheck = restCheck
            return isDriving ? leave(reference, since: reference.lastConfirmed, publishedAt: sample.at) : nil
        case .stayed:
            self.restCheck = nil
            return nil
        case .left:
            return leave(reference, since: reference.lastConfirmed, publishedAt: sample.at)
        }
    }

    private mutating func evaluateMoving(_ sample: MotionSample) -> MotionAction? {
        if let undone = revokedDeparture(sample) { return rest(undone) }
        if let found = detectRest(at: sample.at) { return rest(found) }
        guard state == .unknown, let since = startOfMovement else { return nil }
        (state, movedAt) = (.moving, sample.at)
        return .becameMoving(since: since)
    }

    private mutating func revokedDeparture(_ sample: MotionSample) -> StationaryReference? {
        guard departure != nil, let median = window.medianPosition(window.recent(.seconds(5))) else { return nil }
        guard departure?.isRevoked(sample, median: median) == true else { return nil }
        return departure?.reference
    }

    private mutating func rest(_ reference: StationaryReference) -> MotionAction? {
        guard let plane else { return nil }
        let isOld = departure?.reference.since == reference.since
        state = .stationary
        self.reference = reference
        departure = nil
        outside = nil
        restCheck = nil
        if threshold == .airborne { flight.land() }
        let place = place(of: reference, on: plane)
        return isOld ? .retracted(place) : .becameStationary(place)
    }

    mutating func leave(_ reference: StationaryReference, since: Instant, publishedAt: Instant) -> MotionAction {
        departure = ProvisionalDeparture(from: reference, since: since, publishedAt: publishedAt)
        state = .moving
        movedAt = publishedAt
        self.reference = nil
        outside = nil
        restCheck = nil
        return .becameMoving(since: since)
    }

    private func place(of reference: StationaryReference, on plane: LocalPlane) -> StationaryPlace {
        let accuracy = (reference.accuracy * reference.accuracy + reference.swingRadius * reference.swingRadius)
            .squareRoot()
        let coordinate = plane.coordinate(at: LocalPlane.Offset(east: reference.east, north: reference.north))
        return StationaryPlace(
            coordinate: coordinate, horizontalAccuracy: accuracy, since: reference.since,
            swingRadius: reference.swingRadius)
    }
}

extension MotionDetector {
    /// Returns a fix as a sample on the plane; nil without a position.
    private mutating func sample(of fix: Fix, at now: Instant) -> MotionSample? {
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius.isFinite, radius >= 0 else {
            return nil
        }
        var plane = plane ?? LocalPlane(origin: coordinate)
        var offset = plane.offset(of: coordinate)
        // In the stationary state a fix is this far from the origin only after a gap. The
        // comparison then needs the old origin.
        if offset.length > MotionDetector.maxPlaneDistance, state != .stationary {
            plane = LocalPlane(origin: coordinate)
            offset = LocalPlane.Offset(east: 0, north: 0)
            window.clear()
            (departure, outlierFilter) = (nil, OutlierFilter())
        }
        self.plane = plane
        let speed = fix.speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? -1
        let isRepeat = speed <= 0 && lastPosition?.coordinate == coordinate
        return MotionSample(
            at: now, east: offset.east, north: offset.north, radius: radius, speed: speed, isRepeat: isRepeat)
    }
}

/// How long a device must keep its place to be stationary.
public enum StationaryThreshold: String, Sendable, CaseIterable {
    /// The kind of movement is unknown.
    case any
    /// On foot, by bicycle or boat. Longer than a pedestrian waits to cross a road.
    case pedestrian
    /// On wheels. Red lights last 30 to 90 s, and 120 s at large junctions.
    case automotive
    /// In the air: never stationary while height or speed indicates flight.
    case airborne

    /// The time for which fixes must stay together.
    public var window: Instant.Span {
        switch self {
        case .any: .seconds(90)
        case .pedestrian, .airborne: .seconds(120)
        case .automotive: .seconds(180)
        }
    }
}

/// One epoch in the form that the detector stores, on the plane about the detector's origin.
struct MotionSample: Sendable {
    var at: Instant
    /// Metres east and north of the origin; meaningless without a position.
    var east = 0.0
    var north = 0.0
    /// The 68 % radius in metres; negative for an epoch without a position.
    var radius = -1.0
    /// Metres per second by Doppler; negative if the receiver reports none.
    var speed = -1.0
    /// Whether the receiver repeats itself: the same coordinate as in the previous epoch, and no
    /// speed.
    var isRepeat = false

    var hasPosition: Bool { radius >= 0 }

    func distance(east: Double, north: Double) -> Double {
        let (x, y) = (self.east - east, self.north - north)
        return (x * x + y * y).squareRoot()
    }
}

/// Compares the first positions after a gap with the earlier resting place, to decide whether the
/// device is still there.
///
/// The first fixes after a start are the worst, 7 to 10 m off in recordings of restarts, so one fix
/// alone decides nothing.
struct RestCheck: Sendable {
    enum Verdict { case undecided, stayed, left }

    /// Fixes closer together in time than this count as one.
    private static let minInterval = Instant.Span.seconds(5)

    private var firstOutside: Instant?
    private var firstInside: Instant?

    /// Whether the last position was outside the resting place.
    var isLastOutside: Bool { firstOutside != nil }

    mutating func evaluate(_ sample: MotionSample, against reference: StationaryReference) -> Verdict {
        let variance = reference.accuracy * reference.accuracy + sample.radius * sample.radius
        let edge = max(2 * variance.squareRoot(), 10) + reference.swingRadius
        if reference.distance(east: sample.east, north: sample.north) > edge {
            firstInside = nil
            guard let first = firstOutside else {
                firstOutside = sample.at
                return .undecided
            }
            return sample.at - first >= RestCheck.minInterval ? .left : .undecided
        }
        firstOutside = nil
        guard let first = firstInside else {
            firstInside = sample.at
            return .undecided
        }
        return sample.at - first >= RestCheck.minInterval ? .stayed : .undecided
    }
}

/// Detects whether an aircraft flies: a helicopter that hovers keeps its position but is not
/// stationary.
struct FlightDetector: Sendable {
    /// Metres per second. A higher speed proves flight.
    private static let flyingSpeed = 40.0
    /// Metres above or below ground level that prove flight, before the height error.
    private static let flyingHeight = 30.0
    /// Metres about ground level within which the aircraft may have landed, before the height
    /// error.
    private static let landedHeight = 15.0
    /// The time with constant height and position after which the aircraft has landed at another
    /// level. No hover is known to last that long.
    private static let landedDuration = Instant.Span.seconds(900)

    private(set) var isFlying = false
    private var ground: Double?
    private var steadyLevel: (height: Double, since: Instant)?
    private var height = 0.0
    private var error = 0.0
    private var epochsAloft = 0

    /// Processes the height and speed of an epoch. Returns whether the aircraft has just taken off.
    mutating func process(_ fix: Fix, at now: Instant) -> Bool {
        let wasFlying = isFlying
        let speed = fix.speed ?? 0
        if speed > FlightDetector.flyingSpeed { isFlying = true }
        if let altitude = fix.altitude ?? fix.ellipsoidalAltitude, altitude.isFinite {
            error = fix.verticalAccuracy ?? 2 * (fix.horizontalAccuracy ?? 10)
            height = altitude
            let ground = ground ?? altitude
            self.ground = ground
            epochsAloft = abs(altitude - ground) > FlightDetector.flyingHeight + 2 * error ? epochsAloft + 1 : 0
            if epochsAloft >= 3 { isFlying = true }
            let isLevel = steadyLevel.map { abs($0.height - altitude) <= max(10, 2 * error) } ?? false
            if !isLevel || speed > 2 { steadyLevel = (altitude, now) }
        }
        return isFlying && !wasFlying
    }

    /// Returns whether an aircraft with a constant position may be stationary.
    func canBeStationary(at now: Instant) -> Bool {
        guard isFlying else { return true }
        if let ground, abs(height - ground) <= FlightDetector.landedHeight + error { return true }
        return steadyLevel.map { now - $0.since >= FlightDetector.landedDuration } ?? false
    }

    /// Records that the device is stationary: its height is the ground level.
    mutating func land() {
        isFlying = false
        epochsAloft = 0
        ground = height
    }
}
