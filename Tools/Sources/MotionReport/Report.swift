import Chronology
import Glibc
import Locator
import Positioning

/// `make motion` and `make fences`: the results of the motion detector and of the geofence engine
/// on recorded logs. Not installed.
@main
struct Report {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first else {
            print(
                "usage: MotionReport CAPTURES [--fences | FILE...]\n  CAPTURES contains recorded/ and gpsd/; FILE is "
                    + "a path below it and replaces the known logs"
            )
            exit(64)
        }
        if arguments.dropFirst().first == "--fences" { return FenceReport.print { fixes(of: "\(folder)/\($0.file)") } }
        let named = arguments.dropFirst().map { TrialLog(file: $0, kind: .mixed) }
        print(MotionReportTable.head)
        if named.isEmpty { printSyntheticRest() }
        for log in named.isEmpty ? TrialLog.all : named {
            guard let fixes = fixes(of: "\(folder)/\(log.file)") else {
                print("\(log.file): cannot read the file")
                continue
            }
            for threshold in [StationaryThreshold.any, .automotive] {
                let trial = MotionTrial(fixes, threshold: threshold)
                print(MotionReportTable.row(of: log, threshold: threshold, trial: trial))
                if !named.isEmpty {
                    for reported in trial.reportedActions { print("  \(reported.second) \(reported.action)") }
                }
            }
        }
    }

    /// Reports the results for synthetic stationary receivers: nine hours under each sky.
    private static func printSyntheticRest() {
        for sky in SyntheticRest.Sky.allCases {
            for threshold in [StationaryThreshold.any, .automotive] {
                let trials = (1...3).map {
                    MotionTrial(SyntheticRest.fixes(sky, hours: 3, seed: $0), threshold: threshold)
                }
                for (seed, trial) in trials.enumerated() {
                    print(
                        MotionReportTable.row(
                            of: TrialLog(file: "drawn: \(sky.rawValue) \(seed + 1)", kind: .rest), threshold: threshold,
                            trial: trial))
                }
            }
        }
    }

    private static func fixes(of path: String) -> [Fix]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
        return RecordedFixes.of(bytes)
    }
}

/// The epochs of a capture, computed by the same core that the daemon runs.
package enum RecordedFixes {
    /// Returns the fixes of all epochs.
    ///
    /// - Parameter bytes: The capture. One without a date is replayed on a day of 2026, so that its
    ///   epochs have times.
    package static func of(_ bytes: [UInt8]) -> [Fix] {
        var fixes: [Fix] = []
        var replay = Replay(
            bytes, options: Replay.Options(receiver: "log", start: UTCTime(rfc3339: "2026-01-01T00:00:00Z")))
        replay.run { effect in if case .receiver(.epoch(_, let fix)) = effect { fixes.append(fix) } }
        return fixes
    }
}
