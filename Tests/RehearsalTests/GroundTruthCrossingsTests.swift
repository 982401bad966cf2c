import Chronology
import Geodesy
import Geofencing
import ReceiverSimulator
import Testing

@testable import Rehearsal

@Suite("True crossings")
struct GroundTruthCrossingsTests {
    /// Returns a track due north from the equator with a point at each of these seconds and metres.
    static func way(_ points: [(second: Double, metres: Double)]) throws -> GroundTruthTrack {
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
            of: try Self.circle(1000, radius: 100), along: try Self.way([(0, 0), (100, 2000)]).legs)
        #expect(!truth.beginsInside)
        #expect(truth.crossings.map(\.isEntry) == [true, false])
        #expect(truth.crossings.map { ($0.at.seconds * 100).rounded() / 100 } == [45, 55])
        #expect(truth.crossings.allSatisfy { $0.depth > 90 })
    }

    @Test
    func `a track that does not reach the fence crosses nothing`() throws {
        let truth = GroundTruthCrossings(
            of: try Self.circle(3000, radius: 100), along: try Self.way([(0, 0), (100, 2000)]).legs)
        #expect(truth.crossings.isEmpty)
    }

    @Test
    func `a track that begins inside leaves in a later leg`() throws {
        let way = try Self.way([(0, 0), (3600, 0), (3610, 100), (3700, 1000)])
        let truth = GroundTruthCrossings(of: try Self.circle(0, radius: 150), along: way.legs)
        #expect(truth.beginsInside && truth.crossings.map { Int($0.at.seconds.rounded()) } == [3615])
    }

    @Test
    func `the depth beyond the boundary is recorded`() throws {
        let way = try Self.way([(0, 0), (100, 110), (200, 0), (300, 10)])
        let truth = GroundTruthCrossings(of: try Self.circle(0, radius: 100), along: way.legs)
        #expect(truth.crossings.count == 2)
        #expect(truth.crossings.map { $0.depth.rounded() } == [10, 100])
    }
}

@Suite("The ledger of fences")
struct CrossingScoreTests {
    /// North for a minute at 20 m/s, an hour's stay, and back. The track enters the fence of 100 m
    /// around the far end at 55 s and leaves it at 3665 s.
    private static let way = [(0.0, 0.0), (60, 1200), (3660, 1200), (3720, 0), (4000, 0)]

    private static func ledger(_ way: [(Double, Double)] = way) throws -> CrossingScore {
        let fence = RehearsedFence(
            identifier: "work", condition: Condition(shape: try GroundTruthCrossingsTests.circle(1200, radius: 100)))
        return CrossingScore([fence], on: try GroundTruthCrossingsTests.way(way))
    }

    private static func event(_ kind: ConditionEvent.Kind, _ state: ConditionState) -> ConditionEvent {
        ConditionEvent(ConditionID(1), kind: kind, state: state)
    }

    @Test
    func `reported entry and exit are right and have their delays`() throws {
        var ledger = try Self.ledger()
        ledger.note(Self.event(.determined, .unsatisfied), of: 0, at: .seconds(20))
        ledger.note(Self.event(.entered, .satisfied), of: 0, at: .seconds(70))
        ledger.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(3690))
        ledger.finish()
        #expect(ledger.accounts.map(\.verdict) == [.right, .right, .right])
        #expect(ledger.delays.map { $0.rounded() } == [15, 25])
        #expect(ledger.accounts[1].crossed == "2026-06-01T00:00:55.000Z")
    }

    @Test
    func `unreported crossings are missed in order`() throws {
        var ledger = try Self.ledger()
        ledger.note(Self.event(.determined, .unsatisfied), of: 0, at: .seconds(20))
        ledger.finish()
        #expect(ledger.accounts.map(\.kind) == ["determined", "entered", "left"] && ledger.count(.missed) == 2)
    }

    @Test
    func `a false event is wrong and the true one remains missed`() throws {
        var ledger = try Self.ledger()
        ledger.note(Self.event(.determined, .satisfied), of: 0, at: .seconds(5))
        ledger.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(2000))
        ledger.finish()
        #expect(ledger.accounts.map(\.verdict) == [.wrong, .missed, .wrong, .missed])
    }

    @Test
    func `a repeated crossing is wrong`() throws {
        var ledger = try Self.ledger()
        ledger.note(Self.event(.entered, .satisfied), of: 0, at: .seconds(60))
        ledger.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(1000))
        ledger.note(Self.event(.entered, .satisfied), of: 0, at: .seconds(1100))
        ledger.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(3670))
        #expect(ledger.accounts.map(\.verdict) == [.right, .wrong, .wrong, .right])
    }

    @Test
    func `a short step over the boundary is optional`() throws {
        let step = [(0.0, 1200.0), (600, 1200), (610, 1310), (620, 1200), (4000, 1200)]
        var silent = try Self.ledger(step)
        silent.finish()
        #expect(silent.accounts.isEmpty)
        var told = try Self.ledger(step)
        told.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(612))
        #expect(told.accounts.map(\.verdict) == [.notScored])
    }

    @Test
    func `dithering at the boundary requires one exit`() throws {
        let dither = [(0.0, 1200.0), (600, 1200), (610, 1310), (620, 1290), (700, 1310), (720, 1500), (4000, 1500)]
        var ledger = try Self.ledger(dither)
        ledger.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(615))
        ledger.finish()
        #expect(ledger.accounts.map(\.verdict) == [.right])
    }

    @Test
    func `crossings before the first determination are not required`() throws {
        var ledger = try Self.ledger()
        ledger.note(Self.event(.determined, .satisfied), of: 0, at: .seconds(100))
        ledger.finish()
        #expect(ledger.accounts.map(\.verdict) == [.right, .missed])
    }
}
