import Chronology
import MotionReport
import Positioning
import Testing

/// The motion detector over whole logs, through the very core that the daemon runs; `make motion` prints the table.
@Suite(.enabled(if: SharedCaptures.folder != nil, SharedCaptures.whereToFindThem))
struct MotionFiguresTests {
    /// Each log is played through the core once.
    private static let fixes = Dictionary(
        uniqueKeysWithValues: TrialLog.all.map { log in
            (log.file, (try? Files.read("\(SharedCaptures.folder ?? "")/\(log.file)")).map(RecordedFixes.of) ?? [])
        })

    private func trial(_ log: TrialLog, _ patience: MotionPatience) throws -> MotionTrial {
        let fixes = try #require(Self.fixes[log.file])
        try #require(!fixes.isEmpty)
        return MotionTrial(fixes, patience: patience)
    }

    @Test(arguments: TrialLog.all.filter { $0.kind == .rest })
    func aReceiverAtRestIsFoundToBe(log: TrialLog) throws {
        let trial = try trial(log, .any)
        let time = try #require(trial.timeToRest)
        #expect(trial.standingMovements <= 2)
        #expect(time <= .seconds(150))
    }

    @Test(arguments: TrialLog.all.filter { $0.kind != .rest }, [MotionPatience.any, .pedestrian, .automotive])
    func movingTimeIsNotCalledRest(log: TrialLog, patience: MotionPatience) throws {
        #expect(try trial(log, patience).shareWronglyAtRest <= 0.01)
    }

    /// 25 minutes in a city, with red lights.
    @Test(arguments: MotionPatience.allCases)
    func aCityDriveChangesSeldom(patience: MotionPatience) throws {
        let drive = try #require(TrialLog.all.first { $0.file.hasSuffix("google_F9K_drive.nmea") })
        #expect(try trial(drive, patience).changes <= 10)
    }

    @Test func ships() throws {
        for log in TrialLog.all where log.kind == .ship {
            let trial = try trial(log, .pedestrian)
            #expect(Double(trial.changes) <= 2 + trial.length.seconds / 1800, "\(log.file)")
        }
    }
}

@Suite struct DrawnRestTests {
    /// At most one in three hours under an open sky.
    @Test(arguments: [DrawnRest.Sky.open, .withoutDoppler], 1...6 as ClosedRange<UInt64>)
    func falseMovements(sky: DrawnRest.Sky, seed: UInt64) throws {
        for patience in [MotionPatience.any, .automotive] {
            let trial = MotionTrial(DrawnRest.fixes(sky, hours: 3, seed: seed), patience: patience)
            #expect(trial.movements <= 1)
            #expect(try #require(trial.timeToRest) <= .seconds(patience == .any ? 150 : 240))
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func aPoorSkyThatIsToldOf(seed: UInt64) throws {
        let trial = MotionTrial(DrawnRest.fixes(.poor, hours: 3, seed: seed), patience: .any)
        #expect(trial.movements <= 1)
    }
}
