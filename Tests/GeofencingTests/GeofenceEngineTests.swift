import Chronology
import Geodesy
import Positioning
import Testing

@testable import Geofencing

/// A device and its conditions, simulated in seconds.
struct EngineScenario {
    var engine = GeofenceEngine()
    var events: [ConditionEvent] = []
    var now = Instant.zero
    static let midnight = UTCTime(milliseconds: 1_795_219_200_000)

    static func fix(_ place: Coordinate, accuracy: Double = 4, at now: Instant, speed: Double? = nil) -> Fix {
        var fix = Fix(mode: .threeD, quality: .autonomous)
        fix.coordinate = place
        fix.horizontalAccuracy = accuracy
        fix.speed = speed
        fix.time = midnight.advanced(by: now - .zero)
        return fix
    }

    mutating func fix(_ place: Coordinate, accuracy: Double = 4, after seconds: Double = 1, speed: Double? = nil) {
        let end = now + .seconds(seconds)
        while let deadline = engine.deadline, deadline < end {
            now = max(now, deadline)
            engine.tick(at: now, into: &events)
        }
        now = end
        engine.process(EngineScenario.fix(place, accuracy: accuracy, at: now, speed: speed), at: now, into: &events)
    }

    mutating func fixes(_ place: Coordinate, seconds: Int, accuracy: Double = 4) {
        for _ in 0..<seconds { fix(place, accuracy: accuracy) }
    }

    /// Moves straight on, with one fix every `every` seconds.
    mutating func go(from start: Coordinate, bearing: Double, metres: Double, speed: Double, every: Double = 1) {
        var distance = 0.0
        while distance < metres {
            distance += speed * every
            fix(start.moved(by: distance, bearing: bearing), after: every)
        }
    }

    mutating func add(
        _ number: Int64, at center: Coordinate, radius: Double = 100, snapshot: ConditionSnapshot? = nil
    ) {
        engine.add(
            [.init(id: ConditionID(number), condition: .circle(center, radius: radius), snapshot: snapshot)], at: now)
    }

    func kinds(_ number: Int64) -> [ConditionEvent.Kind] {
        events.filter { $0.condition == ConditionID(number) }.map(\.kind)
    }
}

extension FenceCondition {
    static func circle(_ center: Coordinate, radius: Double = 100) -> FenceCondition {
        FenceCondition(shape: .circle(center: center, radius: radius))
    }
}

@Suite struct GeofenceEngineTests {
    let home = Coordinate(latitude: 47.2852, longitude: 8.5653) ?? .gulf

    @Test func `a fence on the track is entered and left`() {
        var scenario = EngineScenario()
        scenario.add(1, at: home.moved(by: 3000, bearing: 90))
        scenario.add(2, at: home.moved(by: 3000, bearing: 270))
        scenario.fixes(home, seconds: 60)
        #expect(scenario.kinds(1) == [.determined])
        scenario.go(from: home, bearing: 90, metres: 6000, speed: 10)
        #expect(scenario.kinds(1) == [.determined, .entered, .left])
        #expect(scenario.kinds(2) == [.determined])
        #expect(scenario.engine.state(of: ConditionID(1)) == .unsatisfied)
    }

    /// Once it is far, only the tree of boxes finds it again.
    @Test func `the only fence is entered again after hours far away`() {
        var scenario = EngineScenario()
        scenario.add(1, at: home)
        scenario.fixes(home, seconds: 60)
        let away = home.moved(by: 6000, bearing: 90)
        scenario.go(from: home, bearing: 90, metres: 6000, speed: 10)
        #expect(scenario.kinds(1) == [.determined, .left])
        scenario.fixes(away, seconds: 7200)
        scenario.go(from: away, bearing: 270, metres: 6000, speed: 10)
        scenario.fixes(home, seconds: 60)
        #expect(scenario.kinds(1) == [.determined, .left, .entered])
    }

    @Test func `a passage in which the receiver loses its date is entered before it is left`() {
        var scenario = EngineScenario()
        scenario.add(1, at: home.moved(by: 3000, bearing: 90))
        scenario.fixes(home, seconds: 60)
        for metres in stride(from: 20.0, through: 2920, by: 20) {
            scenario.fix(home.moved(by: metres, bearing: 90), speed: 20)
        }
        let later = scenario.now + .seconds(25)
        var undated = EngineScenario.fix(home.moved(by: 3420, bearing: 90), at: later, speed: 20)
        undated.time = nil
        scenario.engine.process(undated, at: later, into: &scenario.events)
        #expect(scenario.kinds(1) == [.determined, .entered, .left])
        #expect(scenario.events.last?.date == nil)
    }

    @Test func `the clearance is the distance to the nearest fence`() {
        var scenario = EngineScenario()
        for index in 1...50 {
            scenario.add(Int64(index), at: home.moved(by: Double(index) * 2000, bearing: Double(index) * 31))
        }
        #expect(scenario.engine.distanceToNextEvaluation == 0)
        scenario.fixes(home, seconds: 120)
        let some = [50, 3, 99, 7].map { ConditionID($0) }
        #expect(scenario.engine.nearest(to: home, among: some, count: 2).map(\.condition.rawValue) == [3, 7])
        #expect(scenario.engine.nearest(to: home, among: some, count: 9).map(\.condition.rawValue) == [3, 7, 50])
        let clearance = scenario.engine.distanceToNextEvaluation ?? 0
        #expect(clearance > 1000 && clearance <= 1900)
        scenario.go(from: home, bearing: 31, metres: 1880, speed: 10)
        #expect(scenario.engine.distanceToNextEvaluation == 0)
    }

    @Test func `without conditions there is no clearance and no deadline`() {
        var scenario = EngineScenario()
        scenario.fixes(home, seconds: 3)
        #expect(scenario.engine.distanceToNextEvaluation == nil)
        #expect(scenario.engine.deadline == nil)
        scenario.add(1, at: home)
        scenario.engine.remove([ConditionID(1)])
        #expect(scenario.engine.isEmpty)
        #expect(scenario.engine.distanceToNextEvaluation == nil)
    }

    @Test func `a remembered state that still holds is not published`() {
        var scenario = EngineScenario()
        scenario.add(1, at: home, snapshot: ConditionSnapshot(state: .satisfied))
        scenario.add(2, at: home.moved(by: 5000, bearing: 0), snapshot: ConditionSnapshot(state: .unsatisfied))
        scenario.fixes(home, seconds: 60)
        #expect(scenario.events.isEmpty)
    }

    @Test func `a move while nothing ran is published as a crossing`() {
        var scenario = EngineScenario()
        scenario.add(1, at: home, snapshot: ConditionSnapshot(state: .satisfied))
        scenario.add(2, at: home.moved(by: 5000, bearing: 0), snapshot: ConditionSnapshot(state: .unsatisfied))
        scenario.fixes(home.moved(by: 5000, bearing: 0), seconds: 60)
        #expect(scenario.kinds(1) == [.left])
        #expect(scenario.kinds(2) == [.entered])
    }

    @Test func `100 000 new conditions are determined in turns`() {
        var scenario = EngineScenario()
        var generator = SeededGenerator(11)
        let batch = (1...100_000).map { number in
            let place = home.moved(
                by: Double.random(in: 2000...300_000, using: &generator),
                bearing: Double.random(in: 0..<360, using: &generator))
            return GeofenceEngine.Entry(id: ConditionID(Int64(number)), condition: .circle(place))
        }
        scenario.engine.add(batch, at: scenario.now)
        scenario.fix(home)
        #expect(scenario.events.count <= GeofenceEngine.maxPerSlice)
        scenario.fixes(home, seconds: 30)
        #expect(Set(scenario.events.map(\.condition)).count == 100_000)
        #expect(scenario.events.count == 100_000)
        #expect(scenario.engine.deadline == nil)
        scenario.engine.remove(batch.lazy.map(\.id))
        #expect(scenario.engine.isEmpty)
    }
}

@Suite struct GeofenceEngineLifecycleTests {
    let home = Coordinate(latitude: 47.2852, longitude: 8.5653) ?? .gulf

    @Test func `a condition removed while undecided publishes nothing`() {
        var scenario = EngineScenario()
        scenario.add(1, at: home)
        scenario.add(2, at: home)
        scenario.fixes(home, seconds: 60)
        var distance = 0.0
        while !scenario.engine.needsConsecutiveFixes(at: scenario.now), distance < 300 {
            distance += 5
            scenario.fix(home.moved(by: distance, bearing: 80), speed: 5)
        }
        #expect(scenario.engine.needsConsecutiveFixes(at: scenario.now))
        scenario.engine.remove([ConditionID(1)])
        scenario.go(from: home.moved(by: distance, bearing: 80), bearing: 80, metres: 500, speed: 5)
        #expect(scenario.kinds(1) == [.determined])
        #expect(scenario.kinds(2) == [.determined, .left])
        #expect(scenario.engine.state(of: ConditionID(1)) == nil)
    }

    @Test func `conditions that are removed before their evaluation need no fix`() {
        var scenario = EngineScenario()
        scenario.add(1, at: home.moved(by: 3000, bearing: 0))
        scenario.fixes(home, seconds: 60)
        for number in Int64(2)...100 {
            scenario.add(number, at: home)
            #expect(scenario.engine.needsConsecutiveFixes(at: scenario.now))
            scenario.engine.remove([ConditionID(number)])
        }
        #expect(!scenario.engine.needsConsecutiveFixes(at: scenario.now))
        scenario.engine.tick(at: scenario.now, into: &scenario.events)
        #expect(scenario.engine.distanceToNextEvaluation.map { $0 > 1000 } == true)
    }

    @Test func `a condition that waits is evaluated although others were removed`() {
        var scenario = EngineScenario()
        scenario.add(1, at: home)
        for number in Int64(2)...500 {
            scenario.add(number, at: home.moved(by: 5000, bearing: 0))
            if number % 100 != 0 { scenario.engine.remove([ConditionID(number)]) }
        }
        scenario.fixes(home, seconds: 60)
        #expect(Set(scenario.events.map(\.condition.rawValue)) == [1, 100, 200, 300, 400, 500])
        #expect(!scenario.engine.needsConsecutiveFixes(at: scenario.now))
    }

    @Test func `dwell is published on time`() {
        var scenario = EngineScenario()
        scenario.engine.add(
            [
                .init(
                    id: ConditionID(1),
                    condition: FenceCondition(shape: .circle(center: home, radius: 150), dwell: .seconds(300)))
            ],
            at: scenario.now)
        scenario.fixes(home, seconds: 60)
        #expect(scenario.engine.deadline == .zero + .seconds(301))
        while let deadline = scenario.engine.deadline {
            scenario.now = deadline
            scenario.engine.tick(at: deadline, into: &scenario.events)
        }
        #expect(scenario.kinds(1) == [.determined, .dwelt])
    }

    @Test func `an expired condition is no longer evaluated`() {
        var scenario = EngineScenario()
        var condition = FenceCondition.circle(home)
        condition.expiry = EngineScenario.midnight.advanced(by: .seconds(100))
        scenario.engine.add(
            [.init(id: ConditionID(1), condition: condition), .init(id: ConditionID(2), condition: .circle(home))],
            at: scenario.now)
        scenario.fixes(home, seconds: 60)
        #expect(scenario.engine.deadline == .zero + .seconds(100))
        scenario.fix(home.moved(by: 3000, bearing: 0), after: 200)
        scenario.fixes(home.moved(by: 3000, bearing: 0), seconds: 60)
        #expect(scenario.kinds(1) == [.determined, .expired])
        #expect(scenario.kinds(2) == [.determined, .left])
        #expect(scenario.engine.state(of: ConditionID(1)) == .unmonitored)
        #expect(scenario.engine.deadline == nil)
    }

    /// The receiver's clock reaches the expiry a moment before the timer, as when a burst arrives
    /// early. The condition is the only close one.
    @Test func `a fix can expire the only close condition`() {
        var scenario = EngineScenario()
        var condition = FenceCondition.circle(home)
        condition.expiry = EngineScenario.midnight.advanced(by: .seconds(60))
        scenario.engine.add([.init(id: ConditionID(1), condition: condition)], at: scenario.now)
        let edge = home.moved(by: 95, bearing: 0)
        scenario.fixes(edge, seconds: 59)
        scenario.now = scenario.now + .seconds(0.95)
        let fix = EngineScenario.fix(edge, at: .zero + .seconds(60))
        scenario.engine.process(fix, at: scenario.now, into: &scenario.events)
        #expect(scenario.kinds(1).last == .expired)
        #expect(scenario.engine.state(of: ConditionID(1)) == .unmonitored)
        #expect(scenario.engine.distanceToNextEvaluation == nil)
    }

    @Test(arguments: ["2400-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    func `an expiry in centuries is not due`(expiry: String) {
        var scenario = EngineScenario()
        var condition = FenceCondition.circle(home)
        condition.expiry = UTCTime(rfc3339: expiry)
        #expect(condition.expiry != nil)
        scenario.engine.add([.init(id: ConditionID(1), condition: condition)], at: scenario.now)
        scenario.fixes(home, seconds: 60)
        #expect(scenario.engine.deadline.map { $0 > scenario.now } ?? true)
        #expect(scenario.kinds(1) == [.determined] && scenario.engine.state(of: ConditionID(1)) == .satisfied)
    }

    /// The clock is set ahead to the deadline and far beyond it, up to the end of its range.
    @Test(
        arguments: ["1970-01-01T00:00:00Z", "2026-11-21T00:00:59Z", "9999-12-31T23:59:59Z"],
        [3600, 3.2e8, 9.1e9, .infinity])
    func `the timers of a condition with any expiry are due once each`(expiry: String, seconds: Double) {
        var scenario = EngineScenario()
        var condition = FenceCondition.circle(home)
        condition.expiry = UTCTime(rfc3339: expiry)
        condition.dwell = .seconds(3.2e7)
        #expect(condition.expiry != nil)
        scenario.engine.add([.init(id: ConditionID(1), condition: condition)], at: scenario.now)
        scenario.fixes(home, seconds: 60)
        let end = seconds.isInfinite ? Instant(nanoseconds: .max) : scenario.now + .seconds(seconds)
        for _ in 0..<3 {
            guard let deadline = scenario.engine.deadline, deadline <= end else { break }
            scenario.engine.tick(at: max(deadline, scenario.now), into: &scenario.events)
        }
        #expect(scenario.engine.deadline.map { $0 > end } ?? true)
        // A timer that fires late finds nothing left to do either.
        scenario.engine.tick(at: end, into: &scenario.events)
        #expect(scenario.engine.deadline.map { $0 > end } ?? true)
    }

    @Test func `a restart on a drive neither loses nor repeats events`() {
        var fences = RandomFences(77, about: home, count: 60, size: 5_000)
        let fixes = fences.fixes(900)
        var (engine, events) = (GeofenceEngine(), [ConditionEvent]())
        engine.add(fences.conditions.map { GeofenceEngine.Entry(id: $0.0, condition: $0.1) }, at: .zero)
        for (index, (fix, now)) in fixes.enumerated() {
            if index % 150 == 100 {
                let known = fences.conditions.map { one in
                    let state = events.last { $0.condition == one.0 }?.state
                    return GeofenceEngine.Entry(
                        id: one.0, condition: one.1, snapshot: state.map { ConditionSnapshot(state: $0) })
                }
                engine = GeofenceEngine()
                engine.add(known, at: now)
            }
            engine.process(fix, at: now, into: &events)
        }
        for (id, _) in fences.conditions {
            let states = events.filter { $0.condition == id && $0.kind != .dwelt }.map(\.state)
            #expect(zip(states, states.dropFirst()).allSatisfy { $0 != $1 }, "\(id): no two alike in a row")
        }
    }
}
