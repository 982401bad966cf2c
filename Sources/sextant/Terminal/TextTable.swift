/// Rows of cells in columns as wide as they must be, and beneath a row what else is to be said of it.
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

    /// A table under these headings.
    ///
    /// - Parameter rightAligned: columns of numbers.
    init(_ heading: [String], rightAligned: Set<Int> = []) {
        (self.heading, self.rightAligned) = (heading, rightAligned)
    }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - cells: one for each heading.
    ///   - styles: of the first cells; the others are plain.
    ///   - notes: lines beneath the row.
    mutating func add(_ cells: [String], styles: [Style] = [], notes: [String] = [], _ noteStyle: Style = .dim) {
        rows.append(Row(cells: cells.map(Columns.harmless), styles: styles, notes: notes, noteStyle: noteStyle))
    }

    /// The table, its headings dim.
    func canvas() -> Canvas {
        let widths = heading.indices.map { column in
            ([heading] + rows.map(\.cells)).map { column < $0.count ? Columns.width(of: $0[column]) : 0 }.max() ?? 0
        }
        let widest = rows.flatMap(\.notes).map { Columns.width(of: $0) + 2 }.max() ?? 0
        let width = max(widest, widths.reduce(0) { $0 + $1 + 2 })
        var canvas = Canvas(width: width, height: 1 + rows.reduce(0) { $0 + 1 + $1.notes.count })
        put(Row(cells: heading, styles: heading.map { _ in .dim }), widths, on: &canvas, 0)
        var line = 1
        for row in rows {
            put(row, widths, on: &canvas, line)
            for (at, note) in row.notes.enumerated() { canvas.put("  " + note, 0, line + 1 + at, row.noteStyle) }
            line += 1 + row.notes.count
        }
        return canvas
    }

    /// The table as plain lines without blanks at their ends.
    var lines: [String] { canvas().lines(.plain) }

    private func put(_ row: Row, _ widths: [Int], on canvas: inout Canvas, _ line: Int) {
        var column = 0
        for (at, cell) in row.cells.enumerated() {
            let text = Columns.fit(cell, to: widths[at], alignRight: rightAligned.contains(at))
            canvas.put(text, column, line, at < row.styles.count ? row.styles[at] : .plain)
            column += widths[at] + 2
        }
    }
}
