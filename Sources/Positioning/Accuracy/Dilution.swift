/// Dilution of precision as receivers state it.
enum Dilution {
    /// From here on it is a marker for "none": 99.99, 99.0 and 100.0 occur.
    private static let marker = 89.99

    /// The value where it is one. Markers are none, and so is 0.00 (SkyTraq).
    static func believable(_ stated: Double?) -> Double? {
        guard let stated, stated > 0.01, stated < marker else { return nil }
        return stated
    }

    /// Whether it says that there is none.
    static func isMarker(_ stated: Double?) -> Bool { stated.map { $0 >= marker } ?? false }
}
