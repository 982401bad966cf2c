import Chronology
import Geodesy
import Glibc

/// The place of a stationary device: the average of the receiver's positions there.
public struct StationaryPlace: Sendable, Equatable {
    /// The averaged position.
    public var coordinate: Coordinate
    /// The 68 % radius in metres of the device's position about ``coordinate``. It includes
    /// ``swingRadius``.
    public var horizontalAccuracy: Double
    /// The start of the stationary period.
    public var since: Instant
    /// Metres by which the device swings about the place, as a boat at anchor does; 0 for one that
    /// does not, at most 40.
    public var swingRadius: Double

    /// Creates the place of a stationary device.
    public init(coordinate: Coordinate, horizontalAccuracy: Double, since: Instant, swingRadius: Double = 0) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.since = since
        self.swingRadius = swingRadius
    }

    /// Returns the receiver's time at ``since``; nil if `time` is nil.
    ///
    /// - Parameters:
    ///   - time: The receiver's time at `now`.
    ///   - now: Not earlier than ``since``.
    public func began(_ time: UTCTime?, at now: Instant) -> UTCTime? { time?.advanced(by: since - now) }

    /// Returns the 68 % radius of a position averaged over a time, in metres.
    ///
    /// Errors of successive fixes are not independent. Four fifths of the radius are a first-order
    /// Gauss-Markov process with a time constant of 120 s; half of it is a bias that does not
    /// average out. The result is never below half the radius of one fix, nor below 1 m unless one
    /// fix is. Source: three static logs of three hours each, `docs/accuracy.md`.
    ///
    /// - Parameters:
    ///   - single: The 68 % radius of one fix in metres.
    ///   - span: The time over which differing fixes were averaged; zero for one fix or a frozen
    ///     position.
    public static func averaged(_ single: Double, over span: Instant.Span) -> Double {
        let ratio = span.seconds / 120
        guard ratio > 0, single.isFinite else { return single }
        // The exact form cancels for short times; its limit is 1 - ratio / 3.
        let variance = ratio < 1e-3 ? 1 : 2 / ratio * (1 - (1 - exp(-ratio)) / ratio)
        let fast = 0.8 * 0.8 * variance
        return max(single * (fast + 0.5 * 0.5).squareRoot(), min(single, max(0.5 * single, 1)))
    }
}

extension Fix {
    /// Returns this fix for a stationary device: the averaged place, without speed and course.
    public func resting(at place: StationaryPlace) -> Fix {
        var fix = self
        fix.coordinate = place.coordinate
        fix.horizontalAccuracy = place.horizontalAccuracy
        fix.speed = 0
        (fix.course, fix.courseAccuracy) = (nil, nil)
        return fix
    }
}

/// Whether the device moves; raw values are wire names.
public enum MotionState: String, Sendable, Codable, CaseIterable {
    /// Too few fixes, or none for too long.
    case unknown
    /// The device moves.
    case moving
    /// The device keeps its place.
    case stationary
}

/// A result of ``MotionDetector``; at most one per epoch.
public enum MotionAction: Sendable, Equatable {
    /// The device is stationary since ``StationaryPlace/since``.
    case becameStationary(StationaryPlace)
    /// The device is moving since that instant. After a gap it is the last instant at which the
    /// device was stationary.
    case becameMoving(since: Instant)
    /// The last published movement was a receiver error: the device never left that place.
    case retracted(StationaryPlace)
    /// The state is unknown because no position has arrived for too long; the last was at that
    /// instant.
    case becameUnknown(since: Instant)
}
