import Chronology
import Geodesy
import Geofencing
import Locator
import Positioning
import Testing

/// Conditions on visits and on movements.
@Suite struct ConditionSubjectTests {
    private static let visits = ConditionID(1)
    private static let movements = ConditionID(2)

    private func stage(_ subject: ConditionSubject, id: ConditionID = visits, expiry: UTCTime? = nil) -> Stage {
        var stage = Stage()
        stage.locator.emitsPlans = true
        stage.attach(1)
        stage.watch([GeofenceEngine.Entry(id: id, condition: FenceCondition(subject, expiry: expiry))])
        return stage
    }

    private func movements(interval: Double = 0, expiry: UTCTime? = nil) -> Stage {
        let change = SignificantChange(distance: 500, interval: .seconds(interval))
        return stage(.significantChange(change), id: ConditionSubjectTests.movements, expiry: expiry)
    }

    /// The place of the last event of an earlier run, this far north of the fixes.
    private func earlier(north degrees: Double = 0) throws -> ConditionPlace {
        ConditionPlace(
            coordinate: try #require(Coordinate(latitude: 47.285233 + degrees, longitude: 8.565265)), radius: 5,
            date: UTCTime(milliseconds: 1_795_000_000_000))
    }

    // MARK: Visits

    @Test func `an arrival and a departure are events without a client`() {
        var stage = stage(.visits)
        stage.fixes(1, from: 0, seconds: 310)
        #expect(stage.crossings == ["1 entered satisfied"])
        #expect(stage.locator.conditions.state(of: ConditionSubjectTests.visits) == .satisfied)
        stage.drive(1, from: 310, seconds: 90)
        #expect(stage.crossings == ["1 entered satisfied", "1 left unsatisfied"])
    }

    @Test func `the last evaluation is that of conditions of the same kind`() throws {
        var stage = movements()
        stage.fixes(1, from: 0, seconds: 30)
        let known = stage.locator.conditions.lastEvaluation(of: ConditionSubjectTests.movements)
        #expect(known != nil)
        let home = try #require(Coordinate(latitude: 47.285233, longitude: 8.565265))
        let shape = FenceShape.circle(center: home, radius: 100)
        stage.watch([
            GeofenceEngine.Entry(id: ConditionSubjectTests.visits, condition: FenceCondition(.visits)),
            GeofenceEngine.Entry(id: ConditionID(3), condition: FenceCondition(shape: shape)),
        ])
        stage.fixes(1, from: 30, seconds: 10)
        #expect(stage.locator.conditions.lastEvaluation(of: ConditionSubjectTests.visits) == nil)
        #expect(stage.locator.conditions.lastEvaluation(of: ConditionID(3)) != nil)
        let seen = stage.locator.conditions.lastEvaluation(of: ConditionSubjectTests.movements)
        #expect(try #require(seen) > #require(known))
        #expect(stage.locator.conditions.lastEvaluation(of: ConditionID(4)) == nil)
    }

    @Test func `the event has the place and the date of the visit`() throws {
        var stage = stage(.visits)
        stage.fixes(1, from: 0, seconds: 310)
        let event = try #require(stage.conditionEvents.first)
        #expect(event.date?.description.prefix(19) == "2026-11-21T12:00:00")
        #expect(event.location?.coordinate?.latitude.rounded() == 47 && event.location?.horizontalAccuracy != nil)
    }

    @Test func `a visit of an earlier run that continues is no event`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.watch([
            GeofenceEngine.Entry(
                id: ConditionSubjectTests.visits, condition: FenceCondition(.visits),
                snapshot: ConditionSnapshot(state: .satisfied), place: try earlier())
        ])
        stage.fixes(1, from: 0, seconds: 100)
        #expect(stage.crossings == [])
        stage.drive(1, from: 100, seconds: 90)
        #expect(stage.crossings == ["1 left unsatisfied"])
    }

    @Test func `a visit of an earlier run that has ended is left without a date`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.watch([
            GeofenceEngine.Entry(
                id: ConditionSubjectTests.visits, condition: FenceCondition(.visits),
                snapshot: ConditionSnapshot(state: .satisfied), place: try earlier(north: 1))
        ])
        stage.fixes(1, from: 0, seconds: 400)
        #expect(stage.crossings == ["1 left unsatisfied", "1 entered satisfied"])
        #expect(stage.conditionEvents.first?.date == nil)
    }

    @Test func `a condition that is added during a visit is determined`() {
        var stage = Stage()
        stage.attach(1)
        stage.watchVisits(9)
        stage.fixes(1, from: 0, seconds: 310)
        stage.watch([GeofenceEngine.Entry(id: ConditionSubjectTests.visits, condition: FenceCondition(.visits))])
        #expect(stage.crossings == ["1 determined satisfied"])
    }

    @Test func `a new visit of the place of the last event is entered`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.watchVisits(9)
        stage.fixes(1, from: 0, seconds: 310)
        stage.watch([
            GeofenceEngine.Entry(
                id: ConditionSubjectTests.visits, condition: FenceCondition(.visits),
                snapshot: ConditionSnapshot(state: .unsatisfied), place: try earlier())
        ])
        #expect(stage.crossings == ["1 entered satisfied"])
    }

    @Test func `a removed condition ends the detection and its demand`() {
        var stage = stage(.visits)
        stage.fixes(1, from: 0, seconds: 20)
        stage.locator.removeConditions([ConditionSubjectTests.visits], at: stage.now)
        stage.wait(1)
        #expect(stage.plans(1).last == .sleepIndefinitely)
        stage.fixes(1, from: 30, seconds: 400)
        #expect(stage.crossings == [])
    }

    @Test func `a subscriber of visits keeps them when the condition is removed`() {
        var stage = stage(.visits)
        stage.watchVisits(9)
        stage.locator.removeConditions([ConditionSubjectTests.visits], at: stage.now)
        stage.fixes(1, from: 0, seconds: 310)
        #expect(stage.visits(9).count == 2 && stage.crossings == [])
    }

    @Test func `an expired condition on visits ends their detection`() {
        var stage = stage(.visits, expiry: UTCTime(rfc3339: "2026-11-21T12:01:00Z"))
        stage.fixes(1, from: 0, seconds: 400)
        #expect(stage.crossings == ["1 expired unmonitored"])
        #expect(stage.plans(1).last == .sleepIndefinitely)
    }

    @Test func `a visit that only the history knows continues for conditions too`() throws {
        var stage = stage(.visits)
        let arrival = UTCTime(rfc3339: "2026-11-21T11:00:00Z")
        let open = Stay(
            coordinate: try earlier().coordinate, radius: 5, arrival: Stay.Moment(at: stage.now, time: arrival))
        stage.watchVisits(9, continuing: open)
        #expect(stage.crossings == ["1 entered satisfied"])
        #expect(stage.conditionEvents.first?.date == arrival)
        stage.fixes(1, from: 0, seconds: 400)
        #expect(stage.visits(9).count == 1 && stage.crossings.count == 1)
    }

    @Test func `a visit of the history does not continue where the device is known elsewhere`() throws {
        var stage = stage(.visits)
        stage.fixes(1, from: 0, seconds: 20)
        let open = Stay(
            coordinate: try earlier(north: 1).coordinate, radius: 5, arrival: Stay.Moment(at: stage.now, time: nil))
        stage.watchVisits(9, continuing: open)
        #expect(stage.visits(9) == [nil] && stage.crossings == [])
    }

    // MARK: Movements

    @Test func `the first position and each further 500 m are events`() {
        var stage = movements()
        stage.fixes(1, from: 0, seconds: 10)
        #expect(stage.crossings == ["2 determined satisfied"])
        stage.drive(1, from: 10, seconds: 100)
        // 2,000 m; each event needs some time of confirmation.
        #expect(stage.crossings.count >= 3 && stage.crossings.count <= 4, "\(stage.crossings)")
        #expect(stage.crossings.dropFirst().allSatisfy { $0 == "2 moved satisfied" })
    }

    @Test func `the interval separates two events`() {
        var stage = movements(interval: 60)
        stage.fixes(1, from: 0, seconds: 2)
        stage.drive(1, from: 2, seconds: 150)
        #expect(stage.crossings.count >= 2 && stage.crossings.count <= 3, "\(stage.crossings)")
    }

    @Test func `a device at rest does not move`() {
        var stage = movements()
        stage.fixes(1, from: 0, seconds: 600)
        #expect(stage.crossings == ["2 determined satisfied"])
    }

    @Test func `at rest, a condition on movements needs as few checks as a stream`() throws {
        var stage = movements()
        stage.fixes(1, from: 0, seconds: 900)
        guard case .sleep(let until)? = stage.plans(1).last(where: { $0 != .sleepIndefinitely }) else {
            Issue.record("\(stage.plans(1).suffix(3))")
            return
        }
        #expect(until - stage.now > .seconds(60), "\(until - stage.now)")
    }

    @Test func `during the interval the receiver sleeps`() {
        var stage = movements(interval: 300)
        stage.fixes(1, from: 0, seconds: 150)
        #expect(stage.plans(1).last == .sleepIndefinitely, "\(stage.plans(1))")
    }

    @Test func `a movement while the daemon did not run is an event`() throws {
        var stage = Stage()
        stage.attach(1)
        let condition = FenceCondition(.significantChange(SignificantChange(distance: 500, interval: .zero)))
        stage.watch([
            GeofenceEngine.Entry(
                id: ConditionSubjectTests.movements, condition: condition,
                snapshot: ConditionSnapshot(state: .satisfied), place: try earlier(north: 0.01))
        ])
        stage.fixes(1, from: 0, seconds: 60)
        #expect(stage.crossings == ["2 moved satisfied"])
    }

    @Test func `a place of an earlier run that is near is no event`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.watch([
            GeofenceEngine.Entry(
                id: ConditionSubjectTests.movements, condition: FenceCondition(.significantChange(SignificantChange())),
                snapshot: ConditionSnapshot(state: .satisfied), place: try earlier())
        ])
        stage.fixes(1, from: 0, seconds: 60)
        #expect(stage.crossings == [])
    }

    @Test func `movements expire, also before the first position and during the interval`() {
        let expiry = UTCTime(rfc3339: "2026-11-21T12:00:30Z")
        var stage = movements(interval: 0, expiry: expiry)
        stage.fixes(1, from: 0, seconds: 60)
        #expect(stage.crossings == ["2 determined satisfied", "2 expired unmonitored"])
        stage = movements(interval: 10, expiry: expiry)
        stage.fixes(1, from: 0, seconds: 60)
        #expect(stage.crossings == ["2 determined satisfied", "2 expired unmonitored"])
        stage = movements(expiry: expiry)
        stage.fixes(1, from: 40, seconds: 20)
        #expect(stage.crossings == ["2 expired unmonitored"])
    }
}
