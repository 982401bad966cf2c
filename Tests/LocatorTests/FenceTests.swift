import Chronology
import Geodesy
import Geofencing
import Locator
import Testing

/// Conditions in the core: they evaluate the fixes of the primary receiver and request no more
/// fixes than necessary.
@Suite struct FenceTests {
    /// The position of ``Stage/fixes(_:from:seconds:hdop:)``.
    static let start = Coordinate(latitude: 47 + 17.11399 / 60, longitude: 8 + 33.9159 / 60)

    private func planned() -> Stage {
        var stage = Stage()
        stage.locator.emitsPlans = true
        stage.attach(1)
        return stage
    }

    @Test func `a fence is monitored without a connected client`() {
        var stage = planned()
        stage.fence(1, metres: 500)
        stage.fixes(1, from: 0, seconds: 20)
        #expect(stage.crossings == ["1 determined unsatisfied"])
        stage.drive(1, from: 20, seconds: 60)
        #expect(stage.crossings == ["1 determined unsatisfied", "1 entered satisfied", "1 left unsatisfied"])
    }

    @Test func `a fence causes no plan and no deadline while the port is absent`() {
        var stage = planned()
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.fence(1, metres: 20_000)
        stage.clearEffects()
        stage.wait(400)
        #expect(stage.plans(1) == [] && stage.locator.deadline() == nil)
        stage.set(.open, of: 1)
        #expect(stage.plans(1) == [.run(RunPlan(isDutyCycleFix: true))])
    }

    @Test func `far from every fence the receiver sleeps until it can be there`() {
        var stage = planned()
        stage.fence(1, metres: 20_000)
        stage.drive(1, from: 0, seconds: 1)
        guard case .sleep(let until)? = stage.plans(1).last else { Issue.record("\(stage.plans(1))"); return }
        let wait = (until - stage.now).seconds
        #expect(wait > 300 && wait < 450)
    }

    @Test func `near a fence the receiver runs`() {
        var stage = planned()
        stage.fence(1, metres: 300)
        stage.drive(1, from: 0, seconds: 20)
        #expect(stage.plans(1).allSatisfy { if case .run = $0 { true } else { $0 == .sleepIndefinitely } })
    }

    @Test func `conditions alone detect the stationary state`() {
        var stage = planned()
        stage.fence(1, metres: 0)
        stage.fixes(1, from: 0, seconds: 120)
        guard case .sleep(let until)? = stage.plans(1).last else { Issue.record("\(stage.plans(1))"); return }
        #expect((until - stage.now).seconds <= 50)
        #expect(stage.crossings == ["1 determined satisfied"])
    }

    @Test func `a removed condition costs nothing`() {
        var stage = planned()
        stage.fence(1, metres: 300)
        stage.drive(1, from: 0, seconds: 5)
        stage.locator.removeConditions([ConditionID(1)], at: stage.now)
        stage.wait(31)
        #expect(stage.plans(1).last == .sleepIndefinitely)
        #expect(stage.locator.deadline() == nil)
    }

    @Test func `a known position determines a new condition at once`() {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 20)
        stage.fence(1, metres: 3000)
        #expect(stage.crossings == ["1 determined unsatisfied"])
        stage.fence(2, metres: 0)
        stage.wait(0.1)
        #expect(stage.crossings == ["1 determined unsatisfied", "2 determined satisfied"])
    }

    @Test func `a determination that agrees with the assumed state is handed out once`() {
        var stage = Stage()
        stage.attach(1)
        stage.fence(1, metres: 3000, assuming: .unsatisfied)
        stage.fence(2, metres: 0, assuming: .satisfied)
        stage.fence(3, metres: 3000, assuming: .satisfied)
        stage.fixes(1, from: 0, seconds: 60)
        #expect(stage.crossings == ["3 determined unsatisfied"])
        #expect(stage.determinations.map(\.condition.rawValue).sorted() == [1, 2])
        let states = stage.determinations.sorted { $0.condition < $1.condition }.map(\.snapshot.state)
        #expect(states == [.unsatisfied, .satisfied])
        #expect(stage.determinations.allSatisfy { $0.date != nil })
        stage.fixes(1, from: 60, seconds: 60)
        #expect(stage.determinations.count == 2)
    }

    @Test func `only the primary receiver moves conditions`() {
        var stage = Stage()
        stage.attach(1)
        stage.attach(2)
        stage.fence(1, metres: 1000)
        for second in 0..<90 {
            stage.fix(1, second: second, hdop: 1)
            // The worse receiver reports movement.
            stage.drive(2, from: second, seconds: 1, metres: Double(second) * 20, hdop: 5)
        }
        #expect(stage.crossings == ["1 determined unsatisfied"])
    }
}

extension Stage {
    /// Watches a circle of 150 m whose centre lies `metres` north of the start.
    mutating func fence(_ number: Int64, metres: Double, assuming: ConditionState = .unknown) {
        guard let center = FenceTests.start?.moved(by: metres, bearing: 0) else { return }
        let condition = FenceCondition(shape: .circle(center: center, radius: 150), assuming: assuming)
        watch([GeofenceEngine.Entry(id: ConditionID(number), condition: condition)])
    }

    /// The determinations without an event.
    var determinations: [ConditionDetermination] {
        effects.flatMap { effect -> [ConditionDetermination] in
            if case .fence(.determined(let determinations)) = effect { determinations } else { [] }
        }
    }

    var conditionEvents: [ConditionEvent] {
        effects.flatMap { effect -> [ConditionEvent] in
            if case .fence(.changed(let events)) = effect { events } else { [] }
        }
    }

    var crossings: [String] {
        conditionEvents.map { "\($0.condition.rawValue) \($0.kind) \($0.state)" }
    }
}
