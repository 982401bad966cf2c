import Chronology
import Geodesy
import Testing

@testable import Positioning

@Suite struct StationaryPlaceTests {
    /// Ten minutes improve the accuracy by a factor of 1.5, hours by at most 2.
    @Test(arguments: [(0.0, 1.0), (1, 0.94), (60, 0.89), (120, 0.85), (600, 0.67), (3600, 0.54), (86_400, 0.5)])
    func `averaging improves the accuracy by little`(seconds: Double, share: Double) {
        #expect(abs(StationaryPlace.averaged(4, over: .seconds(seconds)) / 4 - share) < 0.015)
    }

    @Test func `the averaged accuracy is at least a metre unless one fix is better`() {
        #expect(StationaryPlace.averaged(1.2, over: .seconds(86_400)) == 1)
        #expect(StationaryPlace.averaged(0.1, over: .seconds(86_400)) == 0.1)
    }

    @Test func `short times approach the limit continuously`() {
        let before = StationaryPlace.averaged(4, over: .seconds(0.119))
        let after = StationaryPlace.averaged(4, over: .seconds(0.121))
        #expect(abs(before - after) < 1e-3)
    }

    /// The averaged position is nearer to the truth than single fixes, and its accuracy holds the
    /// truth as often as claimed.
    @Test func `the averaged accuracy contains the truth as often as claimed`() throws {
        var (within, single) = (0, 0)
        for seed in 1...40 as ClosedRange<UInt64> {
            var journey = Journey(.any, sigma: 3.5 / 1.515, seed: seed)
            _ = journey.states(along: String(repeating: "r", count: 60))
            let place = try #require(journey.detector.restingPlace)
            let off = Journey.plane.offset(of: place.coordinate).length
            if off <= place.horizontalAccuracy { within += 1 }
            if off <= 3.5 { single += 1 }
        }
        #expect(within >= 27, "68 % of 40")
        #expect(single > within)
    }
}
