import Glibc

/// A bitmap of Braille characters (Unicode block 2800). Each character has two by four dots, which
/// makes the dots about square.
struct BrailleBitmap {
    let columns: Int
    let rows: Int
    private var patterns: [UInt8]

    init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        patterns = Array(repeating: 0, count: self.columns * self.rows)
    }

    /// Sets a dot; ignores dots outside the bitmap.
    mutating func setDot(x: Int, y: Int) {
        guard x >= 0, y >= 0, x < columns * 2, y < rows * 4 else { return }
        // Bit numbers: 0 1 2 in the left column, 3 4 5 in the right column, 6 and 7 in the fourth
        // row.
        let bit = y % 4 == 3 ? 6 + x % 2 : y % 4 + x % 2 * 3
        patterns[y / 4 * columns + x / 2] |= 1 << UInt8(bit)
    }

    /// Draws a circle; a `gap` above 1 omits dots to make it fainter.
    mutating func drawCircle(x: Double, y: Double, radius: Double, gap: Int = 1) {
        let steps = max(8, Int(radius * 8))
        for step in stride(from: 0, to: steps, by: max(1, gap)) {
            let angle = Double(step) / Double(steps) * 2 * .pi
            setDot(x: Int((x + radius * sin(angle)).rounded()), y: Int((y - radius * cos(angle)).rounded()))
        }
    }

    mutating func drawLine(from a: (x: Double, y: Double), to b: (x: Double, y: Double)) {
        let steps = max(1, Int(max((b.x - a.x).magnitude, (b.y - a.y).magnitude) * 2))
        for step in 0...steps {
            let part = Double(step) / Double(steps)
            setDot(
                x: Int((a.x + (b.x - a.x) * part).rounded()), y: Int((a.y + (b.y - a.y) * part).rounded()))
        }
    }

    /// The topmost character with a dot; nil if there is none.
    var topmostCell: (column: Int, row: Int)? {
        patterns.firstIndex { $0 != 0 }.map { ($0 % columns, $0 / columns) }
    }

    /// Puts the bitmap on a canvas. Characters without dots leave the canvas unchanged.
    func draw(on canvas: inout Canvas, column: Int, row: Int, style: Style) {
        for index in patterns.indices where patterns[index] != 0 {
            guard let scalar = Unicode.Scalar(0x2800 + UInt32(patterns[index])) else { continue }
            canvas.put(
                String(Character(scalar)), column: column + index % columns, row: row + index / columns, style: style)
        }
    }
}

/// The labels of a drawing, none of which covers another.
struct LabelSpace {
    let area: Area
    private var occupied: [(row: Int, columns: Range<Int>)] = []

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
