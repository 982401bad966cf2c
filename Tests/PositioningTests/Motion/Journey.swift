import Chronology
import Geodesy
import Simulator

@testable import Positioning

/// A device's movement drawn as text, ten seconds per letter, and the detector's result in the same
/// columns.
///
///     way     "rrrrrrrrrrrrrrrrrwwww"
///     answer  "??????????sssssss smm"
///
/// `r` rests, `d` drifts at 0.05 m/s, `q` creeps at 0.6 m/s as in a queue, `w` walks at 1.4 m/s,
/// `c` drives at 14 m/s, `b` walks back; `x` is one epoch per second without a position, a blank is
/// silence. Results, at the end of the ten seconds: `?` unknown, `m` moving, `s` stationary.
struct Journey {
    var detector: MotionDetector
    /// The 68 % accuracy in metres that fixes claim.
    var radius = 3.5
    /// The position error along each axis in metres.
    var sigma = 0.0
    /// The number of seconds between fixes.
    var period = 1.0
    /// Whether fixes state a speed.
    var hasDoppler = true
    /// A change to every fix before the detector gets it.
    var edit: (inout Fix, Double) -> Void = { _, _ in }

    private(set) var now = Instant.zero
    private(set) var east = 0.0
    private(set) var north = 0.0
    private(set) var actions: [MotionAction] = []
    private var noise = NoiseModel(sigma: 0, seed: 0)
    private var speedNoise = NoiseModel(sigma: 0, seed: 0)

    static let plane = LocalPlane(origin: [Coordinate(latitude: 47.285, longitude: 8.565)].compactMap(\.self)[0])

    init(_ threshold: StationaryThreshold = .any, sigma: Double = 0, seed: UInt64 = 1) {
        detector = MotionDetector(threshold)
        self.sigma = sigma
        noise = NoiseModel(sigma: sigma, seed: seed)
    }

    mutating func states(along path: String) -> String {
        var states = ""
        for letter in path {
            for _ in 0..<Int((10 / period).rounded()) { step(letter) }
            states += Journey.sign(detector.state)
        }
        return states
    }

    /// Adds one fix at a given position, one period after the last.
    mutating func addFix(east: Double, north: Double, speed: Double?) {
        (self.east, self.north) = (east, north)
        now = now + .seconds(period)
        process(speed: speed)
    }

    /// Adds epochs without a position, one second apart.
    mutating func addEpochsWithoutPosition(_ epochs: Int) {
        for _ in 0..<epochs {
            now = now + .seconds(1)
            record(detector.process(Fix(), at: now))
        }
    }

    /// Advances the clock without any epoch.
    mutating func silence(_ seconds: Double) {
        let end = now + .seconds(seconds)
        while let due = detector.deadline, due <= end { record(detector.tick(at: due)) }
        now = end
    }

    /// The published changes in short form.
    var story: [String] {
        actions.map { action in
            switch action {
            case .becameStationary: "rest"
            case .becameMoving: "move"
            case .retracted: "back"
            case .becameUnknown: "lost"
            }
        }
    }

    private mutating func step(_ letter: Character) {
        if letter == " " { return silence(period) }
        now = now + .seconds(period)
        if letter == "x" { return record(detector.process(Fix(), at: now)) }
        let speed: Double =
            switch letter {
            case "d": 0.05
            case "q": 0.6
            case "w", "b": 1.4
            case "c": 14
            default: 0
            }
        east += (letter == "b" ? -speed : speed) * period
        process(speed: speed)
    }

    private mutating func process(speed: Double?) {
        noise.advance(.seconds(period))
        var fix = Fix(mode: .threeD, quality: .autonomous)
        let offset = LocalPlane.Offset(east: east + noise.east, north: north + noise.north)
        fix.coordinate = Journey.plane.coordinate(at: offset)
        fix.horizontalAccuracy = radius
        fix.altitude = 500
        fix.verticalAccuracy = 6
        if hasDoppler, let speed { fix.speed = abs(speed + (sigma == 0 ? 0 : abs(noise.speedError()))) }
        edit(&fix, (now - .zero).seconds)
        record(detector.process(fix, at: now))
    }

    private mutating func record(_ action: MotionAction?) {
        if let action { actions.append(action) }
    }

    private static func sign(_ state: MotionState) -> String {
        switch state {
        case .unknown: "?"
        case .moving: "m"
        case .stationary: "s"
        }
    }
}
