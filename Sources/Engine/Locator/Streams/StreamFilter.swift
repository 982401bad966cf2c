import Chronology
import Geodesy
import Positioning

/// Decides which fixes a stream publishes.
///
/// Rates are measured on the receiver's time of fix. A burst that arrives a few milliseconds late
/// therefore does not change the rate. A replay at full speed yields the same updates as a live
/// stream.
public struct StreamFilter: Sendable {
    /// A fix that is early by no more than this is on time. Receivers advance by whole periods, but
    /// their reported times vary by milliseconds.
    private static let tolerance = Instant.Span.milliseconds(20)
    /// The largest plausible difference between two receivers' times of one moment. Processing and
    /// transmission take about a second; with a larger difference, one of the clocks is wrong.
    private static let maxLateness = Instant.Span.seconds(5)

    private let interval: Instant.Span
    private let pausesWhenStationary: Bool
    private var significant: SignificantChangeFilter?
    private var distance: DistanceFilter?
    private var pause = StationaryPause()
    /// The newest time that was published; nil if there is none.
    private(set) var lastTime: UTCTime?
    private var lastInstant: Instant?
    private var lastUnavailability: Unavailability?

    /// Creates the filter of a stream with this configuration and these options. ``UpdateBatch``
    /// batches the updates afterwards.
    ///
    /// - Parameter last: The last time that the stream published before it was interrupted.
    public init(configuration: Configuration, options: StreamOptions = StreamOptions(), after last: UTCTime? = nil) {
        lastTime = last
        interval = options.interval(for: configuration)
        distance = DistanceFilter(options.distanceFilter)
        pausesWhenStationary = options.pausesWhenStationary
        significant = options.isSignificantChange ? SignificantChangeFilter() : nil
    }

    /// Whether the stream is paused because the device is stationary.
    public var isPaused: Bool { pause.isPaused }

    /// Processes an action of the motion detector. Returns nil if nothing changes for the stream.
    /// After a resumption the next fix is due.
    public mutating func process(_ action: MotionAction) -> StationaryPause.Transition? {
        guard pausesWhenStationary, let transition = pause.process(action) else { return nil }
        // A significant-change stream reports neither the stationary state nor a departure.
        guard significant == nil else { return nil }
        lastInstant = nil
        lastUnavailability = nil
        if distance != nil { distance = DistanceFilter(distance?.distance) }
        return transition
    }

    /// Returns whether the stream publishes this fix.
    public mutating func admits(_ fix: Fix, at now: Instant) -> Bool {
        guard wouldAdmit(fix, at: now) else { return false }
        if lastUnavailability == nil, significant?.admits(fix, at: now) == false { return false }
        lastUnavailability = nil
        lastTime = fix.time
        lastInstant = now
        distance?.recordPublished(fix)
        return true
    }

    /// Returns whether the stream publishes that there is no position. It does so once per cause,
    /// and again only when the text changes.
    public mutating func admits(_ unavailability: Unavailability) -> Bool {
        guard lastUnavailability != unavailability, !pause.suppresses(unavailability.cause) else { return false }
        lastUnavailability = unavailability
        return true
    }

    /// Returns whether a paused stream that has published an unavailability must now publish the
    /// recovery, and records that it has. Call this when there is a position.
    public mutating func takeRecovery() -> Bool {
        guard pause.isPaused, lastUnavailability != nil else { return false }
        lastUnavailability = nil
        return true
    }

    /// Returns whether ``admits(_:at:)`` would admit this fix.
    public func wouldAdmit(_ fix: Fix, at now: Instant) -> Bool {
        if pause.isPaused { return false }
        if lastUnavailability != nil { return true }
        return isDue(fix, at: now) && distance?.wouldAdmit(fix) ?? true
    }

    private func isDue(_ fix: Fix, at now: Instant) -> Bool {
        guard let lastInstant else { return true }
        guard let time = fix.time, let lastTime else { return now - lastInstant + StreamFilter.tolerance >= interval }
        // If the clock was set back, the interval restarts.
        let elapsed = time.span(since: lastTime)
        return elapsed < .zero || elapsed + StreamFilter.tolerance >= interval
    }

    /// When the stream publishes the location of a fixed place again. Nil if it publishes nothing
    /// at rest, or only movements.
    var nextFixedUpdate: Instant? {
        guard !pause.isPaused, significant == nil, distance == nil else { return nil }
        return lastInstant.map { $0 + max(interval, FixedPlace.interval) }
    }

    /// Records such an update. The host's clock may have been set, and does not count.
    mutating func recordFixedUpdate(at now: Instant) { (lastTime, lastInstant) = (nil, now) }

    /// Returns whether the stream has already published this moment or a later one. Another
    /// receiver's fix of it would then set the stream's time back. If a clock is wrong by more than
    /// the limit, the stream does not wait for the correct clock to catch up. The age of the fix is
    /// no error of a clock: it is that of the last fix of a receiver that has become primary.
    public func isOutdated(_ fix: Fix, age: Instant.Span = .zero) -> Bool {
        fix.time != nil && fix.time == lastTime || isOlder(fix, age: age)
    }

    /// Returns whether the stream has already published a later moment, as ``isOutdated(_:age:)``.
    func isOlder(_ fix: Fix, age: Instant.Span) -> Bool {
        guard let time = fix.time, let lastTime else { return false }
        let elapsed = time.span(since: lastTime)
        return elapsed < .zero && elapsed + age > .zero - StreamFilter.maxLateness
    }
}

/// Admits a fix when the device has moved a given distance since the last admitted fix.
///
/// The position noise of a stationary receiver does not count as movement. At low speed, the
/// distance must also exceed what the errors of both fixes explain. Otherwise a parked receiver
/// would pass a filter of 10 m every few minutes.
struct DistanceFilter: Sendable {
    /// Speed in metres per second above which the device is moving. A stationary receiver does not
    /// report such speeds.
    private static let moving = 0.8

    /// The minimum distance in metres.
    let distance: Double
    private var last: (coordinate: Coordinate, radius: Double)?

    /// Creates a filter; nil if the distance is missing, not finite or not positive.
    init?(_ distance: Double?) {
        guard let distance, distance.isFinite, distance > 0 else { return nil }
        self.distance = distance
    }

    func wouldAdmit(_ fix: Fix) -> Bool {
        guard let last, let coordinate = fix.coordinate else { return true }
        let moved = last.coordinate.nearbyDistance(to: coordinate)
        guard moved >= distance else { return false }
        if let speed = fix.speed, speed > DistanceFilter.moving { return true }
        let radius = fix.horizontalAccuracy ?? 0
        return moved >= 2 * (radius * radius + last.radius * last.radius).squareRoot()
    }

    mutating func recordPublished(_ fix: Fix) {
        guard let coordinate = fix.coordinate else { return }
        last = (coordinate, fix.horizontalAccuracy ?? 0)
    }
}

/// Whether a stream is paused because the device is stationary.
///
/// One update reports the stationary state with the averaged position. The stream then sends
/// nothing until the first fix after the device has moved.
public struct StationaryPause: Sendable, Equatable {
    /// What a stream does in response to the motion detector.
    public enum Transition: Sendable, Equatable {
        /// Publishes the stationary state at this place, then pauses.
        case pause(StationaryPlace)
        /// Publishes the next fix immediately.
        case resume
    }

    /// Whether the stream is paused.
    public private(set) var isPaused = false

    /// Creates the state of a stream that is not paused.
    public init() {}

    /// Processes an action of the motion detector. Returns nil if nothing changes for the stream.
    public mutating func process(_ action: MotionAction) -> Transition? {
        switch action {
        case .becameStationary(let place), .retracted(let place):
            guard !isPaused else { return nil }
            isPaused = true
            return .pause(place)
        case .becameMoving, .becameUnknown:
            guard isPaused else { return nil }
            isPaused = false
            return .resume
        }
    }

    /// Returns whether a paused stream suppresses this cause of a missing position. Its receiver
    /// may sleep then, so a missing fix is expected.
    public func suppresses(_ cause: Cause) -> Bool { isPaused && cause.isExpectedWhileAsleep }
}

extension Cause {
    /// Whether the sleep of a receiver without demand can produce this cause.
    public var isExpectedWhileAsleep: Bool {
        switch self {
        case .noFix, .receiverSilent, .starting: true
        case .noReceiver, .receiverLost, .permissionDenied, .portBusy, .notUnderstood, .binaryProtocol,
            .antennaFault, .unknown:
            false
        }
    }
}

extension ReceiverFix {
    /// Returns this location for a stationary device: the averaged position, without speed and
    /// course.
    public func stationary(at place: StationaryPlace) -> ReceiverFix {
        var location = self
        location.fix = fix.resting(at: place)
        return location
    }
}

extension Configuration {
    /// The threshold after which a stream with this configuration considers the device stationary.
    public var threshold: StationaryThreshold {
        switch self {
        case .default, .unknown: .any
        case .automotiveNavigation: .automotive
        case .otherNavigation, .fitness: .pedestrian
        case .airborne: .airborne
        }
    }
}
