import Chronology
import Geodesy
import Positioning
import Simulator

/// A synthetic track: the true positions of a moving device, and the fixes of a receiver under open
/// sky.
package struct SyntheticTrack: Sendable {
    package enum TravelMode: String, CaseIterable, Sendable {
        /// 1.4 m/s, with stops at road crossings.
        case walk
        /// 14 m/s, with stops at traffic lights.
        case town
        /// 33 m/s.
        case motorway

        var speed: Double {
            switch self {
            case .walk: 1.4
            case .town: 14
            case .motorway: 33
            }
        }
        /// The change of course in degrees per second, one sigma.
        var turn: Double {
            switch self {
            case .walk: 6
            case .town: 3
            case .motorway: 0.3
            }
        }
        /// The probability per second of a stop.
        var stops: Double { self == .motorway ? 0 : 0.004 }
    }

    /// The receiver's fixes, one per second.
    package private(set) var fixes: [Fix] = []
    /// The true positions.
    package private(set) var truth: [Coordinate] = []

    /// Creates a track of this duration.
    package init(mode: TravelMode, hours: Double, radius: Double = 3.5, seed: UInt64) {
        guard var here = Coordinate(latitude: 48.2, longitude: 16.4) else { return }
        var noise = NoiseModel(sigma: radius / 1.515, seed: seed)
        var random = RandomSource(seed: seed, purpose: 91)
        var course = random.uniform() * 360
        var speed = 0.0
        var waitingSeconds = 60
        for second in 0..<Int(hours * 3600) {
            if waitingSeconds > 0 {
                waitingSeconds -= 1
            } else if random.uniform() < mode.stops {
                waitingSeconds = 10 + Int(random.uniform() * 60)
            }
            // Accelerates and brakes at 2 m/s per second.
            let targetSpeed = waitingSeconds > 0 ? 0 : mode.speed
            speed += min(max(targetSpeed - speed, -2), 2)
            course += random.normal() * mode.turn * (speed > 0.2 ? 1 : 0)
            here = here.moved(by: speed, bearing: course)
            noise.advance(.seconds(1))
            truth.append(here)
            fixes.append(
                SyntheticTrack.fix(
                    at: here, noise: noise, radius: radius, speed: abs(speed + random.normal() * 0.1), second: second))
        }
    }

    private static func fix(at here: Coordinate, noise: NoiseModel, radius: Double, speed: Double, second: Int)
        -> Fix
    {
        var fix = Fix(mode: .threeD, quality: .autonomous)
        fix.time = UTCTime(milliseconds: Int64(second) * 1000)
        fix.coordinate = LocalPlane(origin: here).coordinate(
            at: LocalPlane.Offset(east: noise.east, north: noise.north))
        fix.horizontalAccuracy = radius
        fix.speed = speed
        return fix
    }
}
