import ArgumentParser

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
