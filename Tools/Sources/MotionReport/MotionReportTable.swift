import Chronology
import Positioning

/// The rows of the motion report.
enum MotionReportTable {
    static let head =
        "log                            kind   patience    minutes  rest after  rests  moves  back  at rest  wrongly"

    static func row(_ log: TrialLog, _ timeout: StationaryThreshold, _ trial: MotionTrial) -> String {
        let share = trial.positions == 0 ? 0 : Double(trial.reportedStationary) / Double(trial.positions)
        return [
            left(log.file.split(separator: "/").last.map(String.init) ?? log.file, 30), left(log.kind.rawValue, 6),
            left(timeout.rawValue, 10),
            right(tenths(trial.length.seconds / 60), 8),
            right(trial.timeToRest.map { tenths($0.seconds) + " s" } ?? "-", 11),
            right(String(trial.rests), 6), right(String(trial.movements), 6), right(String(trial.retractions), 5),
            right(tenths(share * 100) + "%", 8), right(tenths(trial.shareWronglyAtRest * 100) + "%", 8),
        ].joined(separator: " ")
    }

    static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }
}
