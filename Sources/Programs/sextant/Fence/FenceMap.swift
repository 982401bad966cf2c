import Geodesy
import SextantAPI

/// A map of the boundaries around the device, with the device in the middle and north up.
struct FenceMap {
    /// The position of the device.
    var location: EventPlace
    /// The fences, nearest first.
    var neighbours: [NeighbourMessage]
    var size: TerminalSize

    private static let maxColumns = 100
    private static let maxRows = 36
    /// The maximum number of boundaries on the map. With more the map is unreadable.
    private static let maxBoundaries = 8

    func canvas() -> Canvas {
        let rows = min(max(size.rows - 8, 9), FenceMap.maxRows)
        let columns = min(max(size.columns, 20), FenceMap.maxColumns)
        var canvas = Canvas(width: columns, height: rows + 1)
        guard let here = Coordinate(latitude: location.latitude, longitude: location.longitude) else { return canvas }
        let shown = Array(neighbours.prefix(FenceMap.maxBoundaries))
        let projection = MapProjection(
            center: LocalPlane(origin: here), columns: columns, rows: rows, metres: reach(toShow: shown))
        let outlines = shown.map { ($0, outline(of: $0, with: projection)) }
        for (neighbour, outline) in outlines.reversed() {
            outline.draw(on: &canvas, column: 0, row: 0, style: FenceFormatter.style(neighbour.state))
        }
        var dots = BrailleBitmap(columns: columns, rows: rows)
        dots.drawCircle(
            x: projection.centerX, y: projection.centerY,
            radius: location.horizontalAccuracy * projection.dotsPerMetre)
        dots.draw(on: &canvas, column: 0, row: 0, style: .dim)
        var labels = LabelSpace(Area(column: 0, row: 0, width: columns, height: rows))
        let device = Style(colour: .brightGreen, isBold: true)
        labels.put("●", column: columns / 2, row: rows / 2, style: device, on: &canvas)
        for (neighbour, outline) in outlines {
            guard let mark = outline.topmostCell else { continue }
            labels.put(
                neighbour.condition.identifier, around: mark.column, row: max(mark.row - 1, 0),
                style: FenceFormatter.style(neighbour.state), on: &canvas)
        }
        drawScale(of: projection, on: &canvas)
        return canvas
    }

    /// Returns the distance in metres from the middle to the nearer edge of the map. The nearest
    /// boundary is at two thirds of it, or the farthest one within ten times that range.
    private func reach(toShow shown: [NeighbourMessage]) -> Double {
        let distances = shown.map(\.distance.magnitude)
        let range = max(distances.first ?? 0, location.horizontalAccuracy * 2, 10) * 1.5
        return max(range, (distances.filter { $0 <= range * 10 }.max() ?? 0) * 1.5)
    }

    private func outline(of neighbour: NeighbourMessage, with projection: MapProjection) -> BrailleBitmap {
        var dots = BrailleBitmap(columns: projection.columns, rows: projection.rows)
        let condition = neighbour.condition
        if let circle = condition.circle {
            projection.draw(circle, on: &dots)
        } else if let polygon = condition.polygon {
            for ring in [polygon.ring] + (polygon.holes ?? []) { projection.drawLine(ring + ring.prefix(1), on: &dots) }
        } else if let corridor = condition.corridor {
            projection.draw(corridor, on: &dots)
        }
        return dots
    }

    private func drawScale(of projection: MapProjection, on canvas: inout Canvas) {
        let row = canvas.height - 1
        let metres = projection.scale
        let width = max(2, Int((metres * projection.dotsPerMetre / 2).rounded()))
        let end = canvas.put(
            "├" + String(repeating: "─", count: width - 2) + "┤ " + LengthText.metres(metres), column: 0, row: row,
            style: .dim)
        let direction = "north up"
        guard end + direction.count < canvas.width else { return }
        canvas.put(direction, before: canvas.width, row: row, style: .dim)
    }
}
