/// The satellites: a table by constellation, and with room enough the bars of each and the sky beside it.
struct SatellitePanel {
    var objects: [SkyObject]

    func draw(on canvas: inout Canvas, in area: Area) {
        guard !objects.isEmpty else {
            canvas.put("none heard of", area.column, area.row, .dim, limit: area.endColumn)
            return
        }
        let table = ConstellationTable(objects: objects)
        let plotWidth = min(area.height * 2, area.width - 34)
        guard area.height >= 10, plotWidth >= 20 else { return table.draw(on: &canvas, in: area) }

        // In the middle of what the lists leave free.
        let plot = Area(column: area.endColumn - plotWidth, row: area.row, width: plotWidth, height: area.height)
        SkyPlot(objects: objects).draw(on: &canvas, in: plot)
        let left = Area(column: area.column, row: area.row, width: area.width - plotWidth - 3, height: area.height)
        let list = Area(
            column: left.column, row: left.row, width: objects.count > left.height ? left.width : min(left.width, 48), height: left.height)
        table.draw(on: &canvas, in: Area(column: list.column, row: list.row, width: list.width, height: table.systems.count))
        let used = table.systems.count + 1
        bars(on: &canvas, in: Area(column: list.column, row: list.row + used, width: list.width, height: list.height - used))
    }

    /// In two columns where they fit.
    private func bars(on canvas: inout Canvas, in area: Area) {
        let ranked = SkyObject.ranked(objects)
        guard area.width >= 60, ranked.count > area.height else { return SignalChart(objects: ranked).draw(on: &canvas, in: area) }
        var half = area
        half.width = area.width / 2 - 2
        SignalChart(objects: Array(ranked.prefix(area.height))).draw(on: &canvas, in: half)
        half.column = area.endColumn - half.width
        SignalChart(objects: Array(ranked.dropFirst(area.height))).draw(on: &canvas, in: half)
    }
}
