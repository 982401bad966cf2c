import Chronology
import Geodesy
import Geofencing
import Positioning
import Simulator
import Testing

@testable import Simulator

/// Tests of days with fences; `make commuter` prints the same figures over a dozen seeds.
@Suite("A day with fences")
struct FencedDayTests {
    private static func circle(
        _ name: String, at place: Coordinate, radius: Double, assuming: ConditionState = .unknown
    ) -> RehearsedFence {
        RehearsedFence(
            identifier: name,
            condition: FenceCondition(shape: .circle(center: place, radius: radius), assuming: assuming))
    }

    private static func place(in day: SyntheticDay, atMinute minute: Double) throws -> Coordinate {
        try GroundTruthTrack(day.points).route.sample(at: .seconds(minute * 60)).coordinate
    }

    private static func rehearse(
        _ name: String, day: SyntheticDay, fences: [RehearsedFence], streams: [Configuration] = [],
        faults: [Fault] = [], seed: UInt64 = 1, emit: (RehearsalEvent) -> Void = { _ in }
    ) throws -> RehearsalSummary {
        var options = Rehearsal.Options(receiver: .ublox8, streams: streams)
        options.fences = fences
        options.seed = seed
        options.faults = FaultSchedule(faults)
        var rehearsal = try Rehearsal(along: try GroundTruthTrack(day.points), options: options)
        let summary = rehearsal.run(emit)
        let share = (summary.energyShare * 10_000).rounded() / 100
        print(
            "fences: \(name), seed \(seed): \(share) %, reported after \(summary.crossingDelays.map { $0.rounded() }) s"
        )
        return summary
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `home and work crossings arrive within a minute at 12 % energy`(seed: UInt64) throws {
        let day = try #require(SyntheticDay.commuter())
        let fences = [
            Self.circle("home", at: try Self.place(in: day, atMinute: 0), radius: 150),
            Self.circle("work", at: try Self.place(in: day, atMinute: 600), radius: 150),
        ]
        let summary = try Self.rehearse("commuter", day: day, fences: fences, seed: seed)
        #expect(summary.energyShare <= 0.12)
        #expect(summary.events.map(\.kind) == ["determined", "determined", "left", "entered", "left"])
        #expect(summary.missedCrossings == 0 && summary.falseCrossings == 0 && summary.crossingDelays.count == 3)
        #expect(summary.crossingDelays.allSatisfy { $0 <= 60 })
    }

    @Test
    func `a distant fence lets the receiver sleep nearly all day`() throws {
        let day = try #require(SyntheticDay.commuter())
        let rome = try #require(Coordinate(latitude: 41.9, longitude: 12.5))
        let summary = try Self.rehearse(
            "far away", day: day, fences: [Self.circle("Rome", at: rome, radius: 500, assuming: .unsatisfied)])
        #expect(summary.energyShare <= 0.02)
        #expect(summary.events.isEmpty)
    }

    @Test
    func `six hours parked inside a fence produce only the determination`() throws {
        let day = try #require(SyntheticDay.parked())
        let summary = try Self.rehearse(
            "parked", day: day, fences: [Self.circle("home", at: try Self.place(in: day, atMinute: 0), radius: 100)])
        #expect(summary.events.map(\.kind) == ["determined"] && summary.events.first?.verdict == .right)
    }

    @Test
    func `a walk past three fences enters and leaves each once`() throws {
        let day = try #require(SyntheticDay.walk())
        let fences = try [15.0, 55, 95].enumerated().map { index, minute in
            Self.circle(
                "bench \(index)", at: try Self.place(in: day, atMinute: minute), radius: 100, assuming: .unsatisfied)
        }
        let summary = try Self.rehearse("walk", day: day, fences: fences)
        #expect(summary.events.map(\.kind) == ["entered", "left", "entered", "left", "entered", "left"])
        #expect(summary.events.allSatisfy { $0.verdict == .right })
    }

    @Test
    func `a fence does not change the updates of a stream`() throws {
        let day = try #require(SyntheticDay.commuter())
        var updates = 0
        let fences = [Self.circle("home", at: try Self.place(in: day, atMinute: 0), radius: 150)]
        let summary = try Self.rehearse("with a stream", day: day, fences: fences, streams: [.default]) { event in
            if case .update = event.kind { updates += 1 }
        }
        #expect(summary.events.map(\.kind) == ["determined", "left"] && summary.missedCrossings == 0)
        #expect(
            summary.resumeDelays.count == 2 && summary.missedDepartures == 0 && summary.falseResumes == 0
                && updates > 400)
    }

    @Test
    func `an hour without sky does not leave the fence`() throws {
        let day = try #require(SyntheticDay.commuter())
        let outage = Fault(.dropout, start: .seconds(10 * 3600), duration: .seconds(3600))
        let summary = try Self.rehearse(
            "garage", day: day, fences: [Self.circle("work", at: try Self.place(in: day, atMinute: 600), radius: 150)],
            faults: [outage])
        #expect(
            summary.events.map(\.kind) == ["determined", "entered", "left"]
                && summary.events.allSatisfy { $0.verdict == .right })
    }
}
