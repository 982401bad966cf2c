import Glibc

/// Fine drawings out of Braille patterns: each character is two dots wide and four high (Unicode block 2800), which makes dots about square.
struct DotField {
    let columns: Int
    let rows: Int
    private var patterns: [UInt8]

    init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        patterns = Array(repeating: 0, count: self.columns * self.rows)
    }

    /// Sets a dot; those outside are not set.
    mutating func dot(_ x: Int, _ y: Int) {
        guard x >= 0, y >= 0, x < columns * 2, y < rows * 4 else { return }
        // Bits of a pattern: 0 1 2 down the left, 3 4 5 down the right, then 6 and 7 in the fourth row.
        let bit = y % 4 == 3 ? 6 + x % 2 : y % 4 + x % 2 * 3
        patterns[y / 4 * columns + x / 2] |= 1 << UInt8(bit)
    }

    /// A circle around a point; `gap` leaves dots out, to make it fainter.
    mutating func circle(_ x: Double, _ y: Double, radius: Double, gap: Int = 1) {
        let steps = max(8, Int(radius * 8))
        for step in stride(from: 0, to: steps, by: max(1, gap)) {
            let angle = Double(step) / Double(steps) * 2 * .pi
            dot(Int((x + radius * sin(angle)).rounded()), Int((y - radius * cos(angle)).rounded()))
        }
    }

    /// A straight line.
    mutating func line(from a: (x: Double, y: Double), to b: (x: Double, y: Double)) {
        let steps = max(1, Int(max((b.x - a.x).magnitude, (b.y - a.y).magnitude) * 2))
        for step in 0...steps {
            let part = Double(step) / Double(steps)
            dot(Int((a.x + (b.x - a.x) * part).rounded()), Int((a.y + (b.y - a.y) * part).rounded()))
        }
    }

    /// The character nearest to the top that has a dot; nil where there is none.
    var highest: (column: Int, row: Int)? {
        patterns.firstIndex { $0 != 0 }.map { ($0 % columns, $0 / columns) }
    }

    /// Puts the drawing on a canvas; where no dot is set the canvas is left as it was.
    func draw(on canvas: inout Canvas, _ column: Int, _ row: Int, _ style: Style) {
        for at in patterns.indices where patterns[at] != 0 {
            guard let scalar = Unicode.Scalar(0x2800 + UInt32(patterns[at])) else { continue }
            canvas.put(String(Character(scalar)), column + at % columns, row + at / columns, style)
        }
    }
}
