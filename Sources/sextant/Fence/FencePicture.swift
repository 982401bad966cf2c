import Geodesy
import Wire

/// The device in the middle and the boundaries around it, north up, as on a map.
struct FencePicture {
    /// Where the device is.
    var location: PlaceMessage
    /// Nearest first.
    var neighbours: [NeighbourMessage]
    var size: TerminalSize

    private static let widest = 100
    private static let highest = 36
    /// As many boundaries as fit are nearest to the device: beyond that many the picture says nothing any more.
    private static let most = 8

    func canvas() -> Canvas {
        let rows = min(max(size.rows - 8, 9), FencePicture.highest)
        let columns = min(max(size.columns, 20), FencePicture.widest)
        var canvas = Canvas(width: columns, height: rows + 1)
        guard let here = Coordinate(latitude: location.latitude, longitude: location.longitude) else { return canvas }
        let shown = Array(neighbours.prefix(FencePicture.most))
        let plan = FencePlan(middle: LocalPlane(origin: here), columns: columns, rows: rows, metres: reach(shown))
        for neighbour in shown.reversed() { draw(neighbour, plan, on: &canvas) }
        var dots = DotField(columns: columns, rows: rows)
        dots.circle(plan.middleX, plan.middleY, radius: location.horizontalAccuracy * plan.dotsPerMetre)
        dots.draw(on: &canvas, 0, 0, .dim)
        canvas.put("●", columns / 2, rows / 2, Style(colour: .brightGreen, isBold: true))
        scale(plan, on: &canvas)
        return canvas
    }

    /// Metres from the middle to the nearer edge: the nearest boundary takes two thirds of it.
    private func reach(_ shown: [NeighbourMessage]) -> Double {
        let nearest = shown.first.map(\.distance.magnitude) ?? 0
        let second = shown.dropFirst().first.map(\.distance.magnitude).map { $0 < nearest * 5 ? $0 : 0 } ?? 0
        return max(nearest, second, location.horizontalAccuracy * 2, 10) * 1.5
    }

    private func draw(_ neighbour: NeighbourMessage, _ plan: FencePlan, on canvas: inout Canvas) {
        let style = FenceWords.style(neighbour.state)
        var dots = DotField(columns: plan.columns, rows: plan.rows)
        let condition = neighbour.condition
        if let circle = condition.circle {
            plan.circle(circle, on: &dots)
        } else if let polygon = condition.polygon {
            for ring in [polygon.ring] + (polygon.holes ?? []) { plan.line(ring + ring.prefix(1), on: &dots) }
        } else if let corridor = condition.corridor {
            plan.corridor(corridor, on: &dots)
        }
        dots.draw(on: &canvas, 0, 0, style)
        guard let mark = dots.highest else { return }
        canvas.put(Columns.harmless(condition.identifier), around: mark.column, max(mark.row - 1, 0), style)
    }

    private func scale(_ plan: FencePlan, on canvas: inout Canvas) {
        let row = canvas.height - 1
        let metres = plan.scale
        let width = max(2, Int((metres * plan.dotsPerMetre / 2).rounded()))
        canvas.put("├" + String(repeating: "─", count: width - 2) + "┤ " + LengthText.metres(metres), 0, row, .dim)
        canvas.put("north up", before: canvas.width, row, .dim)
    }
}
