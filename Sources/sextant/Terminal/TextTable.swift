import SystemCalls

/// A table with columns as wide as their contents and notes below the rows.
struct TextTable {
    private struct Row {
        var cells: [String]
        var styles: [Style]
        var notes: [String] = []
        var noteStyle = Style.dim
    }

    private let heading: [String]
    private let rightAligned: Set<Int>
    private var rows: [Row] = []

    /// Creates a table with these headings.
    ///
    /// - Parameter rightAligned: The columns with numbers.
    init(_ heading: [String], rightAligned: Set<Int> = []) {
        self.heading = heading
        self.rightAligned = rightAligned
    }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - cells: One cell for each heading.
    ///   - styles: The styles of the first cells; the others are plain.
    ///   - notes: The lines below the row.
    ///   - noteStyle: The style of the notes.
    mutating func add(_ cells: [String], styles: [Style] = [], notes: [String] = [], noteStyle: Style = .dim) {
        // Before the widths are computed: a replacement can be wider than the original.
        rows.append(
            Row(
                cells: cells.map(TerminalText.sanitized), styles: styles, notes: notes.map(TerminalText.sanitized),
                noteStyle: noteStyle))
    }

    /// Returns the table; its headings are dim.
    func canvas() -> Canvas {
        let widths = heading.indices.map { column in
            ([heading] + rows.map(\.cells)).map { column < $0.count ? DisplayWidth.width(of: $0[column]) : 0 }.max()
                ?? 0
        }
        let widest = rows.flatMap(\.notes).map { DisplayWidth.width(of: $0) + 2 }.max() ?? 0
        let width = max(widest, widths.reduce(0) { $0 + $1 + 2 })
        var canvas = Canvas(width: width, height: 1 + rows.reduce(0) { $0 + 1 + $1.notes.count })
        put(Row(cells: heading, styles: heading.map { _ in .dim }), widths: widths, on: &canvas, line: 0)
        var line = 1
        for row in rows {
            put(row, widths: widths, on: &canvas, line: line)
            for (index, note) in row.notes.enumerated() {
                canvas.put("  " + note, column: 0, row: line + 1 + index, style: row.noteStyle)
            }
            line += 1 + row.notes.count
        }
        return canvas
    }

    /// The table as plain lines without trailing blanks.
    var lines: [String] { canvas().lines(.plain) }

    private func put(_ row: Row, widths: [Int], on canvas: inout Canvas, line: Int) {
        var column = 0
        for (index, cell) in row.cells.enumerated() {
            let text = DisplayWidth.fit(cell, to: widths[index], alignRight: rightAligned.contains(index))
            canvas.put(text, column: column, row: line, style: index < row.styles.count ? row.styles[index] : .plain)
            column += widths[index] + 2
        }
    }
}
