import Chronology
import Geodesy
import Positioning
import Simulator
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
