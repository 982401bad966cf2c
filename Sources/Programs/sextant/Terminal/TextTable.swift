import SystemCalls

/// A table with columns as wide as their contents and notes below the rows.
///
/// On a terminal, the columns that do not fit continue in a second line of each row, and so on.
struct TextTable {
    private struct Row {
        var cells: [String]
        var styles: [Style]
        var notes: [String] = []
        var noteStyle = Style.dim

        func hasText(in part: Range<Int>) -> Bool {
            cells[part.clamped(to: cells.indices)].contains { $0.contains { $0 != " " } }
        }
    }

    private let heading: [String]
    private let rightAligned: Set<Int>
    private var rows: [Row] = []

    /// Creates a table with these headings.
    ///
    /// - Parameters:
    ///   - heading: One for each column; none for a table without headings.
    ///   - rightAligned: The columns with numbers.
    init(_ heading: [String] = [], rightAligned: Set<Int> = []) {
        self.heading = heading
        self.rightAligned = rightAligned
    }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - cells: One cell for each heading, or fewer.
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

    /// A part of the table that takes one line.
    private enum Line {
        case cells(Row, Range<Int>)
        case note(String, Style)
    }

    /// Returns the table; its headings are dim.
    ///
    /// - Parameter columns: The width of the terminal; nil if it does not matter.
    func canvas(columns limit: Int? = nil) -> Canvas {
        let titles = heading.isEmpty ? [] : [Row(cells: heading, styles: heading.map { _ in .dim })]
        let all = titles + rows
        let most = limit.map { max(0, $0 - TextTable.indent) } ?? .max
        let widths = (0..<(all.map(\.cells.count).max() ?? 0)).map { column in
            let cells = all.map { column < $0.cells.count ? DisplayWidth.width(of: $0.cells[column]) : 0 }
            return min(cells.max() ?? 0, most)
        }
        let parts = TextTable.parts(of: widths, columns: limit ?? .max)
        let lines = all.flatMap { row in
            parts.filter { $0.lowerBound == 0 || row.hasText(in: $0) }.map { Line.cells(row, $0) }
                + row.notes.map { "  " + $0 }.wrapped(to: limit).map { Line.note($0, row.noteStyle) }
        }
        let natural = lines.map { line in
            switch line {
            case .cells(_, let part): TextTable.width(of: part, widths)
            case .note(let text, _): DisplayWidth.width(of: text)
            }
        }
        var canvas = Canvas(width: min(natural.max() ?? 0, limit ?? .max), height: lines.count)
        for (index, line) in lines.enumerated() {
            switch line {
            case .cells(let row, let part): put(row, part, widths: widths, on: &canvas, line: index)
            case .note(let text, let style): canvas.put(text, column: 0, row: index, style: style)
            }
        }
        return canvas
    }

    /// Returns the table as plain lines without trailing blanks.
    func lines(columns: Int? = nil) -> [String] { canvas(columns: columns).lines(.plain) }

    /// The blanks before the second and later lines of a row.
    private static let indent = 2

    /// Returns the columns of the table that share a line. One that is wider than the terminal has
    /// a line of its own.
    private static func parts(of widths: [Int], columns: Int) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        for column in widths.indices {
            if let last = parts.last, width(of: last.lowerBound..<column + 1, widths) <= columns {
                parts[parts.count - 1] = last.lowerBound..<column + 1
            } else {
                parts.append(column..<column + 1)
            }
        }
        return parts
    }

    private static func width(of part: Range<Int>, _ widths: [Int]) -> Int {
        widths[part].reduce(0) { $0 + $1 + 2 } - 2 + (part.lowerBound > 0 ? indent : 0)
    }

    private func put(_ row: Row, _ part: Range<Int>, widths: [Int], on canvas: inout Canvas, line: Int) {
        var column = part.lowerBound > 0 ? TextTable.indent : 0
        for index in part where index < row.cells.count {
            let text = DisplayWidth.fit(row.cells[index], to: widths[index], alignRight: rightAligned.contains(index))
            canvas.put(text, column: column, row: line, style: index < row.styles.count ? row.styles[index] : .plain)
            column += widths[index] + 2
        }
    }
}
