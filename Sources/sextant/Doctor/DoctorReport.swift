/// Doctor's checks for people: a mark, what was looked at, what was found, and beneath it the mend.
struct DoctorReport {
    var checks: [Check]
    var width: Int

    private static let markColumn = 1
    private static let subjectColumn = 5
    private static let findingColumn = 17
    private static let narrowest = 50

    func canvas() -> Canvas {
        let width = max(width, DoctorReport.narrowest)
        let entries = checks.map { lines($0, width: width - DoctorReport.findingColumn - 1) }
        // A command may be longer than the line: the terminal breaks it, and it can still be copied as one.
        let widest = entries.joined().map { Columns.width(of: $0.0) }.max() ?? 0
        var canvas = Canvas(width: DoctorReport.findingColumn + widest, height: entries.reduce(0) { $0 + $1.count })
        var row = 0
        for (check, lines) in zip(checks, entries) {
            let (mark, style) = DoctorReport.mark(check.state)
            canvas.put(mark, DoctorReport.markColumn, row, style)
            canvas.put(check.check.rawValue, DoctorReport.subjectColumn, row, check.state == .skipped ? .dim : .bold)
            for (text, style) in lines {
                canvas.put(text, DoctorReport.findingColumn, row, style)
                row += 1
            }
        }
        return canvas
    }

    private func lines(_ check: Check, width: Int) -> [(String, Style)] {
        let style = check.state == .skipped ? Style.dim : .plain
        var lines = Columns.wrap(check.finding, to: width).map { ($0, style) }
        if let mend = check.mend { lines += Columns.wrap("mend: \(mend)", to: width).map { ($0, Style.warning) } }
        // A command is never broken: it is there to be copied.
        if let command = check.command { lines.append(("$ \(command)", .bold)) }
        return lines.isEmpty ? [("", style)] : lines
    }

    private static func mark(_ state: Check.State) -> (String, Style) {
        switch state {
        case .ok: ("ok", .good)
        case .wrong: ("!!", .bad)
        case .skipped: ("--", .dim)
        }
    }
}
