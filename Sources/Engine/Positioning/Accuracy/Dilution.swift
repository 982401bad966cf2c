/// Plausibility checks for dilution of precision as receivers report it.
enum Dilution {
    /// The range of manufacturers' markers for "none": 99.0, 99.9, 99.99 and 100.0 occur. Valid
    /// values occur on both sides: a NovAtel between houses reports 95.4 to 655.3, a Garmin 176.0.
    private static let markers = 99.0...100
    /// A value of this size or more is a marker, not a dilution.
    private static let largest = 1000.0

    /// Returns the value if it is valid. Markers and 0.00 (SkyTraq) are not.
    static func plausible(_ reported: Double?) -> Double? {
        guard let reported, reported > 0.01, !isMarker(reported) else { return nil }
        return reported
    }

    /// Returns whether a value is a marker for "none".
    static func isMarker(_ reported: Double?) -> Bool {
        reported.map { markers.contains($0) || $0 >= largest } ?? false
    }
}
