import Chronology
import Geodesy
import Testing

@testable import Positioning

@Suite struct VisitDetectorTests {
    /// A journey whose fixes also reach a visit detector, with the published visits and their
    /// instants.
    private struct VisitScenario {
        var visits = VisitDetector()
        var motion = MotionDetector(.any)
        var now = Instant.zero
        var east = 0.0
        var actions: [(VisitAction, Instant)] = []

        mutating func stay(_ seconds: Int, pacing: Double = 0) {
            for second in 0..<seconds { addFix(east: east + (second / 30 % 2 == 0 ? 0 : pacing), speed: 0) }
        }

        mutating func go(_ metres: Double, speed: Double) {
            for _ in 0..<Int(metres / speed) {
                east += speed
                addFix(east: east, speed: speed)
            }
        }

        mutating func silence(_ seconds: Double) {
            let end = now + .seconds(seconds)
            if let due = visits.deadline, due <= end, let action = visits.tick(at: due) {
                actions.append((action, due))
            }
            now = end
        }

        private mutating func addFix(east: Double, speed: Double) {
            now = now + .seconds(1)
            var fix = Fix(mode: .threeD, quality: .autonomous)
            fix.coordinate = Journey.plane.coordinate(at: LocalPlane.Offset(east: east, north: 0))
            fix.horizontalAccuracy = 4
            fix.speed = speed
            fix.time = UTCTime(milliseconds: now.nanoseconds / 1_000_000)
            _ = motion.process(fix, at: now)
            if let action = visits.process(fix, state: motion.state, at: now) { actions.append((action, now)) }
        }

        var story: [String] {
            actions.map { action, at in
                switch action {
                case .arrived(let visit):
                    "arrived \(Int((visit.arrival.at - .zero).seconds)) published \(Int((at - .zero).seconds))"
                case .departed(let visit): "departed \(Int(((visit.departure?.at ?? .zero) - .zero).seconds))"
                }
            }
        }
    }

    @Test func `a stay of five minutes is a visit`() {
        var scenario = VisitScenario()
        scenario.stay(400)
        #expect(scenario.story == ["arrived 1 published 301"])
        #expect(scenario.visits.visit?.arrival.time == UTCTime(milliseconds: 1000))
    }

    /// The departure has the time of the last fix at the place, and is published soon after.
    @Test func `a departure is dated back`() {
        var scenario = VisitScenario()
        scenario.stay(600)
        scenario.go(600, speed: 5)
        #expect(scenario.story.count == 2)
        #expect(
            scenario.story.last.map { $0.hasPrefix("departed 60") || $0.hasPrefix("departed 61") } == true,
            "\(scenario.story)")
    }

    @Test func `a journey between places has an arrival and a departure at each`() {
        var scenario = VisitScenario()
        for _ in 0..<3 {
            scenario.stay(900)
            scenario.go(3000, speed: 10)
        }
        #expect(scenario.story.count == 6)
        #expect(scenario.story.count { $0.hasPrefix("arrived") } == 3)
    }

    @Test func `a walk has no visits`() {
        var scenario = VisitScenario()
        scenario.go(5000, speed: 1.4)
        #expect(scenario.story == [])
    }

    /// Three minutes at a level crossing are not a visit either.
    @Test func `a short stop is not a visit`() {
        var scenario = VisitScenario()
        scenario.go(2000, speed: 10)
        scenario.stay(180)
        scenario.go(2000, speed: 10)
        #expect(scenario.story == [])
    }

    /// Walking around in a building and its yard is one visit.
    @Test func `walking around within a place is one visit`() {
        var scenario = VisitScenario()
        scenario.stay(300)
        for _ in 0..<10 {
            scenario.go(30, speed: 1)
            scenario.stay(120)
            scenario.go(-30, speed: -1)
            scenario.stay(120)
        }
        #expect(scenario.story.count == 1, "\(scenario.story)")
    }

    /// The receiver sleeps: the deadline publishes the arrival, and hours without a fix end
    /// nothing.
    @Test func `a visit starts and ends with a sleeping receiver`() {
        var scenario = VisitScenario()
        scenario.stay(150)
        #expect(scenario.visits.deadline == .zero + .seconds(301))
        scenario.silence(30_000)
        #expect(scenario.story == ["arrived 1 published 301"])
        scenario.stay(20)
        scenario.silence(30_000)
        scenario.east += 5000
        scenario.stay(60)
        #expect(scenario.story.count == 2 && scenario.story[1].hasPrefix("departed 30"), "\(scenario.story)")
    }

    @Test func `an outlier does not end a visit`() {
        var scenario = VisitScenario()
        scenario.stay(600)
        scenario.east += 400
        scenario.stay(12)
        scenario.east -= 400
        scenario.stay(600)
        #expect(scenario.story.count == 1)
    }

    @Test func `two single outliers that are hours apart do not end a visit`() {
        var scenario = VisitScenario()
        scenario.stay(600)
        for _ in 0..<2 {
            scenario.east += 400
            scenario.stay(5)
            scenario.east -= 400
            scenario.stay(7200)
        }
        #expect(scenario.story.count == 1, "\(scenario.story)")
    }

    @Test func `the radius covers the positions of the visit`() throws {
        var scenario = VisitScenario()
        scenario.stay(900, pacing: 7)
        let visit = try #require(scenario.visits.visit)
        #expect((3.0...7).contains(visit.radius))
        #expect(abs(Journey.plane.offset(of: visit.coordinate).east - 3.5) < 3)
    }
}

@Suite struct SignificantChangeTests {
    private func admitted(_ places: [(second: Double, east: Double)], radius: Double = 5) -> [Bool] {
        var change = SignificantChangeFilter()
        return places.map { second, east in
            var fix = Fix(mode: .threeD, quality: .autonomous)
            fix.coordinate = Journey.plane.coordinate(at: LocalPlane.Offset(east: east, north: 0))
            fix.horizontalAccuracy = radius
            return change.admits(fix, at: .zero + .seconds(second))
        }
    }

    @Test func `a significant change is 500 metres and five minutes`() {
        let actions = admitted([(0, 0), (10, 600), (299, 2000), (300, 2000), (599, 4000), (600, 4000)])
        #expect(actions == [true, false, false, true, false, true])
        #expect(admitted([(0, 0), (1000, 499), (1001, 501)]) == [true, false, true])
    }

    /// Positions with an accuracy of one kilometre must be farther apart than that.
    @Test func `inaccurate positions must be farther apart`() {
        #expect(admitted([(0, 0), (1000, 2000), (2000, 3000)], radius: 1000) == [true, false, true])
    }

    @Test func `a fix without a position is no significant change`() {
        var change = SignificantChangeFilter()
        #expect(change.admits(Fix(), at: .zero) == false)
    }
}
