import Chronology
import MotionReport
import Positioning
import TestSupport
import Testing

/// The motion detector over whole logs, run by the same core that the daemon runs; `make motion`
/// prints the table.
@Suite(.enabled(if: SharedCaptures.folder != nil, Comment(rawValue: SharedCaptures.whereToFindThem)))
struct MotionFiguresTests {
    /// Each log is played through the core once.
    private static let fixes = Dictionary(
        uniqueKeysWithValues: TrialLog.all.map { log in
            (
                log.file,
                (try? PackageFiles.read("\(SharedCaptures.folder ?? "")/\(log.file)")).map(RecordedFixes.of) ?? []
            )
        })

    private func trial(_ log: TrialLog, threshold: StationaryThreshold) throws -> MotionTrial {
        let fixes = try #require(Self.fixes[log.file])
        try #require(!fixes.isEmpty)
        return MotionTrial(fixes, threshold: threshold)
    }

    @Test(arguments: TrialLog.all.filter { $0.kind == .rest })
    func `a stationary receiver is detected within 150 seconds`(log: TrialLog) throws {
        let trial = try trial(log, threshold: .any)
        let time = try #require(trial.timeToRest)
        #expect(trial.unretractedMovements <= 2)
        #expect(time <= .seconds(150))
    }

    @Test(arguments: TrialLog.all.filter { $0.kind != .rest }, [StationaryThreshold.any, .pedestrian, .automotive])
    func `at most 1 % of the moving time counts as stationary`(log: TrialLog, threshold: StationaryThreshold) throws {
        #expect(try trial(log, threshold: threshold).shareWronglyAtRest <= 0.01)
    }

    /// 25 minutes in a city, with red lights.
    @Test(arguments: StationaryThreshold.allCases)
    func `a city drive changes state at most ten times`(threshold: StationaryThreshold) throws {
        let drive = try #require(TrialLog.all.first { $0.file.hasSuffix("google_F9K_drive.nmea") })
        #expect(try trial(drive, threshold: threshold).changes <= 10)
    }

    @Test func `a ship changes state at most twice plus once per half hour`() throws {
        for log in TrialLog.all where log.kind == .ship {
            let trial = try trial(log, threshold: .pedestrian)
            #expect(Double(trial.changes) <= 2 + trial.length.seconds / 1800, "\(log.file)")
        }
    }
}

@Suite struct SyntheticRestTests {
    /// At most one in three hours under an open sky.
    @Test(arguments: [SyntheticRest.Sky.open, .withoutDoppler], 1...6 as ClosedRange<UInt64>)
    func `a synthetic stationary device causes at most one false movement`(sky: SyntheticRest.Sky, seed: UInt64) throws
    {
        for threshold in [StationaryThreshold.any, .automotive] {
            let trial = MotionTrial(SyntheticRest.fixes(sky, hours: 3, seed: seed), threshold: threshold)
            #expect(trial.movements <= 1)
            #expect(try #require(trial.timeToRest) <= .seconds(threshold == .any ? 150 : 240))
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `a poor sky with a matching accuracy causes at most one false movement`(seed: UInt64) throws {
        let trial = MotionTrial(SyntheticRest.fixes(.poor, hours: 3, seed: seed), threshold: .any)
        #expect(trial.movements <= 1)
    }
}
