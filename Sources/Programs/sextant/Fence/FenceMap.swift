import Geodesy
import SextantAPI

/// A map of the boundaries around the device, with the device in the middle and north up.
struct FenceMap {
    /// The position of the device.
    var location: EventPlace
    /// The fences, nearest first.
    var neighbours: [Neighbour]
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
    private func reach(toShow shown: [Neighbour]) -> Double {
        let distances = shown.map(\.distance.magnitude)
        let range = max(distances.first ?? 0, location.horizontalAccuracy * 2, 10) * 1.5
        return max(range, (distances.filter { $0 <= range * 10 }.max() ?? 0) * 1.5)
    }

    private func outline(of neighbour: Neighbour, with projection: MapProjection) -> BrailleBitmap {
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

/// Projects positions to dots of a map with the device in its center.
struct MapProjection {
    let center: LocalPlane
    let columns: Int
    let rows: Int
    let dotsPerMetre: Double

    init(center: LocalPlane, columns: Int, rows: Int, metres: Double) {
        self.center = center
        self.columns = columns
        self.rows = rows
        dotsPerMetre = Double(min(columns * 2, rows * 4)) / 2 / metres
    }

    var centerX: Double { Double(columns / 2 * 2) + 0.5 }
    var centerY: Double { Double(rows / 2 * 4) + 1.5 }

    /// The length of the scale bar in metres: a round number, about a quarter of the map's width.
    var scale: Double {
        let preferred = Double(columns) / 2 / dotsPerMetre
        var unit = 1.0
        while unit * 10 <= preferred { unit *= 10 }
        return [5, 2].first { unit * $0 <= preferred }.map { unit * $0 } ?? unit
    }

    private func dot(_ point: Point) -> (x: Double, y: Double)? {
        guard let place = Coordinate(latitude: point.latitude, longitude: point.longitude) else { return nil }
        let offset = center.offset(of: place)
        return clamped((centerX + offset.east * dotsPerMetre, centerY - offset.north * dotsPerMetre))
    }

    /// Limits a dot to a range far outside the map, so that a line to it does not take long to
    /// draw.
    private func clamped(_ dot: (x: Double, y: Double)) -> (x: Double, y: Double) {
        let limit = 4000.0
        return (min(max(dot.x, -limit), limit), min(max(dot.y, -limit), limit))
    }

    func draw(_ circle: ConditionCircle, on dots: inout BrailleBitmap) {
        guard let place = Coordinate(latitude: circle.center.latitude, longitude: circle.center.longitude) else {
            return
        }
        let corners = 360
        var points: [(x: Double, y: Double)] = []
        let offset = center.offset(of: place)
        for corner in 0...corners {
            let edge = LocalPlane.Offset(distance: circle.radius, bearing: Double(corner))
            let (east, north) = (offset.east + edge.east, offset.north + edge.north)
            points.append(clamped((centerX + east * dotsPerMetre, centerY - north * dotsPerMetre)))
        }
        for (from, to) in zip(points, points.dropFirst()) { dots.drawLine(from: from, to: to) }
    }

    func drawLine(_ points: some Sequence<Point>, on dots: inout BrailleBitmap) {
        let places = points.compactMap(dot)
        for (from, to) in zip(places, places.dropFirst()) { dots.drawLine(from: from, to: to) }
    }

    /// Draws the two edges of a corridor, one leg at a time.
    func draw(_ corridor: ConditionCorridor, on dots: inout BrailleBitmap) {
        let places = corridor.path.compactMap(dot)
        let half = corridor.width / 2 * dotsPerMetre
        for (from, to) in zip(places, places.dropFirst()) {
            let (x, y) = (to.x - from.x, to.y - from.y)
            let length = (x * x + y * y).squareRoot()
            guard length > 0 else { continue }
            let offset = (x: -y / length * half, y: x / length * half)
            for side in [1.0, -1.0] {
                let edge = (x: offset.x * side, y: offset.y * side)
                dots.drawLine(from: (from.x + edge.x, from.y + edge.y), to: (to.x + edge.x, to.y + edge.y))
            }
        }
    }
}
