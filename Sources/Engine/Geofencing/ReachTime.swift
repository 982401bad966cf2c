import Chronology

/// The shortest time in which a device can travel a distance.
public enum ReachTime {
    /// The greatest acceleration in metres per second squared: that of a fast car from a
    /// standstill, which trains and aeroplanes never reach.
    private static let acceleration = 3.0
    /// Metres per second (160 km/h). The lower limit of the greatest speed before the next check.
    private static let minTopSpeed = 45.0
    /// The greatest speed before the next check, relative to the current speed.
    private static let topSpeedFactor = 1.3
    /// The longest time between checks. After a longer time the receiver's ephemerides become
    /// outdated.
    private static let maxTime = Instant.Span.seconds(1800)

    /// Returns the shortest time in which a device can travel a distance.
    ///
    /// - Parameters:
    ///   - metres: The distance, 0 or more.
    ///   - speed: The current speed in metres per second; nil if unknown.
    public static func time(to metres: Double, speed: Double?) -> Instant.Span {
        guard metres > 0 else { return .zero }
        let now = speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? minTopSpeed
        let topSpeed = max(minTopSpeed, topSpeedFactor * now)
        let accelerationDistance = (topSpeed * topSpeed - now * now) / (2 * acceleration)
        let seconds =
            if metres <= accelerationDistance {
                ((now * now + 2 * acceleration * metres).squareRoot() - now) / acceleration
            } else {
                (topSpeed - now) / acceleration + (metres - accelerationDistance) / topSpeed
            }
        return min(.seconds(seconds), maxTime)
    }
}
