import Geodesy
import Glibc
import Testing

@testable import Positioning

/// Displacement that the reported motion does not explain.
@Suite struct MotionConsistencyTests {
    private static let start = Coordinate(latitude: 52, longitude: 5)
    private var evidence = MotionConsistency()

    /// Plays a receiver for some seconds: its reported speed and course, and its position in metres
    /// east and north of the start.
    private mutating func run(
        seconds: Double, from first: Double = 0, step: Double = 1, radius: Double = 4, speed: Double?, course: Double?,
        position place: (Double) -> (Double, Double)
    ) throws {
        let plane = LocalPlane(origin: try #require(Self.start))
        for index in stride(from: first, to: first + seconds, by: step) {
            let (east, north) = place(index)
            evidence.add(
                plane.coordinate(at: .init(east: east, north: north)), radius: radius, speed: speed, course: course,
                at: index)
        }
    }

    @Test(arguments: [0.1, 0.2, 1, 2]) mutating func `a steady drive gives no evidence`(step: Double) throws {
        try run(seconds: 120, step: step, speed: 20, course: 90) { (20 * $0, 0) }
        #expect(evidence.innovationRadius == 0)
        #expect(evidence.stationaryWalk == 0)
    }

    /// The speed changes and lags by half a second.
    @Test mutating func `a lagging speed is tolerated`() throws {
        let plane = LocalPlane(origin: try #require(Self.start))
        for index in stride(from: 0.0, to: 60, by: 1) {
            let speed = 15 + 10 * ((index - 0.5) / 10 - ((index - 0.5) / 10).rounded())
            evidence.add(
                plane.coordinate(at: .init(east: 15 * index, north: 0)), radius: 4, speed: speed, course: 90, at: index)
        }
        #expect(evidence.innovationRadius < 3)
    }

    /// A drift of 1 m/s north in a wide bend: 10 m in ten seconds, of which 0.5 m, 1 % of the
    /// distance and the change of velocity in one second are tolerated.
    @Test(arguments: [0.1, 1]) mutating func `a drift is detected`(step: Double) throws {
        let plane = LocalPlane(origin: try #require(Self.start))
        let radius = 10 / (2 * Double.pi / 180)
        for index in stride(from: 0.0, to: 600, by: step) {
            let angle = 2 * index * .pi / 180
            evidence.add(
                plane.coordinate(at: .init(east: radius * (1 - cos(angle)), north: radius * sin(angle) + index)),
                radius: 8, speed: 10, course: (2 * index).truncatingRemainder(dividingBy: 360), at: index)
        }
        let wanted = 2 * (100 - 0.25 - 1 - 12.1).squareRoot()
        #expect(abs(evidence.innovationRadius - wanted) < 0.1 * wanted)
    }

    /// The speed is 10 % too low, or the course is 6 degrees wrong: too little to withdraw it soon.
    @Test(arguments: [(11.0, 0.0), (9, 0), (10, 1), (10, -1)])
    mutating func `a constant error of the speed or the course gives no evidence`(east: Double, north: Double) throws {
        try run(seconds: 600, radius: 8, speed: 10, course: 90) { (east * $0, north * $0) }
        #expect(evidence.innovationRadius < 1)
    }

    @Test mutating func `the evidence fades within minutes`() throws {
        try run(seconds: 60, radius: 8, speed: 0, course: nil) { ($0, 0) }
        let then = evidence.innovationRadius
        try run(seconds: 240, from: 60, speed: 0, course: nil) { _ in (60, 0) }
        #expect(then > 8)
        #expect(evidence.innovationRadius < then / 4)
    }

    /// SiRF holds a position while its speed is noisy: this is an error of the speed.
    @Test mutating func `a constant position with a noisy speed gives no evidence`() throws {
        try run(seconds: 120, speed: 0.3, course: 250) { _ in (0, 0) }
        #expect(evidence.innovationRadius == 0)
        #expect(evidence.stationaryWalk == 0)
    }

    @Test mutating func `position drift at rest counts as a walk`() throws {
        try run(seconds: 61, speed: 0.1, course: nil) { index in (index > 30 ? (index - 30) / 2 : 0, 0) }
        #expect(evidence.stationaryWalk > 14 && evidence.stationaryWalk < 15.5)
    }

    /// A walk with a reported walking speed is not a walk at rest.
    @Test mutating func `a walk with a matching speed does not count as a walk at rest`() throws {
        try run(seconds: 120, speed: 1.4, course: 0) { (0.3 * $0, 1.4 * $0) }
        #expect(evidence.stationaryWalk == 0)
    }

    /// Without speed, without a course at speed, with gaps, with a frozen clock: there is no data,
    /// so there is no evidence.
    @Test(arguments: [(1.0, nil, nil), (1, 10, nil), (12, 10, 0), (0, 10, 0)] as [(Double, Double?, Double?)])
    mutating func `missing motion data gives no evidence`(step: Double, speed: Double?, course: Double?) throws {
        let plane = LocalPlane(origin: try #require(Self.start))
        for index in 0..<60 {
            let place = plane.coordinate(at: .init(east: Double(index % 2) * 100, north: 0))
            evidence.add(place, radius: 4, speed: speed, course: course, at: Double(index) * step)
        }
        #expect(evidence.innovationRadius == 0)
        #expect(evidence.stationaryWalk == 0)
    }

    @Test(arguments: [1e300, 1e4, Double.infinity]) mutating func `absurd speeds give no evidence`(speed: Double) throws
    {
        try run(seconds: 30, speed: speed, course: 45) { ($0, 0) }
        #expect(evidence.innovationRadius == 0)
    }
}
