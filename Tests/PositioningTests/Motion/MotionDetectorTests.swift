import Chronology
import Testing

@testable import Positioning

@Suite struct MotionDetectorTests {
    private func states(along path: String, threshold: StationaryThreshold = .any, sigma: Double = 0) -> String {
        var journey = Journey(threshold, sigma: sigma)
        return journey.states(along: path)
    }

    @Test func `the stationary state begins after the threshold`() {
        #expect(states(along: "rrrrrrrrrrrr") == "?????????sss")
        #expect(states(along: "rrrrrrrrrrrrrrrr", threshold: .pedestrian) == "????????????ssss")
        #expect(states(along: "rrrrrrrrrrrrrrrrrrrr", threshold: .automotive) == "??????????????????ss")
    }

    @Test func `a walk is detected within seconds`() {
        #expect(states(along: "rrrrrrrrrrrwwwrrrrrrrrrrrr") == "?????????ssmmmmmmmmmmmssss")
        #expect(states(along: "wwwwwww") == "mmmmmmm")
        #expect(states(along: "rrrrrrrrrrrcccc") == "?????????ssmmmm")
    }

    /// Red lights last 90 s; only the automotive threshold must not pause there.
    @Test func `a car at a red light for 90 seconds is not stationary`() {
        #expect(states(along: "ccccrrrrrrrrrcccc", threshold: .automotive) == "mmmmmmmmmmmmmmmmm")
        #expect(states(along: "ccccrrrrrrrrrrrrrrrrrrrrcccc", threshold: .automotive) == "mmmmmmmmmmmmmmmmmmmmmsssmmmm")
        #expect(states(along: "ccccrrrrrrrrrrrcccc", threshold: .any) == "mmmmmmmmmmmmsssmmmm")
    }

    /// A pedestrian's stops at crossings, up to a minute, change nothing.
    @Test func `a walk with stops stays moving`() {
        var journey = Journey(.any, sigma: 1.7)
        _ = journey.states(along: String(repeating: "wwwwwwwwwrrrrwwwwrrrrrr", count: 10))
        #expect(journey.story == ["move"])
    }

    /// A slammed door shifts the receiver by a foot, and Doppler shows it for a second or two.
    @Test func `a slammed door is not a departure`() {
        var journey = Journey()
        _ = journey.states(along: "rrrrrrrrrrr")
        for (speed, east) in [(1.2, 0.4), (0.9, 0.9), (0.3, 1.1), (0.1, 1.0)] {
            journey.addFix(east: east, north: 0, speed: speed)
        }
        #expect(journey.states(along: "rrrrr") == "sssss")
    }

    @Test func `a creeping queue is not stationary`() {
        #expect(states(along: "qqqqqqqqqqqqqqqqqqqq").contains("s") == false)
    }

    /// 0.05 m/s is 3 m in a minute, which is within the error of any fix, so the device is first
    /// stationary. The resting position must not follow the drift forever.
    @Test func `a slow drift is detected within tens of metres`() {
        var journey = Journey()
        _ = journey.states(along: String(repeating: "d", count: 120))
        #expect(abs(journey.east - 60) < 1e-6)
        #expect(journey.story.prefix(2) == ["rest", "move"])
        #expect(journey.story.count <= 4)
    }

    @Test func `hours without sky keep the stationary state`() {
        #expect(states(along: "rrrrrrrrrrrrr" + String(repeating: "x", count: 1000) + "rrr").hasSuffix("sss"))
        var journey = Journey()
        _ = journey.states(along: "rrrrrrrrrrrrr" + String(repeating: "x", count: 1000) + "rrr")
        #expect(journey.story == ["rest"])
    }

    /// A car in a tunnel cannot be distinguished from a car parked under a roof.
    @Test func `the moving state expires without sky`() {
        var journey = Journey()
        let answer = journey.states(along: "cccc" + String(repeating: "x", count: 62))
        #expect(journey.story == ["move", "lost"])
        #expect(answer.hasSuffix("mm???"))
        #expect(journey.detector.deadline == nil)
    }

    @Test func `the moving state expires during silence`() {
        var journey = Journey()
        _ = journey.states(along: "cccc")
        #expect(journey.detector.deadline == journey.now + .seconds(600))
        journey.silence(601)
        #expect(journey.actions.last == .becameUnknown(since: .zero + .seconds(40)))
    }

    /// Epochs without a position are no evidence of rest.
    @Test func `a position in half of the epochs is not enough for rest`() {
        #expect(states(along: "xrxrxrxrxrxrxrxrxrxr").contains("s") == false)
    }

    /// A receiver that wakes every ten seconds has no position in its first epochs. This does not
    /// mean that the sky is blocked.
    @Test func `a receiver that sleeps between fixes can be stationary`() {
        var journey = Journey()
        for _ in 0..<11 {
            journey.silence(7)
            journey.addEpochsWithoutPosition(2)
            journey.addFix(east: 0, north: 0, speed: 0)
        }
        #expect(journey.story == ["rest"])
    }

    @Test(arguments: [0.1, 0.2, 1, 2, 5, 10])
    func `any fix rate works`(period: Double) {
        var journey = Journey()
        journey.period = period
        _ = journey.states(along: "rrrrrrrrrrrrwwwwwwrrrrrrrrrrrr")
        #expect(journey.story == ["rest", "move", "rest"])
    }

    @Test func `detection works without Doppler`() {
        var journey = Journey()
        journey.hasDoppler = false
        #expect(journey.states(along: "rrrrrrrrrrrwwwwrrrrrrrrrrrrrr") == "?????????sssmmmmmmmmmmmssssss")
    }

    /// With an accuracy of 40 m, the distance of a one-minute walk is within the error.
    @Test func `a poor sky does not hide a walk`() {
        var journey = Journey(.any, sigma: 10)
        journey.radius = 40
        _ = journey.states(along: String(repeating: "w", count: 30))
        #expect(journey.story == ["move"])
    }

    /// A stationary receiver whose positions wander 20 m, with a matching accuracy.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `position noise within the accuracy is not movement`(seed: UInt64) {
        var journey = Journey(.any, sigma: 8, seed: seed)
        journey.radius = 12
        _ = journey.states(along: String(repeating: "r", count: 360))
        #expect(journey.story.count { $0 == "move" } <= 1)
        #expect(journey.detector.state == .stationary)
    }

    /// A movement counts from the start of the speed, not from its confirmation.
    @Test func `the start of a movement is dated back`() {
        var journey = Journey()
        _ = journey.states(along: "rrrrrrrrrrrcc")
        let since = journey.actions.compactMap { if case .becameMoving(let since) = $0 { since } else { nil } }.last
        #expect(since == .zero + .seconds(111))
    }
}
