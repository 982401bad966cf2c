import Positioning

/// A row for each constellation: satellites used and in view, and a small bar for each.
struct ConstellationTable {
    var objects: [SkyObject]

    /// The constellations there are, in the order of their kind.
    var systems: [Constellation] {
        Constellation.allCases.filter { system in objects.contains { $0.system == system } }
    }

    /// Draws "GPS       8 of 11  ▇▇▆▆▅▅▄▃▂··", a row each.
    func draw(on canvas: inout Canvas, in area: Area) {
        for (at, system) in systems.prefix(area.height).enumerated() {
            draw(system, on: &canvas, area, row: area.row + at)
        }
    }

    private func draw(_ system: Constellation, on canvas: inout Canvas, _ area: Area, row: Int) {
        let members = SkyObject.ranked(objects.filter { $0.system == system })
        let used = members.count(where: \.used)
        canvas.put(system.title, area.column, row, used > 0 ? .bold : .dim, limit: area.endColumn)
        canvas.put("\(used) of \(members.count)", before: area.column + 17, row, used > 0 ? .plain : .dim)
        for (at, object) in members.enumerated() {
            canvas.put(SignalStrength.block(object.carrierToNoise), area.column + 19 + at, row, SignalStrength.style(object), limit: area.endColumn)
        }
    }
}
