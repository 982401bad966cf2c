import Chronology
import Positioning

/// The rows of the motion report.
enum MotionReportTable {
    static let head =
        "log                            kind   threshold   minutes  rest after  rests  moves  back  at rest  wrongly"

    static func row(of log: TrialLog, threshold: StationaryThreshold, trial: MotionTrial) -> String {
        let share = trial.positions == 0 ? 0 : Double(trial.reportedStationary) / Double(trial.positions)
        return [
            left(log.file.split(separator: "/").last.map(String.init) ?? log.file, width: 30),
            left(log.kind.rawValue, width: 6),
            left(threshold.rawValue, width: 10),
            right(tenths(trial.length.seconds / 60), width: 8),
            right(trial.timeToRest.map { tenths($0.seconds) + " s" } ?? "-", width: 11),
            right(String(trial.rests), width: 6), right(String(trial.movements), width: 6),
            right(String(trial.retractions), width: 5),
            right(tenths(share * 100) + "%", width: 8), right(tenths(trial.shareWronglyAtRest * 100) + "%", width: 8),
        ].joined(separator: " ")
    }

    static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }

    static func left(_ text: String, width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
    static func right(_ text: String, width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }
}
