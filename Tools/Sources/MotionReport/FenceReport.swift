import Chronology
import Positioning

/// `make fences`: the crossings detected in recorded and synthetic logs, compared with the true
/// ones.
enum FenceReport {
    static func print(_ fixes: (TrialLog) -> [Fix]?) {
        Swift.print("stationary: circles of 30 to 200 m, edge 0 to 15 m from the stationary position")
        Swift.print("log                            circles    hours  false/h  plain/h   known   right")
        for sky in SyntheticRest.Sky.allCases {
            for seed in 1...3 as ClosedRange<UInt64> {
                printStationary(
                    "drawn: \(sky.rawValue) \(seed)",
                    trial: StationaryFenceTrial(FenceTrial(SyntheticRest.fixes(sky, hours: 3, seed: seed))))
            }
        }
        let logs = TrialLog.all.compactMap { log in fixes(log).map { (log, FenceTrial($0)) } }
        for (log, trial) in logs where log.kind == .rest {
            printStationary(log.file, trial: StationaryFenceTrial(trial))
        }
        for (title, period) in [("all epochs", nil), ("one check per minute", Instant.Span.seconds(60))] {
            Swift.print("\nmoving, \(title): circles of 100 m on the track")
            Swift.print(
                "log                            circles  unclear  crossed   found  wrong  delay p50    p95    max  "
                    + "date p95"
            )
            for mode in SyntheticTrack.TravelMode.allCases {
                for seed in 1...2 as ClosedRange<UInt64> {
                    let track = SyntheticTrack(mode: mode, hours: mode == .walk ? 8 : 2, seed: seed)
                    printMoving(
                        "drawn: \(mode.rawValue) \(seed)",
                        trial: MovingFenceTrial(FenceTrial(track.fixes), track: track.truth, every: period))
                }
            }
            for (log, trial) in logs where log.kind != .rest {
                printMoving(log.file, trial: MovingFenceTrial(trial, every: period))
            }
        }
    }

    private static func printStationary(_ name: String, trial: StationaryFenceTrial) {
        let (known, right) = (share(trial.determined, of: trial.circles), share(trial.right, of: trial.clear))
        printRow(
            name,
            columns: [
                (String(trial.circles), 8), (tenths(trial.hours), 8), (hundredths(trial.perHour), 8),
                (tenths(trial.plainPerHour), 8),
                (known, 7), (right, 7),
            ])
    }

    private static func printMoving(_ name: String, trial: MovingFenceTrial) {
        printRow(
            name,
            columns: [
                (String(trial.circles), 8), (String(trial.unclear), 8), (String(trial.crossings), 8),
                (String(trial.found), 7),
                (String(trial.wrong), 6), (tenths(quantile(of: trial.delays, share: 0.5)), 10),
                (tenths(quantile(of: trial.delays, share: 0.95)), 6),
                (tenths(quantile(of: trial.delays, share: 1)), 6), (tenths(quantile(of: trial.errors, share: 0.95)), 9),
            ])
    }

    private static func printRow(_ name: String, columns: [(text: String, width: Int)]) {
        let short = name.split(separator: "/").last.map(String.init) ?? name
        Swift.print(
            ([MotionReportTable.left(short, width: 30)]
                + columns.map { MotionReportTable.right($0.text, width: $0.width) })
                .joined(separator: " "))
    }

    static func quantile(of values: [Double], share: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        return values.sorted()[min(Int(Double(values.count) * share), values.count - 1)]
    }

    private static func share(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "-" : tenths(Double(part) / Double(whole) * 100) + "%"
    }
    private static func tenths(_ value: Double) -> String { MotionReportTable.tenths(value) }
    static func hundredths(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths.magnitude % 100
        return "\(hundredths < 0 ? "-" : "")\(hundredths.magnitude / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
