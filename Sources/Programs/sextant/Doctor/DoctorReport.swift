import ArgumentParser

/// The checks of `sextant doctor` as text: a mark, the subject, the finding and, below it, how to
/// fix the problem.
struct DoctorReport {
    var checks: [Check]
    var width: Int

    private static let markColumn = 1
    private static let subjectColumn = 5
    private static let findingColumn = 20
    private static let minWidth = 50

    /// Prints checks to standard output, as text or as JSON. Throws the exit status of the command
    /// if a check found a problem.
    static func print(_ checks: [Check], asJSON isJSON: Bool) throws {
        if isJSON {
            try JSONLineWriter.print(checks)
        } else {
            let capabilities = TerminalCapabilities.ofStandardOutput
            let width = capabilities.hasStyles ? TerminalSize.ofStandardOutput.columns : TerminalSize.assumed.columns
            try StandardOutput.write(DoctorReport(checks: checks, width: width).canvas(), capabilities: capabilities)
        }
        if !checks.isHealthy { throw ExitCode(ExitStatus.noResult.rawValue) }
    }

    func canvas() -> Canvas {
        let width = max(width, DoctorReport.minWidth)
        let entries = checks.map { lines($0, width: width - DoctorReport.findingColumn - 1) }
        // A command may be longer than the line: the terminal wraps it, and it can still be copied
        // as one line.
        let widest = entries.joined().map { DisplayWidth.width(of: $0.0) }.max() ?? 0
        var canvas = Canvas(width: DoctorReport.findingColumn + widest, height: entries.reduce(0) { $0 + $1.count })
        var row = 0
        for (check, lines) in zip(checks, entries) {
            let (mark, style) = DoctorReport.mark(check.state)
            canvas.put(mark, column: DoctorReport.markColumn, row: row, style: style)
            canvas.put(
                check.check.rawValue, column: DoctorReport.subjectColumn, row: row,
                style: check.state == .skipped ? .dim : .bold)
            for (text, style) in lines {
                canvas.put(text, column: DoctorReport.findingColumn, row: row, style: style)
                row += 1
            }
        }
        return canvas
    }

    private func lines(_ check: Check, width: Int) -> [(String, Style)] {
        let style = check.state == .skipped ? Style.dim : .plain
        var lines = DisplayWidth.wrap(check.finding, to: width).map { ($0, style) }
        if let remedy = check.remedy {
            lines += DisplayWidth.wrap("how to fix: \(remedy)", to: width).map { ($0, Style.warning) }
        }
        // A command is not wrapped, so that it can be copied.
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
