import MotionReport
import Testing

/// The decision of a fence over whole logs, through the very core that the daemon runs; `make fences` prints the table.
@Suite(.enabled(if: SharedCaptures.folder != nil, SharedCaptures.whereToFindThem))
struct FenceFiguresTests {
    private func play(_ log: TrialLog) throws -> FencePlay {
        FencePlay(RecordedFixes.of(try Files.read("\(SharedCaptures.folder ?? "")/\(log.file)")))
    }

    /// Plain containment tells of 20 an hour of each circle.
    @Test(arguments: TrialLog.all.filter { $0.kind == .rest })
    func aParkedDeviceCrossesNothing(log: TrialLog) throws {
        let trial = RestingFences(try play(log))
        #expect(trial.perHour <= 0.1 && trial.plainPerHour > 5)
    }

    @Test(arguments: ["google_F9K_drive.nmea", "openrvdas_PCOD.log", "openrvdas_seap.log", "openrvdas_gp02.log"])
    func eachCrossingIsToldOnceAndInTime(name: String) throws {
        let log = try #require(TrialLog.all.first { $0.file.hasSuffix(name) })
        let trial = WayFences(try play(log))
        #expect(trial.crossings >= 14 && trial.found == trial.crossings && trial.wrong == 0)
        #expect(trial.delays.sorted()[trial.delays.count * 95 / 100] <= 25)
    }
}

@Suite struct DrawnFenceTests {
    @Test(arguments: DrawnRest.Sky.allCases)
    func aDrawnRestCrossesNothing(sky: DrawnRest.Sky) {
        #expect(RestingFences(FencePlay(DrawnRest.fixes(sky, hours: 1, seed: 11)), directions: 2).perHour <= 0.1)
    }

    @Test(arguments: DrawnWay.Manner.allCases)
    func aDrawnWayCrossesEachOnce(manner: DrawnWay.Manner) {
        let drawn = DrawnWay(manner, hours: manner == .walk ? 2 : 0.25, seed: 11)
        let trial = WayFences(FencePlay(drawn.fixes), way: drawn.truth)
        #expect(trial.crossings >= 10 && trial.found == trial.crossings && trial.wrong == 0)
    }
}
