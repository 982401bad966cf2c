import Chronology
import Geodesy
import Positioning
import Testing

@testable import Geofencing

/// A reference that evaluates every condition with every piece of evidence. The evaluations that
/// the watch skips must not change the result.
struct ReferenceEngine {
    var evidenceBuilder = EvidenceBuilder()
    var snapshots: [(id: ConditionID, condition: FenceCondition, snapshot: ConditionTracker)] = []
    var events: [ConditionEvent] = []

    mutating func process(_ fix: Fix, at now: Instant) {
        guard let evidence = evidenceBuilder.process(fix, motion: nil, stationaryPosition: nil, at: now),
            evidence.radius <= GeofenceEngine.maxEvaluatedAccuracy
        else { return }
        for index in snapshots.indices {
            let outcomes = snapshots[index].snapshot.process(evidence, of: snapshots[index].condition)
            for outcome in [outcomes.first, outcomes.second].compactMap({ $0 }) {
                events.append(
                    ConditionEvent(
                        snapshots[index].id, kind: outcome.kind, state: outcome.state, date: outcome.date,
                        location: outcome.margin == nil ? nil : fix,
                        margin: outcome.margin))
            }
        }
    }
}

/// Random fences and a random track through them.
struct RandomFences {
    var generator: SeededGenerator
    let center: Coordinate
    private(set) var conditions: [(ConditionID, FenceCondition)] = []

    init(_ seed: UInt64, about center: Coordinate, count: Int, size: Double) {
        (generator, self.center) = (SeededGenerator(seed), center)
        for number in 1...count {
            let place = generator.place(within: size, of: center)
            conditions.append((ConditionID(Int64(number)), FenceCondition(shape: shape(at: place))))
        }
    }

    private mutating func shape(at place: Coordinate) -> FenceShape {
        let radius = Double.random(in: 30...800, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            let ring = (0..<5).map { place.moved(by: radius, bearing: Double($0) * 72 + 7) }
            return .polygon(Polygon(ring: ring))
        case 1: return .corridor(path: [place, place.moved(by: 4 * radius, bearing: 33)], width: radius / 2)
        default: return .circle(center: place, radius: radius)
        }
    }

    /// Returns the fixes of a track that turns, stops and sometimes has no fix, with their times.
    mutating func fixes(_ count: Int) -> [(fix: Fix, at: Instant)] {
        var place = center
        var bearing = 45.0
        var speed = 12.0
        var now = Instant.zero
        return (0..<count).map { _ in
            var step = 1.0
            switch Int.random(in: 0..<200, using: &generator) {
            case 0: step = Double.random(in: 5...100, using: &generator)
            case 1, 2: speed = [0, 1.4, 8, 15, 30].randomElement(using: &generator) ?? 0
            case 3...12: bearing += Double.random(in: -90...90, using: &generator)
            default: break
            }
            now = now + .seconds(step)
            place = place.moved(by: speed * step, bearing: bearing)
            if place.distance(to: center) > 12_000 { bearing = place.initialBearing(to: center) }
            let reported = generator.place(within: 5, of: place)
            return (
                EngineScenario.fix(
                    reported, accuracy: Double.random(in: 3...9, using: &generator), at: now, speed: speed), now
            )
        }
    }
}

@Suite struct GeofenceEngineRandomTests {
    static let places = [
        Coordinate(latitude: 47.28, longitude: 8.56), Coordinate(latitude: -16.8, longitude: 179.98),
        Coordinate(latitude: 89.97, longitude: 20),
    ].compactMap { $0 }

    @Test(arguments: [1, 2, 3]) func `skipped evaluations do not change the results`(seed: UInt64) {
        let center = GeofenceEngineRandomTests.places[Int(seed) % 3]
        var fences = RandomFences(seed, about: center, count: 60, size: 6_000)
        let fixes = fences.fixes(1200)
        var engine = GeofenceEngine()
        var reference = ReferenceEngine()
        var events = [ConditionEvent]()
        engine.add(fences.conditions.map { GeofenceEngine.Entry(id: $0.0, condition: $0.1) }, at: .zero)
        reference.snapshots = fences.conditions.map { ($0.0, $0.1, ConditionTracker($0.1)) }
        for (fix, now) in fixes {
            engine.process(fix, at: now, into: &events)
            reference.process(fix, at: now)
        }
        #expect(events.count > 60)
        for (id, _) in fences.conditions {
            let (actual, expected) = (
                events.filter { $0.condition == id }, reference.events.filter { $0.condition == id }
            )
            #expect(actual == expected, "\(id)")
        }
    }

    @Test func `the order of additions does not change the events`() {
        var fences = RandomFences(9, about: GeofenceEngineRandomTests.places[0], count: 80, size: 6_000)
        let fixes = fences.fixes(700)
        func run(_ conditions: [(ConditionID, FenceCondition)]) -> [ConditionEvent] {
            var (engine, events) = (GeofenceEngine(), [ConditionEvent]())
            for one in conditions { engine.add([GeofenceEngine.Entry(id: one.0, condition: one.1)], at: .zero) }
            for (fix, now) in fixes { engine.process(fix, at: now, into: &events) }
            return events
        }
        let forwards = run(fences.conditions)
        #expect(run(fences.conditions.reversed()) == forwards)
        #expect(run(fences.conditions) == forwards)
    }

    @Test(arguments: [1, 2, 3]) func `removed and added conditions leave nothing behind`(seed: UInt64) {
        var fences = RandomFences(
            seed + 20, about: GeofenceEngineRandomTests.places[Int(seed) % 3], count: 100, size: 5_000)
        let fixes = fences.fixes(700)
        var (engine, events) = (GeofenceEngine(), [ConditionEvent]())
        var present = Set<ConditionID>()
        for (index, (fix, now)) in fixes.enumerated() {
            if index % 20 == 0 {
                let chosen = fences.conditions.shuffled(using: &fences.generator).prefix(30)
                let (removed, added) = (chosen.prefix(15).map(\.0), chosen.suffix(15))
                engine.remove(removed)
                present.subtract(removed)
                engine.add(added.map { GeofenceEngine.Entry(id: $0.0, condition: $0.1) }, at: now)
                present.formUnion(added.map(\.0))
            }
            let firstNew = events.count
            engine.process(fix, at: now, into: &events)
            #expect(events[firstNew...].allSatisfy { present.contains($0.condition) })
            #expect(engine.count == present.count)
        }
        engine.remove(present)
        #expect(engine.isEmpty)
        #expect(engine.deadline == nil)
    }

    @Test func `no condition is left that was not entered`() {
        var fences = RandomFences(31, about: GeofenceEngineRandomTests.places[1], count: 80, size: 5_000)
        var (engine, events) = (GeofenceEngine(), [ConditionEvent]())
        engine.add(fences.conditions.map { GeofenceEngine.Entry(id: $0.0, condition: $0.1) }, at: .zero)
        for (fix, now) in fences.fixes(900) { engine.process(fix, at: now, into: &events) }
        for (id, _) in fences.conditions {
            let firstNew = events.filter { $0.condition == id && $0.kind != .retracted }
            for (before, after) in zip(firstNew, firstNew.dropFirst()) where after.kind == .left {
                #expect(before.state == .satisfied)
            }
            #expect(engine.state(of: id) == events.last { $0.condition == id }?.state)
        }
    }
}
