import Chronology
import Geodesy
import Testing

@testable import Positioning

@Suite struct MotionDetectorTests {
    private func play(_ way: String, _ patience: MotionPatience = .any, sigma: Double = 0) -> String {
        var journey = Journey(patience, sigma: sigma)
        return journey.play(way)
    }

    @Test func aRestIsFoundAfterThePatience() {
        #expect(play("rrrrrrrrrrrr") == "?????????sss")
        #expect(play("rrrrrrrrrrrrrrrr", .pedestrian) == "????????????ssss")
        #expect(play("rrrrrrrrrrrrrrrrrrrr", .automotive) == "??????????????????ss")
    }

    @Test func aWalkIsSeenWithinSeconds() {
        #expect(play("rrrrrrrrrrrwwwrrrrrrrrrrrr") == "?????????ssmmmmmmmmmmmssss")
        #expect(play("wwwwwww") == "mmmmmmm")
        #expect(play("rrrrrrrrrrrcccc") == "?????????ssmmmm")
    }

    /// Red lights last 90 s; only who waits for cars is not to pause there.
    @Test func aRedLightOfNinetySecondsIsNoRestForACar() {
        #expect(play("ccccrrrrrrrrrcccc", .automotive) == "mmmmmmmmmmmmmmmmm")
        #expect(play("ccccrrrrrrrrrrrrrrrrrrrrcccc", .automotive) == "mmmmmmmmmmmmmmmmmmmmmsssmmmm")
        #expect(play("ccccrrrrrrrrrrrcccc", .any) == "mmmmmmmmmmmmsssmmmm")
    }

    /// A pedestrian's waits at crossings, up to a minute, change nothing.
    @Test func aWalkWithStops() {
        var journey = Journey(.any, sigma: 1.7)
        _ = journey.play(String(repeating: "wwwwwwwwwrrrrwwwwrrrrrr", count: 10))
        #expect(journey.story == ["move"])
    }

    /// Somebody slams a door, the receiver shifts a foot and Doppler shows it for a second or two.
    @Test func aSlammedDoorIsNoDeparture() {
        var journey = Journey()
        _ = journey.play("rrrrrrrrrrr")
        for (speed, east) in [(1.2, 0.4), (0.9, 0.9), (0.3, 1.1), (0.1, 1.0)] { journey.put(east: east, north: 0, speed: speed) }
        #expect(journey.play("rrrrr") == "sssss")
    }

    @Test func aQueueThatCreepsIsNoRest() {
        #expect(play("qqqqqqqqqqqqqqqqqqqq").contains("s") == false)
    }

    /// 0.05 m/s is 3 m in a minute: within the error of any fix, so at first it is a rest; it must not drag its place along for ever.
    @Test func aSlowDriftIsNoticedAfterTensOfMetres() {
        var journey = Journey()
        _ = journey.play(String(repeating: "d", count: 120))
        #expect(abs(journey.east - 60) < 1e-6)
        #expect(journey.story.prefix(2) == ["rest", "move"])
        #expect(journey.story.count <= 4)
    }

    @Test func noSkyForHoursChangesNothing() {
        #expect(play("rrrrrrrrrrrrr" + String(repeating: "x", count: 1000) + "rrr").hasSuffix("sss"))
        var journey = Journey()
        _ = journey.play("rrrrrrrrrrrrr" + String(repeating: "x", count: 1000) + "rrr")
        #expect(journey.story == ["rest"])
    }

    /// A car in a tunnel, or parked under a roof: nobody can tell.
    @Test func movementIsForgottenWithoutASky() {
        var journey = Journey()
        let answer = journey.play("cccc" + String(repeating: "x", count: 62))
        #expect(journey.story == ["move", "lost"])
        #expect(answer.hasSuffix("mm???"))
        #expect(journey.detector.deadline == nil)
    }

    @Test func silenceIsForgottenByTheDeadline() {
        var journey = Journey()
        _ = journey.play("cccc")
        #expect(journey.detector.deadline == journey.now + .seconds(600))
        journey.silence(601)
        #expect(journey.told.last == .becameUnknown(since: .zero + .seconds(40)))
    }

    /// Epochs without a position are no evidence of rest.
    @Test func halfTheEpochsAreNotEnough() {
        #expect(play("xrxrxrxrxrxrxrxrxrxr").contains("s") == false)
    }

    /// A receiver that is woken every ten seconds has no position in its first epochs each time, which says nothing of the sky.
    @Test func whatSleepsBetweenFixesCanRest() {
        var journey = Journey()
        for _ in 0..<11 {
            journey.silence(7)
            journey.none(2)
            journey.put(east: 0, north: 0, speed: 0)
        }
        #expect(journey.story == ["rest"])
    }

    @Test(arguments: [0.1, 0.2, 1, 2, 5, 10])
    func anyRate(period: Double) {
        var journey = Journey()
        journey.period = period
        _ = journey.play("rrrrrrrrrrrrwwwwwwrrrrrrrrrrrr")
        #expect(journey.story == ["rest", "move", "rest"])
    }

    @Test func withoutDoppler() {
        var journey = Journey()
        journey.hasDoppler = false
        #expect(journey.play("rrrrrrrrrrrwwwwrrrrrrrrrrrrrr") == "?????????sssmmmmmmmmmmmssssss")
    }

    /// A fix's radius of 40 m makes nothing of what a walk goes in a minute.
    @Test func aPoorSkyHidesNoWalk() {
        var journey = Journey(.any, sigma: 10)
        journey.radius = 40
        _ = journey.play(String(repeating: "w", count: 30))
        #expect(journey.story == ["move"])
    }

    /// A still receiver whose positions wander 20 m and whose radius says so.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func aPoorSkyIsNoMovementWhereTheRadiusSaysSo(seed: UInt64) {
        var journey = Journey(.any, sigma: 8, seed: seed)
        journey.radius = 12
        _ = journey.play(String(repeating: "r", count: 360))
        #expect(journey.story.count { $0 == "move" } <= 1)
        #expect(journey.detector.state == .stationary)
    }

    /// The instant from which a movement counts is when the speed began, not when it was believed.
    @Test func movementIsDatedBack() {
        var journey = Journey()
        _ = journey.play("rrrrrrrrrrrcc")
        let since = journey.told.compactMap { if case .becameMoving(let since) = $0 { since } else { nil } }.last
        #expect(since == .zero + .seconds(111))
    }
}
