import Chronology
import Geodesy
import Positioning
import ReceiverSimulator

/// A receiver that does not move, with errors as measured on ones that did not (`docs/motion.md`): positions wander with a time of two
/// minutes, Doppler is noise about zero.
public enum DrawnRest {
    /// What it sees of the sky.
    public enum Sky: String, CaseIterable, Sendable {
        /// R68 of 3.5 m, stated so; 95 of 100 speeds below 0.25 m/s.
        case open
        /// R68 of 9 m, stated so; 95 of 100 speeds below 0.5 m/s.
        case poor
        /// No Doppler at all.
        case withoutDoppler

        var radius: Double { self == .poor ? 9 : 3.5 }
        /// Per axis: the length of two such is below 2.45 of it in 95 of 100.
        var speed: Double? {
            switch self {
            case .open: 0.10
            case .poor: 0.20
            case .withoutDoppler: nil
            }
        }
    }

    /// A fix a second.
    public static func fixes(_ sky: Sky, hours: Int, seed: UInt64) -> [Fix] {
        guard let origin = Coordinate(latitude: 45.1, longitude: -75.6) else { return [] }
        let plane = LocalPlane(origin: origin)
        // A circle of 1.515 sigma holds 68 % of two normal errors.
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
