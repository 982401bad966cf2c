import Chronology
import Geodesy
import Geofencing
import ReceiverSimulator
import Testing

@testable import Rehearsal

@Suite("True crossings")
struct TrueCrossingsTests {
    /// Goes due north from the equator, a point at each of these seconds and metres.
    static func way(_ points: [(second: Double, metres: Double)]) throws -> TrueWay {
        let start = try #require(Coordinate(latitude: 0, longitude: 10))
        return try TrueWay(
            points.map { second, metres in
                let time = UTCTime(milliseconds: 1_780_272_000_000).advanced(by: .seconds(second))
                return Route.Point(start.moved(by: metres, bearing: 0), time: time)
            })
    }

    /// A circle whose centre lies so many metres on.
    static func circle(_ metres: Double, radius: Double) throws -> FenceShape {
        let start = try #require(Coordinate(latitude: 0, longitude: 10))
        return .circle(center: start.moved(by: metres, bearing: 0), radius: radius)
    }

    @Test("In and out within one leg: both, at their times")
    func throughInOneLeg() throws {
        let truth = TrueCrossings(of: try Self.circle(1000, radius: 100), along: try Self.way([(0, 0), (100, 2000)]).legs)
        #expect(!truth.beginsInside)
        #expect(truth.crossings.map(\.isEntry) == [true, false])
        #expect(truth.crossings.map { ($0.at.seconds * 100).rounded() / 100 } == [45, 55])
        #expect(truth.crossings.allSatisfy { $0.depth > 90 })
    }

    @Test("A way that does not reach it crosses nothing")
    func beside() throws {
        let truth = TrueCrossings(of: try Self.circle(3000, radius: 100), along: try Self.way([(0, 0), (100, 2000)]).legs)
        #expect(truth.crossings.isEmpty)
    }

    @Test("It begins inside, rests, and leaves in a later leg")
    func leaves() throws {
        let way = try Self.way([(0, 0), (3600, 0), (3610, 100), (3700, 1000)])
        let truth = TrueCrossings(of: try Self.circle(0, radius: 150), along: way.legs)
        #expect(truth.beginsInside && truth.crossings.map { Int($0.at.seconds.rounded()) } == [3615])
    }

    @Test("How far it gets beyond the boundary is told")
    func depth() throws {
        let way = try Self.way([(0, 0), (100, 110), (200, 0), (300, 10)])
        let truth = TrueCrossings(of: try Self.circle(0, radius: 100), along: way.legs)
        #expect(truth.crossings.count == 2)
        #expect(truth.crossings.map { $0.depth.rounded() } == [10, 100])
    }
}

@Suite("The ledger of fences")
struct FenceLedgerTests {
    /// North for a minute at 20 m/s, a stay of an hour, and back: the fence of 100 m about the far end is entered at 55 s, left at 3665 s.
    private static let way = [(0.0, 0.0), (60, 1200), (3660, 1200), (3720, 0), (4000, 0)]

    private static func ledger(_ way: [(Double, Double)] = way) throws -> FenceLedger {
        let fence = RehearsedFence(identifier: "work", condition: Condition(shape: try TrueCrossingsTests.circle(1200, radius: 100)))
        return FenceLedger([fence], on: try TrueCrossingsTests.way(way))
    }

    private static func event(_ kind: ConditionEvent.Kind, _ state: ConditionState) -> ConditionEvent {
        ConditionEvent(ConditionID(1), kind, state)
    }

    @Test("Entry and exit told: right, with their delays")
    func right() throws {
        var ledger = try Self.ledger()
        ledger.note(Self.event(.determined, .unsatisfied), of: 0, at: .seconds(20))
        ledger.note(Self.event(.entered, .satisfied), of: 0, at: .seconds(70))
        ledger.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(3690))
        ledger.finish()
        #expect(ledger.accounts.map(\.verdict) == [.right, .right, .right])
        #expect(ledger.delays.map { $0.rounded() } == [15, 25])
        #expect(ledger.accounts[1].crossed == "2026-06-01T00:00:55.000Z")
    }

    @Test("Nothing told: both are missed, in their order")
    func missed() throws {
        var ledger = try Self.ledger()
        ledger.note(Self.event(.determined, .unsatisfied), of: 0, at: .seconds(20))
        ledger.finish()
        #expect(ledger.accounts.map(\.kind) == ["determined", "entered", "left"] && ledger.count(.missed) == 2)
    }

    @Test("Told though it was not so: wrong, and the true one is still owed")
    func wrong() throws {
        var ledger = try Self.ledger()
        ledger.note(Self.event(.determined, .satisfied), of: 0, at: .seconds(5))
        ledger.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(2000))
        ledger.finish()
        #expect(ledger.accounts.map(\.verdict) == [.wrong, .missed, .wrong, .missed])
    }

    @Test("Told twice: the second is not a crossing")
    func twice() throws {
        var ledger = try Self.ledger()
        ledger.note(Self.event(.entered, .satisfied), of: 0, at: .seconds(60))
        ledger.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(1000))
        ledger.note(Self.event(.entered, .satisfied), of: 0, at: .seconds(1100))
        ledger.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(3670))
        #expect(ledger.accounts.map(\.verdict) == [.right, .wrong, .wrong, .right])
    }

    @Test("A step over the boundary is owed by nobody, and told by whoever wants to")
    func step() throws {
        let step = [(0.0, 1200.0), (600, 1200), (610, 1310), (620, 1200), (4000, 1200)]
        var silent = try Self.ledger(step)
        silent.finish()
        #expect(silent.accounts.isEmpty)
        var told = try Self.ledger(step)
        told.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(612))
        #expect(told.accounts.map(\.verdict) == [.unjudged])
    }

    @Test("Who hangs about at the boundary and then leaves is owed one exit, however early it was told")
    func dither() throws {
        let dither = [(0.0, 1200.0), (600, 1200), (610, 1310), (620, 1290), (700, 1310), (720, 1500), (4000, 1500)]
        var ledger = try Self.ledger(dither)
        ledger.note(Self.event(.left, .unsatisfied), of: 0, at: .seconds(615))
        ledger.finish()
        #expect(ledger.accounts.map(\.verdict) == [.right])
    }

    @Test("What was before the first determination is not owed")
    func before() throws {
        var ledger = try Self.ledger()
        ledger.note(Self.event(.determined, .satisfied), of: 0, at: .seconds(100))
        ledger.finish()
        #expect(ledger.accounts.map(\.verdict) == [.right, .missed])
    }
}
