import MotionReport
import TestSupport
import Testing

/// Fence decisions over whole logs, made by the same core that the daemon runs; `make fences`
/// prints the table.
@Suite(.enabled(if: SharedCaptures.folder != nil, Comment(rawValue: SharedCaptures.whereToFindThem)))
struct FenceFiguresTests {
    private func trial(_ log: TrialLog) throws -> FenceTrial {
        FenceTrial(RecordedFixes.of(try PackageFiles.read("\(SharedCaptures.folder ?? "")/\(log.file)")))
    }

    /// Plain containment gives 20 crossings per hour for each circle.
    @Test(arguments: TrialLog.all.filter { $0.kind == .rest })
    func `a parked device crosses hardly any boundary`(log: TrialLog) throws {
        let trial = StationaryFenceTrial(try trial(log))
        #expect(trial.perHour <= 0.1 && trial.plainPerHour > 5)
    }

    @Test(arguments: ["google_F9K_drive.nmea", "openrvdas_PCOD.log", "openrvdas_seap.log", "openrvdas_gp02.log"])
    func `each crossing is published once and within 25 seconds`(name: String) throws {
        let log = try #require(TrialLog.all.first { $0.file.hasSuffix(name) })
        let trial = MovingFenceTrial(try trial(log))
        #expect(trial.crossings >= 14 && trial.found == trial.crossings && trial.wrong == 0)
        let delays = trial.delays.sorted()
        #expect(try #require(delays.dropFirst(delays.count * 95 / 100).first) <= 25)
    }
}

@Suite struct SyntheticFenceTests {
    @Test(arguments: SyntheticRest.Sky.allCases)
    func `a synthetic stationary device crosses hardly any boundary`(sky: SyntheticRest.Sky) {
        #expect(
            StationaryFenceTrial(FenceTrial(SyntheticRest.fixes(sky, hours: 1, seed: 11)), directions: 2).perHour <= 0.1
        )
    }

    @Test(arguments: SyntheticTrack.TravelMode.allCases)
    func `a synthetic track crosses each boundary once`(mode: SyntheticTrack.TravelMode) {
        let track = SyntheticTrack(mode: mode, hours: mode == .walk ? 2 : 0.25, seed: 11)
        let trial = MovingFenceTrial(FenceTrial(track.fixes), track: track.truth)
        #expect(trial.crossings >= 10 && trial.found == trial.crossings && trial.wrong == 0)
    }
}
