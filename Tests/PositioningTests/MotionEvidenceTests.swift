import Geodesy
import Testing

@testable import Positioning

/// Displacement that motion does not explain.
@Suite struct MotionEvidenceTests {
    private static let start = Coordinate(latitude: 52, longitude: 5)
    private var evidence = MotionEvidence()

    /// A receiver for so many seconds: what it says of its motion, and where it says it is, metres east and north of the start.
    private mutating func play(
        _ seconds: Double, from first: Double = 0, step: Double = 1, speed: Double?, course: Double?, _ place: (Double) -> (Double, Double)
    ) throws {
        let plane = LocalPlane(origin: try #require(Self.start))
        for at in stride(from: first, to: first + seconds, by: step) {
            let (east, north) = place(at)
            evidence.take(plane.coordinate(at: .init(east: east, north: north)), speed: speed, course: course, at: at)
        }
    }

    @Test(arguments: [0.1, 0.2, 1, 2]) mutating func aSteadyDriveSpeaksForNothing(step: Double) throws {
        try play(120, step: step, speed: 20, course: 90) { (20 * $0, 0) }
        #expect(evidence.innovation == 0)
        #expect(evidence.walk == 0)
    }

    /// A turn of 90 degrees in ten seconds, and braking, with a speed that lags by half a second.
    @Test mutating func aLaggingSpeedIsAllowedFor() throws {
        let plane = LocalPlane(origin: try #require(Self.start))
        for at in stride(from: 0.0, to: 60, by: 1) {
            let speed = 15 + 10 * ((at - 0.5) / 10 - ((at - 0.5) / 10).rounded())
            evidence.take(
                plane.coordinate(at: .init(east: 15 * at, north: 0)), speed: speed, course: 90, at: at)
        }
        #expect(evidence.innovation < 3)
    }

    /// 1 m/s north that the speed does not know of: 10 m in ten seconds, of which half a metre is allowed for.
    @Test(arguments: [0.1, 1]) mutating func aDriftIsFound(step: Double) throws {
        try play(600, step: step, speed: 10, course: 90) { (10 * $0, $0) }
        let wanted = 2 * (100 - 0.25 - 1).squareRoot()
        #expect(abs(evidence.innovation - wanted) < 0.1 * wanted)
    }

    @Test mutating func itIsForgottenWithinMinutes() throws {
        try play(60, speed: 0, course: nil) { ($0, 0) }
        let then = evidence.innovation
        try play(240, from: 60, speed: 0, course: nil) { _ in (60, 0) }
        #expect(then > 8)
        #expect(evidence.innovation < then / 4)
    }

    /// SiRF holds a position still while its speed is noisy: an error of the speed.
    @Test mutating func aPositionThatStaysIsNotBlamed() throws {
        try play(120, speed: 0.3, course: 250) { _ in (0, 0) }
        #expect(evidence.innovation == 0)
        #expect(evidence.walk == 0)
    }

    @Test mutating func aWalkWhileStanding() throws {
        try play(61, speed: 0.1, course: nil) { at in (at > 30 ? (at - 30) / 2 : 0, 0) }
        #expect(evidence.walk > 14 && evidence.walk < 15.5)
    }

    /// Somebody who walks and says so does not stand.
    @Test mutating func aWalkThatIsMotion() throws {
        try play(120, speed: 1.4, course: 0) { (0.3 * $0, 1.4 * $0) }
        #expect(evidence.walk == 0)
        #expect(evidence.innovation > 0)
    }

    /// Without speed, without course at speed, with gaps, with a clock that stands: nothing to go by, and nothing made up.
    @Test(arguments: [(1.0, nil, nil), (1, 10, nil), (12, 10, 0), (0, 10, 0)] as [(Double, Double?, Double?)])
    mutating func nothingToGoBy(step: Double, speed: Double?, course: Double?) throws {
        let plane = LocalPlane(origin: try #require(Self.start))
        for at in 0..<60 {
            let place = plane.coordinate(at: .init(east: Double(at % 2) * 100, north: 0))
            evidence.take(place, speed: speed, course: course, at: Double(at) * step)
        }
        #expect(evidence.innovation == 0)
        #expect(evidence.walk == 0)
    }

    @Test(arguments: [1e300, 1e4, Double.infinity]) mutating func absurdSpeeds(speed: Double) throws {
        try play(30, speed: speed, course: 45) { ($0, 0) }
        #expect(evidence.innovation == 0)
    }
}
