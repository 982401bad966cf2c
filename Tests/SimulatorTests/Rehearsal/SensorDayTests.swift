import Chronology
import Geofencing
import Locator
import Positioning
import Testing

@testable import Simulator

/// Days with a motion source, beside the same days without one.
@Suite("A day with a motion source")
struct SensorDayTests {
    private static func rehearse(
        _ day: SyntheticDay?, _ sensor: RehearsedSensor.Behavior?, streams: [Configuration] = [], fenced: Bool = true,
        seed: UInt64 = 1, faults: FaultSchedule = FaultSchedule()
    ) throws -> RehearsalSummary {
        let day = try #require(day)
        let track = try GroundTruthTrack(day.points)
        var options = Rehearsal.Options(receiver: .ublox8, streams: streams)
        if fenced {
            let home = FenceCondition(shape: .circle(center: track.route.sample(at: .zero).coordinate, radius: 150))
            options.fences = [RehearsedFence(identifier: "home", condition: home)]
        }
        options.sensor = sensor
        options.seed = seed
        options.faults = faults
        var rehearsal = try Rehearsal(along: track, options: options)
        let summary = rehearsal.run { _ in }
        print(
            "motion: \(sensor?.rawValue ?? "none"), \(streams.map(\.rawValue)), fence \(fenced), seed \(seed): "
                + "\(summary.energyJoules.rounded()) J, \(summary.hostWakeups) wakeups, crossings "
                + "\(summary.crossingDelays.map { $0.rounded() }), departures \(summary.resumeDelays), "
                + "\(summary.motionSource.map { "\($0)" } ?? "")")
        return summary
    }

    /// 24 hours in one place.
    private static func parked() -> SyntheticDay? {
        var day = SyntheticDay()
        day?.stay(minutes: 24 * 60 - 1)
        return day
    }

    @Test func `a parked device with a fence needs at most 60 J and 700 wakeups with a trusted source`() throws {
        let summary = try Self.rehearse(Self.parked(), .good)
        #expect(summary.energyJoules <= 60 && summary.hostWakeups <= 700)
        #expect(summary.events.map(\.kind) == ["determined"])
        #expect(summary.motionSource?.trust == "trusted")
    }

    @Test func `a parked device with a stream needs at most 50 J with a trusted source`() throws {
        let summary = try Self.rehearse(Self.parked(), .good, streams: [.default], fenced: false)
        #expect(summary.energyJoules <= 50)
    }

    @Test(arguments: [true, false])
    func `a nervous source costs at most 5 % more than none`(fenced: Bool) throws {
        let streams: [Configuration] = fenced ? [] : [.default]
        let without = try Self.rehearse(Self.parked(), nil, streams: streams, fenced: fenced)
        for sensor in [RehearsedSensor.Behavior.nervous, .boat] {
            let with = try Self.rehearse(Self.parked(), sensor, streams: streams, fenced: fenced)
            #expect(with.energyJoules <= 1.05 * without.energyJoules)
            // Its trust has ended: the device is checked as without it.
            #expect(with.motionSource?.trust == "nervous" && with.energyJoules >= 0.9 * without.energyJoules)
            #expect(with.events.map(\.kind) == without.events.map(\.kind))
        }
    }

    @Test func `a good source lets a commuter's departures be reported in seconds`() throws {
        let without = try Self.rehearse(.commuter(), nil, streams: [.default], fenced: false)
        let with = try Self.rehearse(.commuter(), .good, streams: [.default], fenced: false)
        #expect(with.resumeDelays.count == 2 && with.resumeDelays.allSatisfy { $0 <= 20 })
        #expect(with.energyJoules < 0.85 * without.energyJoules)
        #expect(with.missedDepartures == 0 && with.falseResumes == 0 && with.motionSource?.trust == "trusted")
    }

    @Test func `a source that goes deaf delays one departure by an hour at most`() throws {
        let summary = try Self.rehearse(.commuter(), .deaf)
        #expect(summary.missedCrossings == 0 && summary.falseCrossings == 0)
        #expect(summary.motionSource == RehearsalSummary.Sensor(MotionSource(name: "", trust: .deaf)))
        let delays = summary.crossingDelays
        #expect(delays.count { $0 > 60 } <= 1 && delays.allSatisfy { $0 <= 3660 })
    }

    /// The longest pause of the search without sky is 280 s.
    @Test(arguments: [RehearsedSensor.Behavior.deaf, .good])
    func `a departure from under a roof is published as soon as without a source`(
        sensor: RehearsedSensor.Behavior
    ) throws {
        var day = SyntheticDay()
        day?.stay(minutes: 6 * 60)
        day?.drive(minutes: 30)
        day?.stay(minutes: 60)
        let roof = FaultSchedule([Fault(.dropout, start: .seconds(3600), duration: .seconds(5 * 3600 + 30))])
        let without = try Self.rehearse(day, nil, faults: roof)
        let with = try Self.rehearse(day, sensor, faults: roof)
        #expect(with.missedCrossings == 0 && without.missedCrossings == 0 && with.crossingDelays.count == 1)
        let longest = try #require(without.crossingDelays.max())
        #expect(with.crossingDelays.allSatisfy { $0 <= longest + 280 })
    }

    @Test func `a train that starts too gently is reported after a minute`() throws {
        let summary = try Self.rehearse(.commuter(), .train)
        #expect(summary.missedCrossings == 0 && summary.falseCrossings == 0)
        #expect(summary.crossingDelays.allSatisfy { $0 <= 120 })
    }

    /// The longest delay without a source is that of a check every 40 s and its confirmation.
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `whatever a source reports that is not trusted, no crossing is missed and 5 % are not exceeded`(
        seed: UInt64
    ) throws {
        let without = try Self.rehearse(.commuter(), nil, seed: seed)
        let with = try Self.rehearse(.commuter(), .random, seed: seed)
        #expect(with.missedCrossings == 0 && with.falseCrossings == 0)
        #expect(with.crossingDelays.allSatisfy { $0 <= 60 })
        #expect(with.energyJoules <= 1.05 * without.energyJoules)
        let parked = try Self.rehearse(Self.parked(), nil, streams: [.default], fenced: false, seed: seed)
        let stream = try Self.rehearse(Self.parked(), .random, streams: [.default], fenced: false, seed: seed)
        #expect(stream.energyJoules <= 1.05 * parked.energyJoules && stream.falseResumes <= parked.falseResumes)
    }
}
