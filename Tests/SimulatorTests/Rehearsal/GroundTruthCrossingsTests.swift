import Chronology
import Geodesy
import Geofencing
import Simulator
import Testing

@testable import Simulator

@Suite("True crossings")
struct GroundTruthCrossingsTests {
    /// Returns a track due north from the equator with a point at each of these seconds and metres.
    static func track(_ points: [(second: Double, metres: Double)]) throws -> GroundTruthTrack {
        let start = try #require(Coordinate(latitude: 0, longitude: 10))
        return try GroundTruthTrack(
            points.map { second, metres in
                let time = UTCTime(milliseconds: 1_780_272_000_000).advanced(by: .seconds(second))
                return Route.Point(start.moved(by: metres, bearing: 0), time: time)
            })
    }

    /// Returns a circle whose centre is these metres along the track.
    static func circle(_ metres: Double, radius: Double) throws -> FenceShape {
        let start = try #require(Coordinate(latitude: 0, longitude: 10))
        return .circle(center: start.moved(by: metres, bearing: 0), radius: radius)
    }

    @Test
    func `entry and exit within one leg are both found`() throws {
        let truth = GroundTruthCrossings(
            of: try Self.circle(1000, radius: 100), along: try Self.track([(0, 0), (100, 2000)]).legs)
        #expect(!truth.beginsInside)
        #expect(truth.crossings.map(\.isEntry) == [true, false])
        #expect(truth.crossings.map { ($0.time.seconds * 100).rounded() / 100 } == [45, 55])
        #expect(truth.crossings.allSatisfy { $0.depth > 90 })
    }

    @Test
    func `a track that does not reach the fence crosses nothing`() throws {
        let truth = GroundTruthCrossings(
            of: try Self.circle(3000, radius: 100), along: try Self.track([(0, 0), (100, 2000)]).legs)
        #expect(truth.crossings.isEmpty)
    }

    @Test
    func `a track that begins inside leaves in a later leg`() throws {
        let track = try Self.track([(0, 0), (3600, 0), (3610, 100), (3700, 1000)])
        let truth = GroundTruthCrossings(of: try Self.circle(0, radius: 150), along: track.legs)
        #expect(truth.beginsInside && truth.crossings.map { Int($0.time.seconds.rounded()) } == [3615])
    }

    @Test
    func `the depth beyond the boundary is recorded`() throws {
        let track = try Self.track([(0, 0), (100, 110), (200, 0), (300, 10)])
        let truth = GroundTruthCrossings(of: try Self.circle(0, radius: 100), along: track.legs)
        #expect(truth.crossings.count == 2)
        #expect(truth.crossings.map { $0.depth.rounded() } == [10, 100])
    }
}

@Suite("The score of fence events")
struct CrossingScoreTests {
    /// North for a minute at 20 m/s, an hour's stay, and back. The track enters the fence of 100 m
    /// around the far end at 55 s and leaves it at 3665 s.
    private static let points = [(0.0, 0.0), (60, 1200), (3660, 1200), (3720, 0), (4000, 0)]

    private static func score(along points: [(Double, Double)] = points) throws -> CrossingScore {
        let fence = RehearsedFence(
            identifier: "work",
            condition: FenceCondition(shape: try GroundTruthCrossingsTests.circle(1200, radius: 100)))
        return CrossingScore([fence], on: try GroundTruthCrossingsTests.track(points))
    }

    private static func event(_ kind: ConditionEvent.Kind, state: ConditionState) -> ConditionEvent {
        ConditionEvent(ConditionID(1), kind: kind, state: state)
    }

    @Test
    func `reported entry and exit are right and have their delays`() throws {
        var score = try Self.score()
        score.record(Self.event(.determined, state: .unsatisfied), ofFence: 0, at: .seconds(20))
        score.record(Self.event(.entered, state: .satisfied), ofFence: 0, at: .seconds(70))
        score.record(Self.event(.left, state: .unsatisfied), ofFence: 0, at: .seconds(3690))
        score.finish()
        #expect(score.results.map(\.verdict) == [.right, .right, .right])
        #expect(score.delays.map { $0.rounded() } == [15, 25])
        #expect(score.results[1].crossed == "2026-06-01T00:00:55.000Z")
    }

    @Test
    func `unreported crossings are missed in order`() throws {
        var score = try Self.score()
        score.record(Self.event(.determined, state: .unsatisfied), ofFence: 0, at: .seconds(20))
        score.finish()
        #expect(score.results.map(\.kind) == ["determined", "entered", "left"] && score.count(of: .missed) == 2)
    }

    @Test
    func `a false event is wrong and the true one remains missed`() throws {
        var score = try Self.score()
        score.record(Self.event(.determined, state: .satisfied), ofFence: 0, at: .seconds(5))
        score.record(Self.event(.left, state: .unsatisfied), ofFence: 0, at: .seconds(2000))
        score.finish()
        #expect(score.results.map(\.verdict) == [.wrong, .missed, .wrong, .missed])
    }

    @Test
    func `a repeated crossing is wrong`() throws {
        var score = try Self.score()
        score.record(Self.event(.entered, state: .satisfied), ofFence: 0, at: .seconds(60))
        score.record(Self.event(.left, state: .unsatisfied), ofFence: 0, at: .seconds(1000))
        score.record(Self.event(.entered, state: .satisfied), ofFence: 0, at: .seconds(1100))
        score.record(Self.event(.left, state: .unsatisfied), ofFence: 0, at: .seconds(3670))
        #expect(score.results.map(\.verdict) == [.right, .wrong, .wrong, .right])
    }

    @Test
    func `a short step over the boundary is optional`() throws {
        let step = [(0.0, 1200.0), (600, 1200), (610, 1310), (620, 1200), (4000, 1200)]
        var silent = try Self.score(along: step)
        silent.finish()
        #expect(silent.results.isEmpty)
        var reported = try Self.score(along: step)
        reported.record(Self.event(.left, state: .unsatisfied), ofFence: 0, at: .seconds(612))
        #expect(reported.results.map(\.verdict) == [.notScored])
    }

    @Test
    func `dithering at the boundary requires one exit`() throws {
        let dither = [(0.0, 1200.0), (600, 1200), (610, 1310), (620, 1290), (700, 1310), (720, 1500), (4000, 1500)]
        var score = try Self.score(along: dither)
        score.record(Self.event(.left, state: .unsatisfied), ofFence: 0, at: .seconds(615))
        score.finish()
        #expect(score.results.map(\.verdict) == [.right])
    }

    @Test
    func `crossings before the first determination are not required`() throws {
        var score = try Self.score()
        score.record(Self.event(.determined, state: .satisfied), ofFence: 0, at: .seconds(100))
        score.finish()
        #expect(score.results.map(\.verdict) == [.right, .missed])
    }
}
