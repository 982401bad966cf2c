import Chronology
import Geodesy
import Testing

@testable import Positioning

@Suite struct MotionDetectorTests {
    private func play(_ way: String, _ timeout: StationaryThreshold = .any, sigma: Double = 0) -> String {
        var journey = Journey(timeout, sigma: sigma)
        return journey.play(way)
    }

    @Test func `the stationary state begins after the threshold`() {
        #expect(play("rrrrrrrrrrrr") == "?????????sss")
        #expect(play("rrrrrrrrrrrrrrrr", .pedestrian) == "????????????ssss")
        #expect(play("rrrrrrrrrrrrrrrrrrrr", .automotive) == "??????????????????ss")
    }

    @Test func `a walk is detected within seconds`() {
        #expect(play("rrrrrrrrrrrwwwrrrrrrrrrrrr") == "?????????ssmmmmmmmmmmmssss")
        #expect(play("wwwwwww") == "mmmmmmm")
        #expect(play("rrrrrrrrrrrcccc") == "?????????ssmmmm")
    }

    /// Red lights last 90 s; only the automotive threshold must not pause there.
    @Test func `a car at a red light for 90 seconds is not stationary`() {
        #expect(play("ccccrrrrrrrrrcccc", .automotive) == "mmmmmmmmmmmmmmmmm")
        #expect(play("ccccrrrrrrrrrrrrrrrrrrrrcccc", .automotive) == "mmmmmmmmmmmmmmmmmmmmmsssmmmm")
        #expect(play("ccccrrrrrrrrrrrcccc", .any) == "mmmmmmmmmmmmsssmmmm")
    }

    /// A pedestrian's stops at crossings, up to a minute, change nothing.
    @Test func `a walk with stops stays moving`() {
        var journey = Journey(.any, sigma: 1.7)
        _ = journey.play(String(repeating: "wwwwwwwwwrrrrwwwwrrrrrr", count: 10))
        #expect(journey.story == ["move"])
    }

    /// A slammed door shifts the receiver by a foot, and Doppler shows it for a second or two.
    @Test func `a slammed door is not a departure`() {
        var journey = Journey()
        _ = journey.play("rrrrrrrrrrr")
        for (speed, east) in [(1.2, 0.4), (0.9, 0.9), (0.3, 1.1), (0.1, 1.0)] {
            journey.put(east: east, north: 0, speed: speed)
        }
        #expect(journey.play("rrrrr") == "sssss")
    }

    @Test func `a creeping queue is not stationary`() {
        #expect(play("qqqqqqqqqqqqqqqqqqqq").contains("s") == false)
    }

    /// 0.05 m/s is 3 m in a minute, which is within the error of any fix, so the device is first
    /// stationary. The resting position must not follow the drift forever.
    @Test func `a slow drift is detected within tens of metres`() {
        var journey = Journey()
        _ = journey.play(String(repeating: "d", count: 120))
        #expect(abs(journey.east - 60) < 1e-6)
        #expect(journey.story.prefix(2) == ["rest", "move"])
        #expect(journey.story.count <= 4)
    }

    @Test func `hours without sky keep the stationary state`() {
        #expect(play("rrrrrrrrrrrrr" + String(repeating: "x", count: 1000) + "rrr").hasSuffix("sss"))
        var journey = Journey()
        _ = journey.play("rrrrrrrrrrrrr" + String(repeating: "x", count: 1000) + "rrr")
        #expect(journey.story == ["rest"])
    }

    /// A car in a tunnel and a car parked under a roof look the same.
    @Test func `the moving state expires without sky`() {
        var journey = Journey()
        let answer = journey.play("cccc" + String(repeating: "x", count: 62))
        #expect(journey.story == ["move", "lost"])
        #expect(answer.hasSuffix("mm???"))
        #expect(journey.detector.deadline == nil)
    }

    @Test func `the moving state expires during silence`() {
        var journey = Journey()
        _ = journey.play("cccc")
        #expect(journey.detector.deadline == journey.now + .seconds(600))
        journey.silence(601)
        #expect(journey.told.last == .becameUnknown(since: .zero + .seconds(40)))
    }

    /// Epochs without a position are no evidence of rest.
    @Test func `a position in half of the epochs is not enough for rest`() {
        #expect(play("xrxrxrxrxrxrxrxrxrxr").contains("s") == false)
    }

    /// A receiver that wakes every ten seconds has no position in its first epochs. This does not
    /// mean that the sky is blocked.
    @Test func `a receiver that sleeps between fixes can be stationary`() {
        var journey = Journey()
        for _ in 0..<11 {
            journey.silence(7)
            journey.none(2)
            journey.put(east: 0, north: 0, speed: 0)
        }
        #expect(journey.story == ["rest"])
    }

    @Test(arguments: [0.1, 0.2, 1, 2, 5, 10])
    func `any fix rate works`(period: Double) {
        var journey = Journey()
        journey.period = period
        _ = journey.play("rrrrrrrrrrrrwwwwwwrrrrrrrrrrrr")
        #expect(journey.story == ["rest", "move", "rest"])
    }

    @Test func `detection works without Doppler`() {
        var journey = Journey()
        journey.hasDoppler = false
        #expect(journey.play("rrrrrrrrrrrwwwwrrrrrrrrrrrrrr") == "?????????sssmmmmmmmmmmmssssss")
    }

    /// With an accuracy of 40 m, the distance of a one-minute walk is within the error.
    @Test func `a poor sky does not hide a walk`() {
        var journey = Journey(.any, sigma: 10)
        journey.radius = 40
        _ = journey.play(String(repeating: "w", count: 30))
        #expect(journey.story == ["move"])
    }

    /// A stationary receiver whose positions wander 20 m, with a matching accuracy.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `position noise within the accuracy is not movement`(seed: UInt64) {
        var journey = Journey(.any, sigma: 8, seed: seed)
        journey.radius = 12
        _ = journey.play(String(repeating: "r", count: 360))
        #expect(journey.story.count { $0 == "move" } <= 1)
        #expect(journey.detector.state == .stationary)
    }

    /// A movement counts from the start of the speed, not from its confirmation.
    @Test func `the start of a movement is dated back`() {
        var journey = Journey()
        _ = journey.play("rrrrrrrrrrrcc")
        let since = journey.told.compactMap { if case .becameMoving(let since) = $0 { since } else { nil } }.last
        #expect(since == .zero + .seconds(111))
    }
}
