import Chronology
import Geodesy
import Positioning
import Testing

@testable import Geofencing

/// A halt that no brakes can make (`docs/motion.md`: a parked receiver reported a run of 62 m in 10
/// s and a halt at 12 m/s²).
@Suite struct ImplausibleHaltTests {
    /// Drives east at a speed for some seconds, then stops at once; returns whether the epoch after
    /// the halt is doubtful.
    private static func needsLongerConfirmation(speed: Double, seconds: Int) throws -> Bool {
        let start = try #require(Coordinate(latitude: 51.5, longitude: 0))
        var evidenceBuilder = EvidenceBuilder()
        var last: FenceEvidence?
        for second in -20...(seconds + 1) {
            var fix = Fix(mode: .threeD, quality: .autonomous)
            fix.coordinate = start.moved(by: speed * Double(min(max(second, 0), seconds)), bearing: 90)
            (fix.horizontalAccuracy, fix.accuracySource) = (3, .hdop)
            fix.speed = (1...seconds).contains(second) ? speed : 0
            last = evidenceBuilder.process(
                fix, motion: nil, stationaryPosition: nil, at: .zero + .seconds(Double(second + 20)))
        }
        return try #require(last).needsLongerConfirmation
    }

    @Test func `the halt of a short fast run is doubtful`() throws {
        #expect(try Self.needsLongerConfirmation(speed: 13, seconds: 8))
    }

    @Test func `the halt of a long run is not doubtful`() throws {
        #expect(try Self.needsLongerConfirmation(speed: 13, seconds: 120) == false)
    }

    @Test func `the halt of a slow run is not doubtful`() throws {
        #expect(try Self.needsLongerConfirmation(speed: 7, seconds: 8) == false)
    }
}
