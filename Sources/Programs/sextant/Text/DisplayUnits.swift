import ArgumentParser

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

/// The unit for displayed speeds.
enum SpeedUnit: String, ExpressibleByArgument, CaseIterable {
    case kmh, mph, kn, ms

    /// Returns a speed given in metres per second in this unit, such as "44.3 km/h".
    func text(_ speed: Double) -> String {
        switch self {
        case .kmh: DecimalText.text(speed * 3.6, decimals: 1) + " km/h"
        case .mph: DecimalText.text(speed / 0.44704, decimals: 1) + " mph"
        case .kn: DecimalText.text(speed * 3600 / 1852, decimals: 1) + " kn"
        case .ms: DecimalText.text(speed, decimals: 1) + " m/s"
        }
    }
}
