/// Dilution of precision as receivers state it.
enum Dilution {
    /// Where makers put their markers for "none": 99.0, 99.9, 99.99 and 100.0 occur. On both sides of them are values that were meant: a
    /// NovAtel between houses states 95.4 to 655.3, a Garmin 176.0.
    private static let markers = 99.0...100
    /// What is larger is no dilution but another marker.
    private static let largest = 1000.0

    /// The value where it is one. Markers are none, and so is 0.00 (SkyTraq).
    static func believable(_ stated: Double?) -> Double? {
        guard let stated, stated > 0.01, !isMarker(stated) else { return nil }
        return stated
    }

    /// Whether it says that there is none.
    static func isMarker(_ stated: Double?) -> Bool { stated.map { markers.contains($0) || $0 >= largest } ?? false }
}
