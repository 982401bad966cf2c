import Chronology
import Geodesy
import Positioning
import Testing

@testable import Geofencing

/// A reference that evaluates every condition with every piece of evidence. The evaluations that
/// the watch skips must not change the result.
struct PlainWatch {
    var witness = EvidenceBuilder()
    var snapshots: [(id: ConditionID, condition: Condition, snapshot: ConditionTracker)] = []
    var events: [ConditionEvent] = []

    mutating func take(_ fix: Fix, at now: Instant) {
        guard let evidence = witness.process(fix, motion: nil, stationaryPosition: nil, at: now),
            evidence.radius <= GeofenceEngine.maxEvaluatedAccuracy
        else { return }
        for index in snapshots.indices {
            let outcomes = snapshots[index].snapshot.process(evidence, of: snapshots[index].condition)
            for outcome in [outcomes.first, outcomes.second].compactMap({ $0 }) {
                events.append(
                    ConditionEvent(
                        snapshots[index].id, outcome.kind, outcome.state, date: outcome.date,
                        location: outcome.margin == nil ? nil : fix,
                        margin: outcome.margin))
            }
        }
    }
}

/// Random fences and a random track through them.
struct Country {
    var dice: Dice
    let center: Coordinate
    private(set) var conditions: [(ConditionID, Condition)] = []

    init(_ seed: UInt64, about center: Coordinate, count: Int, size: Double) {
        (dice, self.center) = (Dice(seed), center)
        for number in 1...count {
            let place = dice.place(within: size, of: center)
            conditions.append((ConditionID(Int64(number)), Condition(shape: shape(at: place))))
        }
    }

    private mutating func shape(at place: Coordinate) -> FenceShape {
        let radius = Double.random(in: 30...800, using: &dice)
        switch Int.random(in: 0..<6, using: &dice) {
        case 0:
            let ring = (0..<5).map { place.moved(by: radius, bearing: Double($0) * 72 + 7) }
            return .polygon(Polygon(ring: ring))
        case 1: return .corridor(path: [place, place.moved(by: 4 * radius, bearing: 33)], width: radius / 2)
        default: return .circle(center: place, radius: radius)
        }
    }

    /// Returns the fixes of a track that turns, stops and sometimes has no fix, with their times.
    mutating func way(_ count: Int) -> [(fix: Fix, at: Instant)] {
        var (place, bearing, speed) = (center, 45.0, 12.0)
        var now = Instant.zero
        return (0..<count).map { _ in
            var step = 1.0
            switch Int.random(in: 0..<200, using: &dice) {
            case 0: step = Double.random(in: 5...100, using: &dice)
            case 1, 2: speed = [0, 1.4, 8, 15, 30].randomElement(using: &dice) ?? 0
            case 3...12: bearing += Double.random(in: -90...90, using: &dice)
            default: break
            }
            now = now + .seconds(step)
            place = place.moved(by: speed * step, bearing: bearing)
            if place.distance(to: center) > 12_000 { bearing = place.initialBearing(to: center) }
            let seen = dice.place(within: 5, of: place)
            return (Watching.fix(seen, accuracy: Double.random(in: 3...9, using: &dice), at: now, speed: speed), now)
        }
    }
}

@Suite struct FenceWatchRandomTests {
    static let places = [
        Coordinate(latitude: 47.28, longitude: 8.56), Coordinate(latitude: -16.8, longitude: 179.98),
        Coordinate(latitude: 89.97, longitude: 20),
    ].compactMap { $0 }

    @Test(arguments: [1, 2, 3]) func `skipped evaluations do not change the results`(seed: UInt64) {
        let center = FenceWatchRandomTests.places[Int(seed) % 3]
        var country = Country(seed, about: center, count: 60, size: 6_000)
        let way = country.way(1200)
        var (watch, plain, events) = (GeofenceEngine(), PlainWatch(), [ConditionEvent]())
        watch.add(country.conditions.map { GeofenceEngine.Entry($0.0, $0.1) }, at: .zero)
        plain.snapshots = country.conditions.map { ($0.0, $0.1, ConditionTracker($0.1)) }
        for (fix, now) in way {
            watch.process(fix, at: now, into: &events)
            plain.take(fix, at: now)
        }
        #expect(events.count > 60)
        for (id, _) in country.conditions {
            let (mine, theirs) = (events.filter { $0.condition == id }, plain.events.filter { $0.condition == id })
            #expect(mine == theirs, "\(id)")
        }
    }

    @Test func `the order of additions does not change the events`() {
        var country = Country(9, about: FenceWatchRandomTests.places[0], count: 80, size: 6_000)
        let way = country.way(700)
        func run(_ conditions: [(ConditionID, Condition)]) -> [ConditionEvent] {
            var (watch, events) = (GeofenceEngine(), [ConditionEvent]())
            for one in conditions { watch.add([GeofenceEngine.Entry(one.0, one.1)], at: .zero) }
            for (fix, now) in way { watch.process(fix, at: now, into: &events) }
            return events
        }
        let forwards = run(country.conditions)
        #expect(run(country.conditions.reversed()) == forwards)
        #expect(run(country.conditions) == forwards)
    }

    @Test(arguments: [1, 2, 3]) func `removed and added conditions leave nothing behind`(seed: UInt64) {
        var country = Country(seed + 20, about: FenceWatchRandomTests.places[Int(seed) % 3], count: 100, size: 5_000)
        let way = country.way(700)
        var (watch, events) = (GeofenceEngine(), [ConditionEvent]())
        var present = Set<ConditionID>()
        for (index, (fix, now)) in way.enumerated() {
            if index % 20 == 0 {
                let some = country.conditions.shuffled(using: &country.dice).prefix(30)
                let (gone, new) = (some.prefix(15).map(\.0), some.suffix(15))
                watch.remove(gone)
                present.subtract(gone)
                watch.add(new.map { GeofenceEngine.Entry($0.0, $0.1) }, at: now)
                present.formUnion(new.map(\.0))
            }
            let told = events.count
            watch.process(fix, at: now, into: &events)
            #expect(events[told...].allSatisfy { present.contains($0.condition) })
            #expect(watch.count == present.count)
        }
        watch.remove(present)
        #expect(watch.isEmpty)
        #expect(watch.deadline == nil)
    }

    @Test func `no condition is left that was not entered`() {
        var country = Country(31, about: FenceWatchRandomTests.places[1], count: 80, size: 5_000)
        var (watch, events) = (GeofenceEngine(), [ConditionEvent]())
        watch.add(country.conditions.map { GeofenceEngine.Entry($0.0, $0.1) }, at: .zero)
        for (fix, now) in country.way(900) { watch.process(fix, at: now, into: &events) }
        for (id, _) in country.conditions {
            let kinds = events.filter { $0.condition == id && $0.kind != .retracted }
            for (before, after) in zip(kinds, kinds.dropFirst()) where after.kind == .left {
                #expect(before.state == .satisfied)
            }
            #expect(watch.state(of: id) == events.last { $0.condition == id }?.state)
        }
    }
}
