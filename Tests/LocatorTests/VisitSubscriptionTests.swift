import Chronology
import Geodesy
import Locator
import Positioning
import Testing

/// Visits, for clients that watch nothing else.
@Suite struct VisitSubscriptionTests {
    private func watching() -> Stage {
        var stage = Stage()
        stage.attach(1)
        stage.watchVisits(9)
        return stage
    }

    @Test func `the first reply is the state and an arrival is dated back`() throws {
        var stage = watching()
        #expect(stage.visits(9) == [nil])
        stage.fixes(1, from: 0, seconds: 290)
        #expect(stage.visits(9) == [nil])
        stage.fixes(1, from: 290, seconds: 15)
        let visit = try #require(stage.visits(9).last ?? nil)
        #expect(visit.arrival.time?.description.prefix(19) == "2026-11-21T12:00:00" && visit.departure == nil)
        #expect(stage.visits(9).count == 2)
    }

    @Test func `a departure is published once`() throws {
        var stage = watching()
        stage.fixes(1, from: 0, seconds: 310)
        stage.clearEffects()
        stage.drive(1, from: 310, seconds: 90)
        #expect(stage.visits(9).count == 1)
        let visit = try #require(stage.visits(9).first ?? nil)
        let departure = try #require(visit.departure?.time)
        #expect((300...325).contains(departure.span(since: try #require(visit.arrival.time)).seconds))
        stage.watchVisits(8)
        #expect(stage.visits(8) == [nil])
    }

    @Test func `a new watcher gets a known visit at once`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1, configuration: .default)
        stage.fixes(1, from: 0, seconds: 400)
        stage.watchVisits(9)
        let visit = try #require(stage.visits(9).first ?? nil)
        #expect(visit.arrival.time?.description.prefix(19) == "2026-11-21T12:00:00" && visit.departure == nil)
    }

    /// The visit that was open when another run ended.
    private func earlier(north degrees: Double = 0) throws -> Stay {
        Stay(
            coordinate: try #require(Coordinate(latitude: 47.285233 + degrees, longitude: 8.565265)), radius: 5,
            arrival: Stay.Moment(at: .zero, time: UTCTime(milliseconds: 1_795_000_000_000)))
    }

    @Test func `a visit of an earlier run continues, and its departure is the last time at the place`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.watchVisits(9, continuing: try earlier())
        #expect(stage.visits(9) == [stage.locator.currentVisit(at: stage.now)])
        stage.fixes(1, from: 0, seconds: 60)
        #expect(stage.visits(9).count == 1)
        stage.drive(1, from: 60, seconds: 90)
        let visit = try #require(stage.visits(9).last ?? nil)
        #expect(visit.arrival.time?.milliseconds == 1_795_000_000_000)
        #expect(visit.departure?.time?.description.prefix(18) == "2026-11-21T12:01:0")
        #expect(stage.visits(9).count == 2)
    }

    @Test func `a visit of an earlier run that is over ends without a departure time`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.watchVisits(9, continuing: try earlier(north: 0.01))
        stage.fixes(1, from: 0, seconds: 60)
        let visit = try #require(stage.visits(9).last ?? nil)
        #expect(visit.departure != nil && visit.departure?.time == nil)
        #expect(visit.arrival.time?.milliseconds == 1_795_000_000_000)
        stage.fixes(1, from: 60, seconds: 300)
        let next = try #require(stage.visits(9).last ?? nil)
        #expect(next.departure == nil && next.arrival.time?.description.prefix(18) == "2026-11-21T12:00:0")
        #expect(stage.visits(9).count == 3)
    }

    @Test func `a device that rests elsewhere does not continue a visit`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1, configuration: .default)
        stage.fixes(1, from: 0, seconds: 400)
        stage.watchVisits(9, continuing: try earlier(north: 0.01))
        let visit = try #require(stage.visits(9).first ?? nil)
        #expect(visit.arrival.time?.description.prefix(19) == "2026-11-21T12:00:00")
    }

    @Test func `a rest becomes a visit while the receiver sleeps`() throws {
        var stage = watching()
        stage.fixes(1, from: 0, seconds: 100)
        stage.wait(250)
        #expect(stage.visits(9).count == 2)
    }

    @Test func `visits need a fix only every half minute`() {
        var stage = Stage()
        stage.locator.emitsPlans = true
        stage.attach(1)
        stage.watchVisits(9)
        #expect(stage.plans(1).last == .run(RunPlan(isDutyCycleFix: true)))
        stage.fix(1, second: 0)
        stage.wait(1)
        guard case .sleep(let until)? = stage.plans(1).last else {
            Issue.record("it does not sleep: \(stage.plans(1))")
            return
        }
        #expect((25...30).contains((until - stage.now).seconds))
        stage.locator.cancel([RequestID(9)])
        stage.wait(40)
        #expect(stage.plans(1).last == .sleepIndefinitely && stage.locator.deadline() == nil)
    }
}

extension Stage {
    /// Returns the visits published to a watcher.
    func visits(_ number: Int) -> [Stay?] {
        effects.compactMap { effect -> Stay?? in
            guard case .visit(let visit, let watchers) = effect, watchers.contains(RequestID(number)) else {
                return nil
            }
            return .some(visit)
        }
    }
}
