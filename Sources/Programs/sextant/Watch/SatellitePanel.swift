/// The satellites: a table by constellation and, if space permits, the signal bars and the sky
/// plot.
struct SatellitePanel {
    var satellites: [SkySatellite]

    func draw(on canvas: inout Canvas, in area: Area) {
        guard !satellites.isEmpty else {
            canvas.put("none in view", column: area.column, row: area.row, style: .dim, limit: area.endColumn)
            return
        }
        let table = ConstellationTable(satellites: satellites)
        let plotWidth = min(area.height * 2, area.width - 34)
        guard area.height >= 10, plotWidth >= 20 else { return table.draw(on: &canvas, in: area) }

        // The plot takes the right side of the area, beside the lists.
        let plot = Area(column: area.endColumn - plotWidth, row: area.row, width: plotWidth, height: area.height)
        SkyPlot(satellites: satellites).draw(on: &canvas, in: plot)
        let left = Area(column: area.column, row: area.row, width: area.width - plotWidth - 3, height: area.height)
        let list = Area(
            column: left.column, row: left.row,
            width: satellites.count > left.height ? left.width : min(left.width, 48),
            height: left.height)
        table.draw(
            on: &canvas, in: Area(column: list.column, row: list.row, width: list.width, height: table.systems.count))
        let used = table.systems.count + 1
        bars(
            on: &canvas,
            in: Area(column: list.column, row: list.row + used, width: list.width, height: list.height - used))
    }

    /// Draws the bars, in two columns if they fit.
    private func bars(on canvas: inout Canvas, in area: Area) {
        let ranked = SkySatellite.ranked(satellites)
        guard area.width >= 60, ranked.count > area.height else {
            return SignalChart(satellites: ranked).draw(on: &canvas, in: area)
        }
        var half = area
        half.width = area.width / 2 - 2
        SignalChart(satellites: Array(ranked.prefix(area.height))).draw(on: &canvas, in: half)
        half.column = area.endColumn - half.width
        SignalChart(satellites: Array(ranked.dropFirst(area.height))).draw(on: &canvas, in: half)
    }
}
