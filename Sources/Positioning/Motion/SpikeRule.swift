import Chronology

/// When a position does not follow from the one before it: one rule for whoever asks, motion and fences.
public enum SpikeRule {
    /// Metres per second between implied and stated speed that no manoeuvre explains.
    private static let mismatch = 10.0
    /// So many positions in a row may be left out; with the next the device has been moved for good.
    public static let mostRejected = 2
    /// Longer than this without a position, and nothing is implied by two of them.
    public static let longestStep = Instant.Span.seconds(10)

    /// Whether a step follows from what is known.
    ///
    /// - Parameters:
    ///   - implied: metres per second, by the two positions.
    ///   - expected: metres per second, by Doppler or whatever there is.
    ///   - radius: metres, R68 of the later one.
    ///   - step: seconds between them, above 0.
    public static func explains(_ implied: Double, expected: Double, radius: Double, step: Double) -> Bool {
        implied - expected <= max(mismatch, 3 * radius / step)
    }
}
