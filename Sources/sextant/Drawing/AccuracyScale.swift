import Glibc

/// A radius on a line from a centimetre to a kilometre, each decade as long as the next.
struct AccuracyScale {
    /// Metres.
    var radius: Double

    /// Draws it in one row: "1 cm ├────●──────┤ 1 km".
    func draw(on canvas: inout Canvas, _ column: Int, _ row: Int, width: Int) {
        let line = width - 12
        guard line >= 6 else { return }
        var at = canvas.put("1 cm ", column, row, .dim)
        let start = at
        at = canvas.put("├" + String(repeating: "─", count: line - 2) + "┤", at, row, .dim)
        canvas.put(" 1 km", at, row, .dim)
        let share = (log10(max(radius, 1e-9)) + 2) / 5
        let place = start + Int((min(max(share, 0), 1) * Double(line - 1)).rounded())
        canvas.put("●", place, row, Style(colour: Self.colour(radius), isBold: true))
    }

    /// Green as good as satellites alone can be or better, red where a street is not known any more.
    static func colour(_ radius: Double) -> Style.Colour {
        radius < 1 ? .brightGreen : radius < 10 ? .green : radius < 50 ? .yellow : .red
    }
}
