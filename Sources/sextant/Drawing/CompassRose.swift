import Glibc

/// A compass with an arrow the way the device goes.
struct CompassRose {
    /// Degrees clockwise from true north; nil draws no arrow.
    var course: Double?
    /// Whether the course is old.
    var isFaded = false

    /// Draws it as large as a square fits into the area.
    func draw(on canvas: inout Canvas, in area: Area) {
        let rows = min(area.height, area.width / 2)
        guard rows >= 3 else { return }
        let column = area.column + (area.width - rows * 2) / 2
        let middle = (x: Double(rows * 2) - 0.5, y: Double(rows * 2) - 0.5)
        let radius = Double(rows * 2) - 1
        var dial = DotField(columns: rows * 2, rows: rows)
        dial.circle(middle.x, middle.y, radius: radius)
        for tick in stride(from: 0.0, to: 360, by: 30) { self.tick(at: tick, on: &dial, middle, radius) }
        dial.draw(on: &canvas, column, area.row, .dim)
        arrow(on: &canvas, column, area.row, rows, middle, radius)
        letters(on: &canvas, column, area.row, rows)
    }

    private func tick(at angle: Double, on dial: inout DotField, _ middle: (x: Double, y: Double), _ radius: Double) {
        dial.line(from: point(middle, angle, radius), to: point(middle, angle, radius * 0.88))
    }

    private func arrow(
        on canvas: inout Canvas, _ column: Int, _ row: Int, _ rows: Int, _ middle: (x: Double, y: Double), _ radius: Double
    ) {
        guard let course, course.isFinite else { return }
        var needle = DotField(columns: rows * 2, rows: rows)
        let tip = point(middle, course, radius * 0.78)
        needle.line(from: point(middle, course + 180, radius * 0.6), to: tip)
        // The head is filled by lines from the tip to points along its base.
        for side in stride(from: -26.0, through: 26, by: 4) {
            needle.line(from: tip, to: point(middle, course + side, radius * 0.4))
        }
        needle.draw(on: &canvas, column, row, isFaded ? .dim : Style(colour: .brightGreen, isBold: true))
    }

    private func letters(on canvas: inout Canvas, _ column: Int, _ row: Int, _ rows: Int) {
        let style = isFaded ? Style.dim : .heading
        canvas.put("N", column + rows, row, isFaded ? .dim : Style(colour: .red, isBold: true))
        canvas.put("S", column + rows, row + rows - 1, style)
        canvas.put("W", column, row + rows / 2, style)
        canvas.put("E", column + rows * 2 - 1, row + rows / 2, style)
    }

    private func point(_ middle: (x: Double, y: Double), _ angle: Double, _ radius: Double) -> (x: Double, y: Double) {
        (middle.x + radius * sin(angle * .pi / 180), middle.y - radius * cos(angle * .pi / 180))
    }
}
