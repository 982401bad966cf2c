import Chronology
import Geodesy
import Testing

@testable import Positioning

/// Receiver errors while a device rests.
@Suite struct MotionFaultTests {
    private func rested(_ threshold: StationaryThreshold = .any) -> Journey {
        var journey = Journey(threshold)
        _ = journey.states(along: "rrrrrrrrrrrr")
        return journey
    }

    @Test func `a position spike is not movement`() {
        var journey = rested()
        for east in [300.0, 0, 0, 250, -300, 0, 0, 0, 0, 0] { journey.addFix(east: east, north: 0, speed: 0) }
        #expect(journey.story == ["rest"])
    }

    /// While a device with several receivers rests, they wake for a check one after another.
    @Test func `the first position after a gap counts, however soon it follows an epoch without one`() {
        var journey = rested()
        journey.silence(40)
        journey.addEpochsWithoutPosition(1)
        journey.period = 0.6
        journey.addFix(east: 400, north: 0, speed: 0)
        #expect(journey.detector.mayHaveDeparted)
    }

    @Test func `a position spike without Doppler is not movement`() {
        var journey = rested()
        for east in [80.0, 0, 0, 0, 90, 0, 0, 0] { journey.addFix(east: east, north: 0, speed: nil) }
        #expect(journey.story == ["rest"])
    }

    /// Three fixes in a row elsewhere are not a spike but a new position, which is then compared as
    /// after a gap.
    @Test func `a jump that persists is movement`() {
        var journey = rested()
        for _ in 0..<20 { journey.addFix(east: 300, north: 0, speed: 0) }
        #expect(journey.story == ["rest", "move"])
    }

    /// tkforbes/py-sandbox 2020-10-04, seconds 3524 to 3595, of a parked receiver: 62 m in ten
    /// seconds with matching Doppler speed, a halt from 13.3 to 0.7 m/s within one second, and back
    /// in a minute with Doppler near 0. The test draws the figures of the record.
    @Test(arguments: StationaryThreshold.allCases)
    func `a run that returns without Doppler speed is retracted`(threshold: StationaryThreshold) {
        var journey = Journey(threshold)
        _ = journey.states(along: "rrrrrrrrrrrrrrrrrrrrrrrr")
        let before = journey.detector.restingPlace
        var east = 0.0
        for speed in [3.9, 6.5, 9.2, 11.8, 14.2, 16.4, 13.3] {
            east += speed * 0.83
            journey.addFix(east: east, north: 0, speed: speed)
        }
        #expect((east - 62).magnitude < 1)
        #expect(journey.story == ["rest", "move"])
        journey.addFix(east: east, north: 0, speed: 0.7)
        while east > 3 {
            east -= east > 20 ? 1.7 : 0.8
            journey.addFix(east: east, north: 0, speed: 0.1)
        }
        _ = journey.states(along: "rrrrrr")
        #expect(journey.story == ["rest", "move", "back"])
        #expect(journey.detector.state == .stationary)
        #expect(journey.detector.restingPlace?.since == before?.since)
    }

    /// The same track with Doppler speed in both directions is a movement.
    @Test func `a run that returns with Doppler speed is movement`() {
        var journey = rested()
        for step in 1...12 { journey.addFix(east: 5 * Double(step), north: 0, speed: 5) }
        for step in 1...12 { journey.addFix(east: 60 - 5 * Double(step), north: 0, speed: 5) }
        _ = journey.states(along: "rrrrrrrrrrrr")
        #expect(journey.story == ["rest", "move", "rest"])
    }

    @Test func `a gap at rest keeps the stationary state`() {
        for off in [0.0, 7, 9] {
            var journey = rested()
            journey.silence(3600)
            // The first fixes after a start are the worst.
            for second in 0..<8 { journey.addFix(east: off - off / 8 * Double(second), north: 0, speed: 0.2) }
            _ = journey.states(along: "rrr")
            #expect(journey.story == ["rest"])
        }
    }

    @Test func `a new position after a gap is movement`() {
        var journey = rested()
        let end = journey.now
        journey.silence(3600)
        for _ in 0..<7 { journey.addFix(east: 40, north: 0, speed: 0) }
        #expect(journey.actions.last == .becameMoving(since: end))
        _ = journey.states(along: "rrrrrrrrrr")
        #expect(journey.story == ["rest", "move", "rest"])
    }

    /// One fix a minute from a receiver that sleeps in between: the second distant fix decides.
    @Test func `the second distant fix of a receiver with one fix a minute decides`() {
        var journey = rested()
        for _ in 0..<5 {
            journey.silence(60)
            journey.addFix(east: 3, north: 0, speed: 0)
        }
        #expect(journey.story == ["rest"])
        for far in 1...2 {
            journey.silence(60)
            journey.addFix(east: 500 * Double(far), north: 0, speed: 12)
        }
        #expect(journey.story == ["rest", "move"])
    }

    /// A new continent, as after a flight with the receiver off.
    @Test func `a new continent after a gap is movement`() {
        var journey = rested()
        journey.silence(36_000)
        journey.edit = { fix, _ in fix.coordinate?.latitude = -33 }
        _ = journey.states(along: "rrrrrrrrrrrrr")
        #expect(journey.story == ["rest", "move", "rest"])
        #expect(abs((journey.detector.restingPlace?.coordinate.latitude ?? 0) + 33) < 1e-6)
    }

    /// Static hold freezes position and speed below its threshold, and jumps when it ends.
    @Test func `a frozen position is stationary and gains no accuracy`() {
        var journey = Journey()
        _ = journey.states(along: "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr")
        #expect(journey.story == ["rest"])
        #expect(journey.detector.restingPlace?.horizontalAccuracy == 3.5)
        for step in 1...4 { journey.addFix(east: 8 + 1.5 * Double(step), north: 0, speed: 1.5) }
        _ = journey.states(along: "ww")
        #expect(journey.story == ["rest", "move"])
    }

    @Test func `small steps of a frozen position are not movement`() {
        var journey = rested()
        for place in [0.0, 4, 2, 6, 3] { for _ in 0..<60 { journey.addFix(east: place, north: 0, speed: 0) } }
        #expect(journey.story == ["rest"])
    }

    /// Values that no receiver should report.
    @Test func `invalid values change nothing`() {
        var journey = Journey()
        journey.edit = { fix, second in
            switch Int(second) % 5 {
            case 0: fix.speed = .nan
            case 1: fix.horizontalAccuracy = .infinity
            case 2: fix.speed = .infinity
            case 3: fix.horizontalAccuracy = .nan
            default: fix.altitude = .nan
            }
        }
        _ = journey.states(along: "rrrrrrrrrrrrcccc")
        #expect(
            journey.detector.restingPlace == nil || journey.detector.restingPlace?.horizontalAccuracy.isFinite == true)
    }
}
