import Chronology
import Geofencing
import Locator
import Positioning
import Testing

/// What the core forgets on request, and that it continues.
@Suite struct ForgettingTests {
    @Test func `the last positions are gone, also those of closed ports`() {
        var stage = Stage()
        stage.attach(1)
        stage.attach(2)
        stage.subscribe(1)
        stage.fixes(1, from: 0, seconds: 3)
        stage.fixes(2, from: 3, seconds: 3)
        stage.detach(1)
        stage.set(.absent("unplugged", lost: true), of: 2)
        #expect(stage.locator.position(at: stage.now) != nil)
        #expect(stage.locator.forgetPositions(at: stage.now).positions >= 2)
        #expect(stage.locator.position(at: stage.now) == nil)
        stage.locate(7, maximumAge: 3600, timeout: 1)
        #expect(stage.ages(7) == [])
        #expect(stage.locator.forgetPositions(at: stage.now).positions == 0)
    }

    @Test func `a receiver with a fix gives the next one as before`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        stage.fixes(1, from: 0, seconds: 20)
        #expect(stage.locator.forgetPositions(at: stage.now) == (1, 0))
        #expect(stage.locator.position(at: stage.now) == nil)
        _ = stage.takeUpdates(1)
        stage.fixes(1, from: 20, seconds: 5)
        let updates = stage.takeUpdates(1)
        #expect(updates.count(where: { $0 == "tty1" }) == 5)
        #expect(!updates.contains("notUnderstood"), "\(updates)")
    }

    @Test func `the place of rest is gone, and a paused stream continues until it rests again`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1, configuration: .fitness)
        stage.fixes(1, from: 0, seconds: 200)
        #expect(stage.takeKinds(1).last == "rest" && stage.locator.restingSince(at: stage.now) != nil)
        _ = stage.locator.forgetPositions(at: stage.now)
        stage.fixes(1, from: 200, seconds: 5)
        #expect(stage.takeKinds(1) == ["moving", "moving", "moving", "moving", "moving"])
        #expect(stage.locator.restingSince(at: stage.now) == nil)
        stage.subscribe(2, configuration: .fitness)
        #expect(stage.takeKinds(2) == ["moving"])
        stage.fixes(1, from: 205, seconds: 200)
        #expect(stage.takeKinds(1).last == "rest")
    }

    @Test func `the visit is gone, and the present one begins now`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.watchVisits(9)
        stage.fixes(1, from: 0, seconds: 400)
        #expect(stage.locator.forgetPositions(at: stage.now) == (1, 1))
        #expect(stage.locator.currentVisit(at: stage.now) == nil)
        stage.clearEffects()
        stage.fixes(1, from: 400, seconds: 200)
        #expect(stage.visits(9) == [])
        stage.fixes(1, from: 600, seconds: 120)
        let visit = try #require(stage.visits(9).first ?? nil)
        #expect(try #require(visit.arrival.time?.description) >= "2026-11-21T12:06:39" && visit.departure == nil)
    }

    @Test func `after a forgotten visit, an arrival elsewhere ends it for conditions`() {
        var stage = Stage()
        stage.attach(1)
        stage.watch([GeofenceEngine.Entry(id: ConditionID(1), condition: FenceCondition(.visits))])
        stage.fixes(1, from: 0, seconds: 400)
        #expect(stage.crossings == ["1 entered satisfied"])
        _ = stage.locator.forgetPositions(at: stage.now)
        stage.drive(1, from: 400, seconds: 90)
        stage.clearEffects()
        stage.fixes(1, from: 490, seconds: 400, latitude: "4718.08600")
        #expect(stage.crossings == ["1 left unsatisfied", "1 entered satisfied"])
        #expect(stage.conditionEvents.first?.date == nil)
    }

    @Test func `after a forgotten visit, an arrival at the same place is no event`() {
        var stage = Stage()
        stage.attach(1)
        stage.watch([GeofenceEngine.Entry(id: ConditionID(1), condition: FenceCondition(.visits))])
        stage.fixes(1, from: 0, seconds: 400)
        _ = stage.locator.forgetPositions(at: stage.now)
        stage.clearEffects()
        stage.fixes(1, from: 400, seconds: 800)
        #expect(stage.crossings == [])
    }
}
