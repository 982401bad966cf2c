/// The units for displayed positions and speeds.
struct DisplayUnits: Equatable {
    var speed = SpeedUnit.kmh
    /// Whether positions are in degrees and decimal minutes.
    var hasMinutes = false

    /// Returns a latitude such as "48.117300° N" or "48° 07.038′ N".
    func latitude(_ degrees: Double, decimals: Int) -> String {
        hasMinutes
            ? "\(AngleText.minutes(degrees, decimals: decimals)) \(AngleText.northSouth(degrees))"
            : AngleText.latitude(degrees, decimals: decimals)
    }

    /// Returns a longitude such as "11.516667° E" or "11° 31.000′ E".
    func longitude(_ degrees: Double, decimals: Int) -> String {
        hasMinutes
            ? "\(AngleText.minutes(degrees, decimals: decimals)) \(AngleText.eastWest(degrees))"
            : AngleText.longitude(degrees, decimals: decimals)
    }
}
