/// The labels of a drawing, none of which covers another.
struct LabelSpace {
    let area: Area
    private var occupied: [(row: Int, columns: Range<Int>)] = []

    /// Creates the labels of an area.
    init(_ area: Area) { self.area = area }

    /// Draws a text at its exact place, which other labels then avoid.
    mutating func put(_ text: String, column: Int, row: Int, style: Style, on canvas: inout Canvas) {
        let end = canvas.put(text, column: column, row: row, style: style, limit: area.endColumn)
        occupied.append((row, column..<max(column, end)))
    }

    /// Draws a text centered at a cell, or beside it if that is occupied. Omits the text if there
    /// is no space.
    mutating func put(_ text: String, around column: Int, row: Int, style: Style, on canvas: inout Canvas) {
        let width = min(DisplayWidth.width(of: text), area.width)
        for (columnShift, rowShift) in [
            (0, 0), (0, -1), (0, 1), (width + 1, 0), (-width - 1, 0), (width, 1), (-width, -1), (0, -2), (0, 2),
        ] {
            let row = row + rowShift
            let start = min(max(column - width / 2 + columnShift, area.column), area.endColumn - width)
            // Labels need one blank between them to be readable.
            let isFree = !occupied.contains { $0.row == row && $0.columns.overlaps(start - 1..<start + width + 1) }
            guard isFree, row >= area.row, row < area.endRow else { continue }
            return put(text, column: start, row: row, style: style, on: &canvas)
        }
    }
}
