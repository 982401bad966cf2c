import Chronology
import Geodesy
import Positioning
import ReceiverSimulator

/// A device that goes somewhere, drawn: true positions, and what a receiver says of them under an open sky.
public struct DrawnWay: Sendable {
    /// How it goes.
    public enum Manner: String, CaseIterable, Sendable {
        /// 1.4 m/s, with waits at crossings.
        case walk
        /// 14 m/s, with red lights.
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
        /// Degrees that the course changes in a second, one sigma.
        var turn: Double {
            switch self {
            case .walk: 6
            case .town: 3
            case .motorway: 0.3
            }
        }
        /// Of stopping in a second.
        var stops: Double { self == .motorway ? 0 : 0.004 }
    }

    /// What the receiver says, a fix a second.
    public private(set) var fixes: [Fix] = []
    /// Where the device was.
    public private(set) var truth: [Coordinate] = []

    /// A way of some hours.
    public init(_ manner: Manner, hours: Double, radius: Double = 3.5, seed: UInt64) {
        guard var here = Coordinate(latitude: 48.2, longitude: 16.4) else { return }
        var noise = NoiseModel(sigma: radius / 1.515, seed: seed)
        var random = RandomSource(seed: seed, purpose: 91)
        var (course, speed, waits) = (random.uniform() * 360, 0.0, 60)
        for second in 0..<Int(hours * 3600) {
            if waits > 0 { waits -= 1 } else if random.uniform() < manner.stops { waits = 10 + Int(random.uniform() * 60) }
            // Speeds up and brakes with 2 m/s in a second.
            let wanted = waits > 0 ? 0 : manner.speed
            speed += min(max(wanted - speed, -2), 2)
            course += random.normal() * manner.turn * (speed > 0.2 ? 1 : 0)
            here = here.moved(by: speed, bearing: course)
            noise.advance(.seconds(1))
            truth.append(here)
            fixes.append(DrawnWay.fix(here, noise, radius, abs(speed + random.normal() * 0.1), second))
        }
    }

    private static func fix(_ here: Coordinate, _ noise: NoiseModel, _ radius: Double, _ speed: Double, _ second: Int) -> Fix {
        var fix = Fix(mode: .threeD, quality: .autonomous)
        fix.time = UTCTime(milliseconds: Int64(second) * 1000)
        fix.coordinate = LocalPlane(origin: here).coordinate(at: LocalPlane.Offset(east: noise.east, north: noise.north))
        fix.horizontalAccuracy = radius
        fix.speed = speed
        return fix
    }
}
