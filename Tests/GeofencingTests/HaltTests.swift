import Chronology
import Geodesy
import Positioning
import Testing

@testable import Geofencing

/// A halt such as no brakes make (`docs/motion.md`: a parked receiver ran 62 m in 10 s and halted with 12 m/s²).
@Suite struct HaltTests {
    /// East at a speed for so many seconds, then at once at rest: whether the epoch after the halt is doubtful.
    private static func isDoubtful(speed: Double, seconds: Int) throws -> Bool {
        let start = try #require(Coordinate(latitude: 51.5, longitude: 0))
        var witness = FenceWitness()
        var last: FenceEvidence?
        for second in -20...(seconds + 1) {
            var fix = Fix(mode: .threeD, quality: .autonomous)
            fix.coordinate = start.moved(by: speed * Double(min(max(second, 0), seconds)), bearing: 90)
            (fix.horizontalAccuracy, fix.accuracySource) = (3, .hdop)
            fix.speed = (1...seconds).contains(second) ? speed : 0
            last = witness.take(fix, motion: nil, place: nil, at: .zero + .seconds(Double(second + 20)))
        }
        return try #require(last).isDoubtful
    }

    @Test func theHaltOfAShortRunIsInDoubt() throws {
        #expect(try Self.isDoubtful(speed: 13, seconds: 8))
    }

    @Test func theHaltOfALongWayIsNot() throws {
        #expect(try Self.isDoubtful(speed: 13, seconds: 120) == false)
    }

    @Test func theHaltOfASlowRunIsNot() throws {
        #expect(try Self.isDoubtful(speed: 7, seconds: 8) == false)
    }
}
