import Chronology
import Geodesy
import Positioning
import Simulator

/// A synthetic stationary receiver with measured error characteristics (`docs/motion.md`):
/// positions wander with a time constant of two minutes, and Doppler is zero-mean noise.
package enum SyntheticRest {
    /// The view of the sky.
    package enum Sky: String, CaseIterable, Sendable {
        /// A reported R68 of 3.5 m, which is correct; 95 % of speeds are below 0.25 m/s.
        case open
        /// A reported R68 of 9 m, which is correct; 95 % of speeds are below 0.5 m/s.
        case poor
        /// Positions as under open sky, without Doppler.
        case withoutDoppler

        var radius: Double { self == .poor ? 9 : 3.5 }
        /// The speed noise per axis in metres per second, one sigma; 95 % of horizontal speeds are
        /// below 2.45 times this value.
        var speed: Double? {
            switch self {
            case .open: 0.10
            case .poor: 0.20
            case .withoutDoppler: nil
            }
        }
    }

    package static func fixes(_ sky: Sky, hours: Int, seed: UInt64) -> [Fix] {
        guard let origin = Coordinate(latitude: 45.1, longitude: -75.6) else { return [] }
        let plane = LocalPlane(origin: origin)
        // A circle of 1.515 sigma holds 68 % of errors that are normal on both axes.
        var noise = NoiseModel(sigma: sky.radius / 1.515, seed: seed)
        var random = RandomSource(seed: seed, purpose: 77)
        return (0..<(hours * 3600)).map { second in
            noise.advance(.seconds(1))
            var fix = Fix(mode: .threeD, quality: .autonomous)
            fix.time = UTCTime(milliseconds: Int64(second) * 1000)
            fix.coordinate = plane.coordinate(at: LocalPlane.Offset(east: noise.east, north: noise.north))
            fix.horizontalAccuracy = sky.radius
            if let sigma = sky.speed {
                let (x, y) = (random.normal() * sigma, random.normal() * sigma)
                fix.speed = (x * x + y * y).squareRoot()
            }
            return fix
        }
    }
}
