import Chronology
import Geodesy
import Glibc

/// Where a device rests: the average of what its receiver said there.
public struct RestingPlace: Sendable, Equatable {
    /// The averaged position.
    public var coordinate: Coordinate
    /// Metres; 68 % radius of ``coordinate``, and of where the device then is within ``reach``.
    public var horizontalAccuracy: Double
    /// The first instant of the rest.
    public var since: Instant
    /// Metres within which the device itself swings about the place, as a boat at anchor does; 0 for one that lies still, at most 40.
    public var reach: Double

    /// A place of rest.
    public init(coordinate: Coordinate, horizontalAccuracy: Double, since: Instant, reach: Double = 0) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.since = since
        self.reach = reach
    }

    /// What the receiver's time was at ``since``; nil where `time` is.
    ///
    /// - Parameters:
    ///   - time: What it was at `now`.
    ///   - now: Not earlier than ``since``.
    public func began(_ time: UTCTime?, at now: Instant) -> UTCTime? { time?.advanced(by: since - now) }

    /// The 68 % radius of a position averaged over a time, in metres.
    ///
    /// Errors of successive fixes are not independent. Four fifths of the radius are a first-order Gauss-Markov process with a time of
    /// 120 s, half of it a bias that does not average out. Never better than half of one fix, nor than 1 m unless one fix is. From three
    /// static logs of three hours each, `docs/accuracy.md`.
    ///
    /// - Parameters:
    ///   - single: Metres; the 68 % radius of one fix.
    ///   - span: How long fixes that differ were averaged. No time at all: one fix, or a receiver that froze its position.
    public static func averaged(_ single: Double, over span: Instant.Span) -> Double {
        let ratio = span.seconds / 120
        guard ratio > 0, single.isFinite else { return single }
        // For short times the exact form cancels; its limit is 1 - ratio / 3.
        let variance = ratio < 1e-3 ? 1 : 2 / ratio * (1 - (1 - exp(-ratio)) / ratio)
        let fast = 0.8 * 0.8 * variance
        return max(single * (fast + 0.5 * 0.5).squareRoot(), min(single, max(0.5 * single, 1)))
    }
}

extension Fix {
    /// This fix as that of a device that rests: the averaged place, no speed and no course.
    public func resting(at place: RestingPlace) -> Fix {
        var fix = self
        fix.coordinate = place.coordinate
        fix.horizontalAccuracy = place.horizontalAccuracy
        fix.speed = 0
        (fix.course, fix.courseAccuracy) = (nil, nil)
        return fix
    }
}
