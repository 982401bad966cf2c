import Glibc
import Testing

@testable import Positioning

@Suite struct MotionAtAnchorTests {
    /// A boat at anchor swings 20 to 40 m to each side, with a period of five to twenty minutes.
    /// One or two departures are published until the range is known.
    @Test(arguments: [20.0, 25, 30, 40], [300.0, 600, 1200])
    func `a boat swinging at anchor changes state rarely`(width: Double, period: Double) {
        var journey = Journey(.pedestrian, sigma: 1.5)
        for second in 0..<14_400 {
            let turn = 2 * Double.pi * Double(second) / period
            journey.addFix(
                east: width * sin(turn), north: 5 * cos(turn), speed: abs(width * 2 * .pi / period * cos(turn)))
        }
        #expect(journey.story.count <= 8, "\(journey.story)")
    }

    /// The boat drags its anchor at 0.35 m/s.
    @Test func `a drifting boat is moving`() {
        var journey = Journey(.pedestrian)
        _ = journey.states(along: "rrrrrrrrrrrrr")
        for second in 1...300 { journey.addFix(east: 0.35 * Double(second), north: 0, speed: 0.35) }
        #expect(journey.story == ["rest", "move"])
    }
}

@Suite struct MotionInTheAirTests {
    private func flight(
        _ heights: [(seconds: Int, height: Double, climb: Double, speed: Double)],
        threshold: StationaryThreshold = .airborne
    )
        -> Journey
    {
        var journey = Journey(threshold)
        var height = 500.0
        for part in heights {
            for _ in 0..<part.seconds {
                height += part.climb
                let altitude = height
                journey.edit = { fix, _ in fix.altitude = altitude }
                journey.addFix(east: journey.east + part.speed, north: 0, speed: part.speed)
            }
        }
        return journey
    }

    @Test func `an aircraft on the ground is stationary`() {
        #expect(flight([(130, 500, 0, 0)]).story == ["rest"])
    }

    /// A helicopter rises, hovers for ten minutes on one spot and lands there.
    @Test func `a hover is not stationary`() {
        let up = flight([(130, 500, 0, 0), (60, 500, 3, 0), (600, 680, 0, 0)])
        #expect(up.story == ["rest", "move"])
        let down = flight([(130, 500, 0, 0), (60, 500, 3, 0), (600, 680, 0, 0), (60, 680, -3, 0), (200, 500, 0, 0)])
        #expect(down.story == ["rest", "move", "rest"])
    }

    @Test func `a landing at another height is accepted after fifteen minutes`() {
        let up = [(130, 500.0, 0.0, 0.0), (300, 500, 3, 60), (300, 1400, 0, 60)]
        let parts = up + [(200, 1400, -3, 40), (60, 800, 0, 10), (600, 800, 0, 0)]
        #expect(flight(parts).story == ["rest", "move"])
        #expect(flight(parts + [(600, 800, 0, 0)]).story == ["rest", "move", "rest"])
    }

    @Test func `other stationary thresholds ignore the altitude`() {
        #expect(
            flight([(130, 500, 0, 0), (60, 500, 3, 0), (200, 680, 0, 0)], threshold: .pedestrian).story == ["rest"])
    }
}
