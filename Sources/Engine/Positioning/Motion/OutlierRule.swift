import Chronology

/// The rule for when a position does not follow from the previous one, used for motion and fences.
public enum OutlierRule {
    /// The difference between implied and reported speed, in metres per second, that no manoeuvre
    /// explains.
    private static let mismatch = 10.0
    /// The maximum number of consecutive positions to reject; the next one is a permanent change.
    public static let maxRejected = 2
    /// The longest time between two positions for which a speed is implied.
    public static let maxStep = Instant.Span.seconds(10)

    /// Returns whether the expected speed and the radius explain a step.
    ///
    /// - Parameters:
    ///   - impliedSpeed: Metres per second, by the two positions.
    ///   - expectedSpeed: Metres per second, by Doppler or the best available source.
    ///   - radius: Metres, R68 of the later position.
    ///   - step: Seconds between them, above 0.
    public static func explains(impliedSpeed: Double, expectedSpeed: Double, radius: Double, step: Double) -> Bool {
        impliedSpeed - expectedSpeed <= max(mismatch, 3 * radius / step)
    }
}
