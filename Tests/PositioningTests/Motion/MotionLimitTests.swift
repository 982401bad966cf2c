import Testing

@testable import Positioning

/// The limits that `docs/motion.md` states, each from both sides.
@Suite struct MotionLimitTests {
    private func rested() -> Journey {
        var journey = Journey()
        _ = journey.states(along: "rrrrrrrrrrrr")
        return journey
    }

    /// The fixes are one second apart: five of them span four seconds.
    @Test(arguments: [(2, ["rest"]), (3, ["rest"]), (5, ["rest"]), (6, ["rest", "move"])])
    func `after a gap only fixes five seconds apart decide`(outside: Int, story: [String]) {
        var journey = rested()
        journey.silence(3600)
        for _ in 0..<outside { journey.addFix(east: 12, north: 0, speed: 0.2) }
        #expect(journey.story == story)
        if story.count == 1 {
            for _ in 0..<60 { journey.addFix(east: 0, north: 0, speed: 0.2) }
            #expect(journey.story == ["rest"])
        }
    }

    /// Three epochs that go 4.8 m at most: less than the 5 m that walking needs.
    @Test(arguments: [(2.0, 1.4, ["rest"]), (2.9, 1.5, ["rest"]), (3.1, 1.6, ["rest", "move"])])
    func `three epochs faster than 3 metres per second are driving`(speed: Double, step: Double, story: [String]) {
        var journey = rested()
        for epoch in 1...3 { journey.addFix(east: Double(epoch) * step, north: 0, speed: speed) }
        #expect(journey.story == story)
    }

    /// Fixes every eight seconds with a radius of 3.5 m: the bound is 7 m, and one in twenty may
    /// lie outside it.
    @Test(arguments: [(13.0, MotionState.stationary), (15, .unknown), (21, .unknown), (60, .moving)])
    func `one stray fix up to twice the bound does not prevent a rest`(stray: Double, state: MotionState) {
        var journey = Journey(.automotive)
        journey.period = 8
        for number in 0..<26 { journey.addFix(east: number == 10 ? stray : 0, north: 0, speed: 0) }
        #expect(journey.detector.state == state)
    }
}
