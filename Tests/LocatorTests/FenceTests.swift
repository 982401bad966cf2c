import Chronology
import Delivery
import Geodesy
import Geofencing
import Locator
import Testing

/// Conditions in the core: shown the fixes of whoever speaks for the device, and needing no more of them than they must.
@Suite struct FenceTests {
    /// Where ``Stage/fixes(_:from:seconds:hdop:)`` are made.
    static let start = Coordinate(latitude: 47 + 17.11399 / 60, longitude: 8 + 33.9159 / 60)

    private func planned() -> Stage {
        var stage = Stage()
        stage.locator.plansPower = true
        stage.attach(1)
        return stage
    }

    @Test func aFenceIsWatchedWithNobodyConnected() {
        var stage = planned()
        stage.fence(1, 500)
        stage.fixes(1, from: 0, seconds: 20)
        #expect(stage.crossings == ["1 determined unsatisfied"])
        stage.drive(1, from: 20, seconds: 60)
        #expect(stage.crossings == ["1 determined unsatisfied", "1 entered satisfied", "1 left unsatisfied"])
    }

    @Test func farFromEveryFenceTheReceiverSleepsUntilItCanBeThere() {
        var stage = planned()
        stage.fence(1, 20_000)
        stage.drive(1, from: 0, seconds: 1)
        guard case .standby(let until)? = stage.plans(1).last else { Issue.record("\(stage.plans(1))"); return }
        let wait = (until - stage.now).seconds
        #expect(wait > 300 && wait < 450)
    }

    @Test func nearAFenceItRuns() {
        var stage = planned()
        stage.fence(1, 300)
        stage.drive(1, from: 0, seconds: 20)
        #expect(stage.plans(1).allSatisfy { if case .run = $0 { true } else { $0 == .rest } })
    }

    @Test func restIsFoundForConditionsAlone() {
        var stage = planned()
        stage.fence(1, 0)
        stage.fixes(1, from: 0, seconds: 120)
        guard case .standby(let until)? = stage.plans(1).last else { Issue.record("\(stage.plans(1))"); return }
        #expect((until - stage.now).seconds <= 50)
        #expect(stage.crossings == ["1 determined satisfied"])
    }

    @Test func whoIsLetGoCostsNothing() {
        var stage = planned()
        stage.fence(1, 300)
        stage.drive(1, from: 0, seconds: 5)
        stage.locator.removeConditions([ConditionID(1)], at: stage.now)
        stage.wait(31)
        #expect(stage.plans(1).last == .rest)
        #expect(stage.locator.deadline() == nil)
    }

    @Test func whereTheDeviceIsKnownToBeDecidesAtOnce() {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 20)
        stage.fence(1, 3000)
        #expect(stage.crossings == ["1 determined unsatisfied"])
        stage.fence(2, 0)
        stage.wait(0.1)
        #expect(stage.crossings == ["1 determined unsatisfied", "2 determined satisfied"])
    }

    @Test func onlyTheReceiverThatSpeaksIsListenedTo() {
        var stage = Stage()
        stage.attach(1)
        stage.attach(2)
        stage.fence(1, 1000)
        for second in 0..<90 {
            stage.fix(1, second: second, hdop: 1)
            // The worse one claims to be on its way.
            stage.drive(2, from: second, seconds: 1, metres: Double(second) * 20, hdop: 5)
        }
        #expect(stage.crossings == ["1 determined unsatisfied"])
    }
}

extension Stage {
    /// Watches a circle of 150 m whose middle lies so many metres north of the start.
    mutating func fence(_ number: Int64, _ metres: Double) {
        guard let center = FenceTests.start?.moved(by: metres, bearing: 0) else { return }
        watch([FenceWatch.Entry(ConditionID(number), Condition(shape: .circle(center: center, radius: 150)))])
    }

    var crossings: [String] {
        effects.flatMap { effect -> [ConditionEvent] in if case .crossed(let events) = effect { events } else { [] } }
            .map { "\($0.condition.rawValue) \($0.kind) \($0.state)" }
    }
}
