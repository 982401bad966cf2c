import Captures
import Chronology
import Glibc
import Locator
import Positioning

/// `make motion` and `make fences`: what the detector, and the decision of a fence, make of recorded logs. Not installed.
@main
struct Report {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first else {
            print(
                "usage: MotionReport CAPTURES [--fences | FILE...]\n  CAPTURES holds recorded/ and gpsd/; FILEs below it instead of the known ones"
            )
            exit(64)
        }
        if arguments.dropFirst().first == "--fences" { return FenceReport.print { fixes(of: "\(folder)/\($0.file)") } }
        let named = arguments.dropFirst().map { TrialLog(file: $0, kind: .mixed) }
        print(MotionTable.head)
        if named.isEmpty { drawnDays() }
        for log in named.isEmpty ? TrialLog.all : named {
            guard let fixes = fixes(of: "\(folder)/\(log.file)") else {
                print("\(log.file): cannot be read")
                continue
            }
            for patience in [MotionPatience.any, .automotive] {
                let trial = MotionTrial(fixes, patience: patience)
                print(MotionTable.row(log, patience, trial))
                if !named.isEmpty { for told in trial.told { print("  \(told.second) \(told.action)") } }
            }
        }
    }

    /// Receivers that never moved, drawn: nine hours under each sky.
    private static func drawnDays() {
        for sky in DrawnRest.Sky.allCases {
            for patience in [MotionPatience.any, .automotive] {
                let trials = (1...3).map { MotionTrial(DrawnRest.fixes(sky, hours: 3, seed: $0), patience: patience) }
                for (seed, trial) in trials.enumerated() {
                    print(MotionTable.row(TrialLog(file: "drawn: \(sky.rawValue) \(seed + 1)", kind: .rest), patience, trial))
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

/// Every epoch of a capture, through the core that the daemon runs.
public enum RecordedFixes {
    /// - Parameter bytes: The capture. One that holds no date is played on a day of 2026, so that its epochs have times.
    public static func of(_ bytes: [UInt8]) -> [Fix] {
        var fixes: [Fix] = []
        var replay = Replay(bytes, Replay.Options(receiver: "log", start: UTCTime(rfc3339: "2026-01-01T00:00:00Z")))
        replay.run { effect in if case .epoch(_, let fix) = effect { fixes.append(fix) } }
        return fixes
    }
}
