import Chronology

/// How soon a device can be somewhere else at the earliest.
public enum GreatestWay {
    /// Metres per second squared: what a fast car does from a stand, and a train or an aeroplane never.
    private static let acceleration = 3.0
    /// Metres per second that anything may reach before it is looked at again, 160 km/h; and over its speed now, what is faster already.
    private static let greatest = (speed: 45.0, factor: 1.3)
    /// Nobody looks away for longer: what is known of the satellites' orbits grows old.
    private static let longest = Instant.Span.seconds(1800)

    /// The least time in which a device covers a distance.
    ///
    /// - Parameters:
    ///   - metres: 0 or more.
    ///   - speed: Metres per second that it goes now; nil: it may have any.
    public static func time(to metres: Double, speed: Double?) -> Instant.Span {
        guard metres > 0 else { return .zero }
        let now = speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? greatest.speed
        let most = max(greatest.speed, greatest.factor * now)
        let speedingUp = (most * most - now * now) / (2 * acceleration)
        let seconds =
            if metres <= speedingUp {
                ((now * now + 2 * acceleration * metres).squareRoot() - now) / acceleration
            } else {
                (most - now) / acceleration + (metres - speedingUp) / most
            }
        return min(.seconds(seconds), longest)
    }
}
