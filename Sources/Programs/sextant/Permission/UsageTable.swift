import Permission
import SextantAPI

/// The record of use as text.
struct UsageTable {
    var records: [Use]
    /// The width of the terminal; nil for whole lines.
    var columns: Int?

    /// The lines of the output.
    var lines: [String] {
        guard !records.isEmpty else { return ["No program has used the location in the last 30 days."] }
        var table = TextTable(
            ["PROGRAM", "WHAT", "FROM", "TO", "UPDATES", "ACCURACY", "ALLOWED BY"], rightAligned: [4])
        for record in records {
            table.add([
                ProgramFormatter.program(record.program), UsageTable.what(record.kind),
                record.from.map(TimeText.moment) ?? "unknown",
                UsageTable.end(of: record), String(record.updates), record.accuracy.rawValue,
                ProgramFormatter.sentence(record.decidedBy),
            ])
        }
        return table.lines(columns: columns)
    }

    private static func what(_ kind: UseKind) -> String {
        switch kind {
        case .stream: "updates"
        case .oneShot: "single locations"
        case .visits: "visits"
        case .heading: "heading"
        case .monitors: "fences"
        case .unknown: kind.rawValue
        }
    }

    /// Returns the end of a use; its duration if the host's clock was not set.
    private static func end(of record: Use) -> String {
        let end = record.to.map(TimeText.moment) ?? "\(TimeText.span(record.seconds)) later"
        return switch record.state {
        case .open: "now"
        case .ended, .unknown: end
        case .interrupted: "\(end) or later"
        }
    }
}
