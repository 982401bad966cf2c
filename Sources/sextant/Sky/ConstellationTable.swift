import Positioning

/// The constellations: satellites used and in view, and a bar for each satellite. Where there is room the bars grow and bear numbers.
struct ConstellationTable {
    var objects: [SkyObject]

    private static let countEnd = 17
    private static let barsStart = 19
    /// Rows of one constellation at most: two for the bars, one for the numbers.
    private static let mostRows = 3
    /// Columns of a bar with a number.
    private static let pitch = 3

    /// The constellations there are, in the order of their kind.
    var systems: [Constellation] {
        Constellation.allCases.filter { system in objects.contains { $0.system == system } }
    }

    /// Draws "GPS       8 of 11  ▇▇▆▆▅▅▄▃▂··", in as many rows for each as there is room for.
    func draw(on canvas: inout Canvas, in area: Area) {
        let systems = systems
        guard !systems.isEmpty else { return }
        let widest = systems.map { system in objects.count { $0.system == system } }.max() ?? 0
        let hasNumbers = widest * ConstellationTable.pitch <= area.width - ConstellationTable.barsStart
        let rows = hasNumbers ? max(1, min(area.height / systems.count, ConstellationTable.mostRows)) : 1
        for (at, system) in systems.prefix(area.height / rows).enumerated() {
            draw(system, on: &canvas, in: Area(column: area.column, row: area.row + at * rows, width: area.width, height: rows))
        }
    }

    private func draw(_ system: Constellation, on canvas: inout Canvas, in area: Area) {
        let members = SkyObject.ranked(objects.filter { $0.system == system })
        let used = members.count(where: \.used)
        canvas.put(system.title, area.column, area.row, used > 0 ? .bold : .dim, limit: area.endColumn)
        canvas.put("\(used) of \(members.count)", before: area.column + ConstellationTable.countEnd, area.row, used > 0 ? .plain : .dim)
        let start = area.column + ConstellationTable.barsStart
        for (at, object) in members.enumerated() {
            if area.height == 1 {
                let block = SignalStrength.blocks(object.carrierToNoise, rows: 1)[0]
                canvas.put(block, start + at, area.row, SignalStrength.style(object), limit: area.endColumn)
            } else {
                draw(object, on: &canvas, start + at * ConstellationTable.pitch, area)
            }
        }
    }

    /// A bar two columns wide above its number.
    private func draw(_ object: SkyObject, on canvas: inout Canvas, _ column: Int, _ area: Area) {
        for (at, block) in SignalStrength.blocks(object.carrierToNoise, rows: area.height - 1).enumerated() {
            canvas.put(block + block, column, area.row + at, SignalStrength.style(object), limit: area.endColumn)
        }
        let number = object.number.map(String.init) ?? "–"
        canvas.put(String(number.suffix(2)), column, area.endRow - 1, object.used ? .plain : .dim, limit: area.endColumn)
    }
}
