/// A bar for each satellite, strongest first: "G12 ━━━━━━━━━━ 45 ●".
struct SignalChart {
    var objects: [SkyObject]

    /// Draws as many as there are rows, and says how many are left out.
    func draw(on canvas: inout Canvas, in area: Area) {
        let ranked = SkyObject.ranked(objects)
        let fitting = ranked.count <= area.height ? ranked.count : max(0, area.height - 1)
        for (at, object) in ranked.prefix(fitting).enumerated() { draw(object, on: &canvas, area, row: area.row + at) }
        if fitting < ranked.count {
            canvas.put("and \(ranked.count - fitting) more", area.column, area.row + fitting, .dim, limit: area.endColumn)
        }
    }

    private func draw(_ object: SkyObject, on canvas: inout Canvas, _ area: Area, row: Int) {
        let style = SignalStrength.style(object)
        canvas.put(object.label, area.column, row, object.used ? .bold : .dim, limit: area.endColumn)
        let room = area.width - 10
        guard room >= 4 else { return }
        if let strength = object.carrierToNoise {
            let length = max(1, Int((SignalStrength.share(strength) * Double(room)).rounded()))
            canvas.put(String(repeating: "━", count: length), area.column + 5, row, style)
            canvas.put("\(strength)", before: area.endColumn - 2, row, style)
        } else {
            canvas.put("not heard", area.column + 5, row, .dim, limit: area.endColumn - 2)
        }
        canvas.put(object.used ? "●" : "○", area.endColumn - 1, row, object.used ? .good : .dim)
    }
}
