import Geodesy
import SextantAPI

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

    /// Draws the boundary of a circle.
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

    /// Draws straight lines from point to point.
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
