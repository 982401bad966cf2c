import Chronology
import Geodesy
import Testing

@testable import Positioning

@Suite struct RestingPlaceTests {
    /// Ten minutes are worth a factor of one and a half, hours one of two at the most.
    @Test(arguments: [(0.0, 1.0), (1, 0.94), (60, 0.89), (120, 0.85), (600, 0.67), (3600, 0.54), (86_400, 0.5)])
    func averagingGivesLittle(seconds: Double, share: Double) {
        #expect(abs(RestingPlace.averaged(4, over: .seconds(seconds)) / 4 - share) < 0.015)
    }

    @Test func neverBelowAMetreUnlessOneFixIs() {
        #expect(RestingPlace.averaged(1.2, over: .seconds(86_400)) == 1)
        #expect(RestingPlace.averaged(0.1, over: .seconds(86_400)) == 0.1)
    }

    @Test func shortTimesFollowTheLimit() {
        let before = RestingPlace.averaged(4, over: .seconds(0.119))
        let after = RestingPlace.averaged(4, over: .seconds(0.121))
        #expect(abs(before - after) < 1e-3)
    }

    /// The averaged place is nearer to the truth than fixes are, and its radius holds the truth as often as it says.
    @Test func thePlaceIsAsGoodAsItSays() throws {
        var (within, single) = (0, 0)
        for seed in 1...40 as ClosedRange<UInt64> {
            var journey = Journey(.any, sigma: 3.5 / 1.515, seed: seed)
            _ = journey.play(String(repeating: "r", count: 60))
            let place = try #require(journey.detector.restingPlace)
            let off = Journey.plane.offset(of: place.coordinate).length
            if off <= place.horizontalAccuracy { within += 1 }
            if off <= 3.5 { single += 1 }
        }
        #expect(within >= 27, "68 % of 40")
        #expect(single > within)
    }
}
