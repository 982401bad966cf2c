import Chronology
import Geodesy
import Positioning
import Testing

@testable import Geofencing

/// A device and its conditions, simulated in seconds.
struct Watching {
    var watch = GeofenceEngine()
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
        while let deadline = watch.deadline, deadline < end {
            now = max(now, deadline)
            watch.tick(at: now, into: &events)
        }
        now = end
        watch.process(Watching.fix(place, accuracy: accuracy, at: now, speed: speed), at: now, into: &events)
    }

    mutating func fixes(_ place: Coordinate, seconds: Int, accuracy: Double = 4) {
        for _ in 0..<seconds { fix(place, accuracy: accuracy) }
    }

    /// Moves straight on, with one fix every `every` seconds.
    mutating func go(from start: Coordinate, bearing: Double, metres: Double, speed: Double, every: Double = 1) {
        var gone = 0.0
        while gone < metres {
            gone += speed * every
            fix(start.moved(by: gone, bearing: bearing), after: every)
        }
    }

    mutating func add(
        _ number: Int64, _ center: Coordinate, radius: Double = 100, remembered: ConditionSnapshot? = nil
    ) {
        watch.add([.init(ConditionID(number), .circle(center, radius), remembered: remembered)], at: now)
    }

    func told(_ number: Int64) -> [ConditionEvent.Kind] {
        events.filter { $0.condition == ConditionID(number) }.map(\.kind)
    }
}

extension Condition {
    static func circle(_ center: Coordinate, _ radius: Double = 100) -> Condition {
        Condition(shape: .circle(center: center, radius: radius))
    }
}

@Suite struct GeofenceEngineTests {
    let home = Coordinate(latitude: 47.2852, longitude: 8.5653) ?? .gulf

    @Test func `a fence on the track is entered and left`() {
        var scene = Watching()
        scene.add(1, home.moved(by: 3000, bearing: 90))
        scene.add(2, home.moved(by: 3000, bearing: 270))
        scene.fixes(home, seconds: 60)
        #expect(scene.told(1) == [.determined])
        scene.go(from: home, bearing: 90, metres: 6000, speed: 10)
        #expect(scene.told(1) == [.determined, .entered, .left])
        #expect(scene.told(2) == [.determined])
        #expect(scene.watch.state(of: ConditionID(1)) == .unsatisfied)
    }

    @Test func `the clearance is the distance to the nearest fence`() {
        var scene = Watching()
        for index in 1...50 {
            scene.add(Int64(index), home.moved(by: Double(index) * 2000, bearing: Double(index) * 31))
        }
        #expect(scene.watch.distanceToNextEvaluation == 0)
        scene.fixes(home, seconds: 120)
        #expect(scene.watch.nearest(to: home, count: 3).map(\.condition.rawValue) == [1, 2, 3])
        let some = [50, 3, 99, 7].map { ConditionID($0) }
        #expect(scene.watch.nearest(to: home, among: some, count: 2).map(\.condition.rawValue) == [3, 7])
        #expect(scene.watch.nearest(to: home, among: some, count: 9).map(\.condition.rawValue) == [3, 7, 50])
        let clearance = scene.watch.distanceToNextEvaluation ?? 0
        #expect(clearance > 1000 && clearance <= 1900)
        scene.go(from: home, bearing: 31, metres: 1880, speed: 10)
        #expect(scene.watch.distanceToNextEvaluation == 0)
    }

    @Test func `without conditions there is no clearance and no deadline`() {
        var scene = Watching()
        scene.fixes(home, seconds: 3)
        #expect(scene.watch.distanceToNextEvaluation == nil)
        #expect(scene.watch.deadline == nil)
        scene.add(1, home)
        scene.watch.remove([ConditionID(1)])
        #expect(scene.watch.isEmpty)
        #expect(scene.watch.distanceToNextEvaluation == nil)
    }

    @Test func `a remembered state that still holds is not published`() {
        var scene = Watching()
        scene.add(1, home, remembered: ConditionSnapshot(state: .satisfied))
        scene.add(2, home.moved(by: 5000, bearing: 0), remembered: ConditionSnapshot(state: .unsatisfied))
        scene.fixes(home, seconds: 60)
        #expect(scene.events.isEmpty)
    }

    @Test func `a move while nothing ran is published as a crossing`() {
        var scene = Watching()
        scene.add(1, home, remembered: ConditionSnapshot(state: .satisfied))
        scene.add(2, home.moved(by: 5000, bearing: 0), remembered: ConditionSnapshot(state: .unsatisfied))
        scene.fixes(home.moved(by: 5000, bearing: 0), seconds: 60)
        #expect(scene.told(1) == [.left])
        #expect(scene.told(2) == [.entered])
    }

    @Test func `100 000 new conditions are determined in turns`() {
        var scene = Watching()
        var dice = Dice(11)
        let batch = (1...100_000).map { number in
            let place = home.moved(
                by: Double.random(in: 2000...300_000, using: &dice), bearing: Double.random(in: 0..<360, using: &dice))
            return GeofenceEngine.Entry(ConditionID(Int64(number)), .circle(place))
        }
        scene.watch.add(batch, at: scene.now)
        scene.fix(home)
        #expect(scene.events.count <= GeofenceEngine.maxPerTurn)
        scene.fixes(home, seconds: 30)
        #expect(Set(scene.events.map(\.condition)).count == 100_000)
        #expect(scene.events.count == 100_000)
        #expect(scene.watch.deadline == nil)
        scene.watch.remove(batch.lazy.map(\.id))
        #expect(scene.watch.isEmpty)
    }
}

@Suite struct FenceWatchLifeTests {
    let home = Coordinate(latitude: 47.2852, longitude: 8.5653) ?? .gulf

    @Test func `a condition removed while undecided publishes nothing`() {
        var scene = Watching()
        scene.add(1, home)
        scene.add(2, home)
        scene.fixes(home, seconds: 60)
        var gone = 0.0
        while !scene.watch.needsConsecutiveFixes(at: scene.now), gone < 300 {
            gone += 5
            scene.fix(home.moved(by: gone, bearing: 80), speed: 5)
        }
        #expect(scene.watch.needsConsecutiveFixes(at: scene.now))
        scene.watch.remove([ConditionID(1)])
        scene.go(from: home.moved(by: gone, bearing: 80), bearing: 80, metres: 500, speed: 5)
        #expect(scene.told(1) == [.determined])
        #expect(scene.told(2) == [.determined, .left])
        #expect(scene.watch.state(of: ConditionID(1)) == nil)
    }

    @Test func `dwell is published on time`() {
        var scene = Watching()
        scene.watch.add(
            [.init(ConditionID(1), Condition(shape: .circle(center: home, radius: 150), dwell: .seconds(300)))],
            at: scene.now)
        scene.fixes(home, seconds: 60)
        #expect(scene.watch.deadline == .zero + .seconds(301))
        while let deadline = scene.watch.deadline {
            scene.now = deadline
            scene.watch.tick(at: deadline, into: &scene.events)
        }
        #expect(scene.told(1) == [.determined, .dwelt])
    }

    @Test func `an expired condition is no longer evaluated`() {
        var scene = Watching()
        var condition = Condition.circle(home)
        condition.expiry = Watching.midnight.advanced(by: .seconds(100))
        scene.watch.add([.init(ConditionID(1), condition), .init(ConditionID(2), .circle(home))], at: scene.now)
        scene.fixes(home, seconds: 60)
        #expect(scene.watch.deadline == .zero + .seconds(100))
        scene.fix(home.moved(by: 3000, bearing: 0), after: 200)
        scene.fixes(home.moved(by: 3000, bearing: 0), seconds: 60)
        #expect(scene.told(1) == [.determined, .expired])
        #expect(scene.told(2) == [.determined, .left])
        #expect(scene.watch.state(of: ConditionID(1)) == .unmonitored)
        #expect(scene.watch.deadline == nil)
    }

    @Test(arguments: ["2400-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    func `an expiry in centuries is not due`(expiry: String) {
        var scene = Watching()
        var condition = Condition.circle(home)
        condition.expiry = UTCTime(rfc3339: expiry)
        #expect(condition.expiry != nil)
        scene.watch.add([.init(ConditionID(1), condition)], at: scene.now)
        scene.fixes(home, seconds: 60)
        #expect(scene.watch.deadline.map { $0 > scene.now } ?? true)
        #expect(scene.told(1) == [.determined] && scene.watch.state(of: ConditionID(1)) == .satisfied)
    }

    @Test func `a restart on a drive neither loses nor repeats events`() {
        var country = Country(77, about: home, count: 60, size: 5_000)
        let way = country.way(900)
        var (watch, events) = (GeofenceEngine(), [ConditionEvent]())
        watch.add(country.conditions.map { GeofenceEngine.Entry($0.0, $0.1) }, at: .zero)
        for (index, (fix, now)) in way.enumerated() {
            if index % 150 == 100 {
                let known = country.conditions.map { one in
                    let state = events.last { $0.condition == one.0 }?.state
                    return GeofenceEngine.Entry(one.0, one.1, remembered: state.map { ConditionSnapshot(state: $0) })
                }
                watch = GeofenceEngine()
                watch.add(known, at: now)
            }
            watch.process(fix, at: now, into: &events)
        }
        for (id, _) in country.conditions {
            let states = events.filter { $0.condition == id && $0.kind != .dwelt }.map(\.state)
            #expect(zip(states, states.dropFirst()).allSatisfy { $0 != $1 }, "\(id): no two alike in a row")
        }
    }
}
