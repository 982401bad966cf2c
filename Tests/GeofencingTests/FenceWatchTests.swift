import Chronology
import Geodesy
import Positioning
import Testing

@testable import Geofencing

/// A device and its conditions, drawn in seconds.
struct Watching {
    var watch = FenceWatch()
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

    mutating func fix(_ place: Coordinate, accuracy: Double = 4, after seconds: Double = 1) {
        let end = now + .seconds(seconds)
        while let deadline = watch.deadline, deadline < end {
            now = max(now, deadline)
            watch.tick(at: now, into: &events)
        }
        now = end
        watch.take(Watching.fix(place, accuracy: accuracy, at: now), at: now, into: &events)
    }

    mutating func fixes(_ place: Coordinate, seconds: Int, accuracy: Double = 4) {
        for _ in 0..<seconds { fix(place, accuracy: accuracy) }
    }

    /// Straight on, one fix each `every` seconds.
    mutating func go(from start: Coordinate, bearing: Double, metres: Double, speed: Double, every: Double = 1) {
        var gone = 0.0
        while gone < metres {
            gone += speed * every
            fix(start.moved(by: gone, bearing: bearing), after: every)
        }
    }

    mutating func add(_ number: Int64, _ center: Coordinate, radius: Double = 100, remembered: RememberedStanding? = nil) {
        watch.add([.init(ConditionID(number), .circle(center, radius), remembered: remembered)], at: now)
    }

    func told(_ number: Int64) -> [ConditionEvent.Kind] { events.filter { $0.condition == ConditionID(number) }.map(\.kind) }
}

extension Condition {
    static func circle(_ center: Coordinate, _ radius: Double = 100) -> Condition {
        Condition(shape: .circle(center: center, radius: radius))
    }
}

@Suite struct FenceWatchTests {
    let home = Coordinate(latitude: 47.2852, longitude: 8.5653) ?? Coordinate(latitude: 0, longitude: 0)!

    @Test func aFenceOnTheWayIsEnteredAndLeft() {
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

    @Test func theNearestAreFoundAndTheNextLookIsAsFarAsTheyAre() {
        var scene = Watching()
        for at in 1...50 { scene.add(Int64(at), home.moved(by: Double(at) * 2000, bearing: Double(at) * 31)) }
        #expect(scene.watch.clearance == 0)
        scene.fixes(home, seconds: 120)
        #expect(scene.watch.nearest(to: home, count: 3).map(\.condition.rawValue) == [1, 2, 3])
        let clearance = scene.watch.clearance ?? 0
        #expect(clearance > 1000 && clearance <= 1900)
        scene.go(from: home, bearing: 31, metres: 1880, speed: 10)
        #expect(scene.watch.clearance == 0)
    }

    @Test func whoHasNoConditionsIsTold() {
        var scene = Watching()
        scene.fixes(home, seconds: 3)
        #expect(scene.watch.clearance == nil)
        #expect(scene.watch.deadline == nil)
        scene.add(1, home)
        scene.watch.remove([ConditionID(1)])
        #expect(scene.watch.isEmpty)
        #expect(scene.watch.clearance == nil)
    }

    @Test func whatIsKnownFromBeforeIsNoNews() {
        var scene = Watching()
        scene.add(1, home, remembered: RememberedStanding(state: .satisfied))
        scene.add(2, home.moved(by: 5000, bearing: 0), remembered: RememberedStanding(state: .unsatisfied))
        scene.fixes(home, seconds: 60)
        #expect(scene.events.isEmpty)
    }

    @Test func whoWasCarriedAwayWhileNothingRanIsToldOfLeaving() {
        var scene = Watching()
        scene.add(1, home, remembered: RememberedStanding(state: .satisfied))
        scene.add(2, home.moved(by: 5000, bearing: 0), remembered: RememberedStanding(state: .unsatisfied))
        scene.fixes(home.moved(by: 5000, bearing: 0), seconds: 60)
        #expect(scene.told(1) == [.left])
        #expect(scene.told(2) == [.entered])
    }

    @Test func aHundredThousandThatComeAtOnceAreDeterminedInTurns() {
        var scene = Watching()
        var dice = Dice(11)
        let batch = (1...100_000).map { number in
            let place = home.moved(by: Double.random(in: 2000...300_000, using: &dice), bearing: Double.random(in: 0..<360, using: &dice))
            return FenceWatch.Entry(ConditionID(Int64(number)), .circle(place))
        }
        scene.watch.add(batch, at: scene.now)
        scene.fix(home)
        #expect(scene.events.count <= FenceWatch.mostInATurn)
        scene.fixes(home, seconds: 30)
        #expect(Set(scene.events.map(\.condition)).count == 100_000)
        #expect(scene.events.count == 100_000)
        #expect(scene.watch.deadline == nil)
        scene.watch.remove(batch.lazy.map(\.id))
        #expect(scene.watch.isEmpty)
    }
}
