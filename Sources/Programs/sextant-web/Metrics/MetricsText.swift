/// Metrics as text (OpenMetrics 1.0). A metric without a value is absent.
struct MetricsText {
    static let type = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The kinds of metrics that are used here.
    enum Kind: String { case gauge, counter, info }

    /// A value with its labels; nil if it is not known.
    typealias Sample = (labels: [(String, String)], value: Double?)

    private var lines: [String] = []

    init() {}

    /// Writes a metric with all its samples.
    ///
    /// - Parameters:
    ///   - name: Without `_total` and `_info`, which its kind adds. It ends with its unit.
    ///   - samples: Those without a value are left out. Values of the same labels are added, as the
    ///     text may have each of them once.
    mutating func add(_ name: String, as kind: Kind = .gauge, _ help: String, _ samples: [Sample]) {
        var sums: [String: Double] = [:]
        var order: [String] = []
        for (labels, value) in samples {
            guard let value, value.isFinite else { continue }
            let text = labels.map { "\($0)=\"\(MetricsText.escaped($1))\"" }.joined(separator: ",")
            if sums[text] == nil { order.append(text) }
            sums[text, default: 0] += value
        }
        guard !order.isEmpty else { return }
        lines += ["# TYPE sextant_\(name) \(kind.rawValue)", "# HELP sextant_\(name) \(help)"]
        let suffix = kind == .counter ? "_total" : kind == .info ? "_info" : ""
        for labels in order {
            let value = sums[labels] ?? 0
            let number = value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
            lines.append("sextant_\(name)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(number)")
        }
    }

    mutating func add(_ name: String, as kind: Kind = .gauge, _ help: String, _ value: Double?) {
        add(name, as: kind, help, [([], value)])
    }

    /// The whole text.
    var bytes: [UInt8] { Array((lines + ["# EOF", ""]).joined(separator: "\n").utf8) }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
