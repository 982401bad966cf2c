import Chronology
import Geodesy
import Positioning
import Testing

@testable import Geofencing

/// The limits of what counts as a crossing.
@Suite struct CrossingLimitTests {
    private static let center = Coordinate(latitude: 48, longitude: 11)

    private func fix(north: Double, speed: Double?, accuracy: Double, second: Double) throws -> Fix {
        var fix = Fix(mode: .threeD, quality: .autonomous)
        fix.coordinate = try #require(Self.center).moved(by: north, bearing: 0)
        (fix.horizontalAccuracy, fix.speed) = (accuracy, speed)
        fix.time = UTCTime(milliseconds: Int64(second * 1000))
        return fix
    }

    /// Positions 10 km apart within a minute, on both sides of a circle of 1 km, imply 167 m/s.
    @Test(arguments: [(20.0, []), (100, []), (120, ["entered", "left"])] as [(Double, [String])])
    func `a path that the reported speed does not explain passes through nothing`(
        speed: Double, expected: [String]
    ) throws {
        let condition = FenceCondition(shape: .circle(center: try #require(Self.center), radius: 1000))
        var tracker = ConditionTracker(condition)
        var builder = EvidenceBuilder()
        var kinds: [String] = []
        for (second, north) in [(0.0, -5040.0), (1, -5020), (2, -5000), (62, 5000), (63, 5020)] {
            let fix = try fix(north: north, speed: speed, accuracy: 4, second: second)
            let now = Instant.zero + .seconds(second)
            let evidence = builder.process(fix, motion: nil, stationaryPosition: nil, at: now)
            let outcomes = tracker.process(try #require(evidence), of: condition)
            kinds += [outcomes.first, outcomes.second].compactMap { $0.map { "\($0.kind)" } }
        }
        #expect(kinds == ["determined"] + expected)
    }

    /// A check at rest finds the device on the other side, and a later one decides.
    @Test func `a passage during a departure is published when the departure is certain`() throws {
        let center = try #require(Self.center)
        let condition = FenceCondition(shape: .circle(center: center, radius: 300), assuming: .unsatisfied)
        var tracker = ConditionTracker(condition)
        var builder = EvidenceBuilder()
        let place = StationaryPlace(
            coordinate: center.moved(by: 400, bearing: 180), horizontalAccuracy: 2, since: .zero)
        for (second, north, speed) in [(120.0, -400.0, 0.0), (150, -400, 0), (180, 450, 17), (210, 960, 17)] {
            let evidence = builder.process(
                try fix(north: north, speed: speed, accuracy: 4, second: second), motion: nil,
                stationaryPosition: place, at: .zero + .seconds(second))
            #expect(tracker.process(try #require(evidence), of: condition).isEmpty)
        }
        #expect(tracker.state == .unsatisfied)
        let evidence = builder.process(
            try fix(north: 1011, speed: 17, accuracy: 4, second: 213), motion: nil, stationaryPosition: nil,
            at: .zero + .seconds(213))
        let outcomes = tracker.process(try #require(evidence), of: condition)
        #expect(outcomes.first?.kind == .entered && outcomes.second?.kind == .left)
        #expect(tracker.state == .unsatisfied)
    }

    /// Averaged positions wander by metres even where the averaging claims less.
    @Test(arguments: [(1.0, 5.0), (2, 5), (5, 5), (8, 8)])
    func `a stationary device must be at least 5 metres beyond a boundary`(accuracy: Double, depth: Double) throws {
        let center = try #require(Self.center)
        var builder = EvidenceBuilder()
        let place = StationaryPlace(
            coordinate: center.moved(by: 103, bearing: 0), horizontalAccuracy: accuracy, since: .zero)
        var evidence: FenceEvidence?
        for second in [120.0, 121, 122] {
            evidence = builder.process(
                try fix(north: 103, speed: 0, accuracy: accuracy, second: second), motion: nil,
                stationaryPosition: place, at: .zero + .seconds(second))
        }
        let resting = try #require(evidence)
        #expect(resting.isAtRest)
        let shape = FenceShape.circle(center: center, radius: 100)
        let test = BoundaryTest(of: resting, against: shape, distance: -3, halfDepth: 50)
        #expect(test.requiredDepth(inside: false) == depth)
    }
}
