import Glibc

/// A radius on a logarithmic scale from a centimetre to a kilometre.
struct AccuracyScale {
    /// The radius in metres.
    var radius: Double

    /// Draws the scale in one row: "1 cm ├────●──────┤ 1 km".
    func draw(on canvas: inout Canvas, column: Int, row: Int, width: Int) {
        let line = width - 12
        guard line >= 6 else { return }
        var index = canvas.put("1 cm ", column: column, row: row, style: .dim)
        let start = index
        index = canvas.put("├" + String(repeating: "─", count: line - 2) + "┤", column: index, row: row, style: .dim)
        canvas.put(" 1 km", column: index, row: row, style: .dim)
        let share = (log10(max(radius, 1e-9)) + 2) / 5
        let place = start + Int((min(max(share, 0), 1) * Double(line - 1)).rounded())
        canvas.put("●", column: place, row: row, style: Style(colour: Self.colour(radius), isBold: true))
    }

    /// Returns bright green below 1 m, green below 10 m, yellow below 50 m, and red above, where a
    /// street cannot be identified.
    static func colour(_ radius: Double) -> Style.Colour {
        radius < 1 ? .brightGreen : radius < 10 ? .green : radius < 50 ? .yellow : .red
    }
}
