import ArgumentParser

/// The unit that a person wants speeds in.
enum SpeedUnit: String, ExpressibleByArgument, CaseIterable {
    case kmh, mph, kn, ms

    /// A speed in metres per second, in this unit: "44.3 km/h".
    func text(_ speed: Double) -> String {
        switch self {
        case .kmh: Fixed.text(speed * 3.6, 1) + " km/h"
        case .mph: Fixed.text(speed / 0.44704, 1) + " mph"
        case .kn: Fixed.text(speed * 3600 / 1852, 1) + " kn"
        case .ms: Fixed.text(speed, 1) + " m/s"
        }
    }
}
