import Glibc

/// A compass rose with an arrow that points along the course.
struct CompassRose {
    /// The course in degrees clockwise from true north; nil draws no arrow.
    var course: Double?
    /// Whether the course is outdated.
    var isFaded = false

    /// The circle of the rose, in characters for its place and in dots for its shape.
    private struct Dial {
        let column: Int
        let row: Int
        /// The height in rows; the width is twice as many columns.
        let rows: Int
        var center: Double { Double(rows * 2) - 0.5 }
        var radius: Double { Double(rows * 2) - 1 }

        var bitmap: BrailleBitmap { BrailleBitmap(columns: rows * 2, rows: rows) }

        /// Returns the dot at an angle in degrees and a share of the radius.
        func point(angle: Double, share: Double) -> (x: Double, y: Double) {
            let (distance, radians) = (radius * share, angle * .pi / 180)
            return (center + distance * sin(radians), center - distance * cos(radians))
        }
    }

    func draw(on canvas: inout Canvas, in area: Area) {
        let rows = min(area.height, area.width / 2)
        guard rows >= 3 else { return }
        let dial = Dial(column: area.column + (area.width - rows * 2) / 2, row: area.row, rows: rows)
        drawCircle(of: dial, on: &canvas)
        drawArrow(in: dial, on: &canvas)
        drawLetters(of: dial, on: &canvas)
    }

    private func drawCircle(of dial: Dial, on canvas: inout Canvas) {
        var bitmap = dial.bitmap
        bitmap.drawCircle(x: dial.center, y: dial.center, radius: dial.radius)
        for angle in stride(from: 0.0, to: 360, by: 30) {
            bitmap.drawLine(from: dial.point(angle: angle, share: 1), to: dial.point(angle: angle, share: 0.88))
        }
        bitmap.draw(on: &canvas, column: dial.column, row: dial.row, style: .dim)
    }

    private func drawArrow(in dial: Dial, on canvas: inout Canvas) {
        guard let course, course.isFinite else { return }
        var bitmap = dial.bitmap
        let tip = dial.point(angle: course, share: 0.78)
        bitmap.drawLine(from: dial.point(angle: course + 180, share: 0.6), to: tip)
        // Lines from the tip to points along the base fill the arrowhead.
        for side in stride(from: -26.0, through: 26, by: 4) {
            bitmap.drawLine(from: tip, to: dial.point(angle: course + side, share: 0.4))
        }
        let style = isFaded ? Style.dim : Style(colour: .brightGreen, isBold: true)
        bitmap.draw(on: &canvas, column: dial.column, row: dial.row, style: style)
    }

    private func drawLetters(of dial: Dial, on canvas: inout Canvas) {
        let style = isFaded ? Style.dim : .heading
        let north = isFaded ? Style.dim : Style(colour: .red, isBold: true)
        canvas.put("N", column: dial.column + dial.rows, row: dial.row, style: north)
        canvas.put("S", column: dial.column + dial.rows, row: dial.row + dial.rows - 1, style: style)
        canvas.put("W", column: dial.column, row: dial.row + dial.rows / 2, style: style)
        canvas.put("E", column: dial.column + dial.rows * 2 - 1, row: dial.row + dial.rows / 2, style: style)
    }
}
