import Geodesy
import Wire

/// Projects positions to dots of a map with the device in its middle.
struct MapProjection {
    let middle: LocalPlane
    let columns: Int
    let rows: Int
    let dotsPerMetre: Double

    init(middle: LocalPlane, columns: Int, rows: Int, metres: Double) {
        self.middle = middle
        self.columns = columns
        self.rows = rows
        dotsPerMetre = Double(min(columns * 2, rows * 4)) / 2 / metres
    }

    var middleX: Double { Double(columns / 2 * 2) + 0.5 }
    var middleY: Double { Double(rows / 2 * 4) + 1.5 }

    /// The length of the scale bar in metres: a round number, about a quarter of the map's width.
    var scale: Double {
        let wanted = Double(columns) / 2 / dotsPerMetre
        var unit = 1.0
        while unit * 10 <= wanted { unit *= 10 }
        return [5, 2].first { unit * $0 <= wanted }.map { unit * $0 } ?? unit
    }

    private func dot(_ point: PointMessage) -> (x: Double, y: Double)? {
        guard let place = Coordinate(latitude: point.latitude, longitude: point.longitude) else { return nil }
        let offset = middle.offset(of: place)
        return bounded((middleX + offset.east * dotsPerMetre, middleY - offset.north * dotsPerMetre))
    }

    /// Limits a dot to a range far outside the map, so that a line to it does not take long to
    /// draw.
    private func bounded(_ dot: (x: Double, y: Double)) -> (x: Double, y: Double) {
        let limit = 4000.0
        return (min(max(dot.x, -limit), limit), min(max(dot.y, -limit), limit))
    }

    func circle(_ circle: CircleMessage, on dots: inout BrailleBitmap) {
        guard let center = Coordinate(latitude: circle.center.latitude, longitude: circle.center.longitude) else {
            return
        }
        let corners = 360
        var points: [(x: Double, y: Double)] = []
        let offset = middle.offset(of: center)
        for corner in 0...corners {
            let edge = LocalPlane.Offset(distance: circle.radius, bearing: Double(corner))
            let (east, north) = (offset.east + edge.east, offset.north + edge.north)
            points.append(bounded((middleX + east * dotsPerMetre, middleY - north * dotsPerMetre)))
        }
        for (from, to) in zip(points, points.dropFirst()) { dots.line(from: from, to: to) }
    }

    func line(_ points: some Sequence<PointMessage>, on dots: inout BrailleBitmap) {
        let places = points.compactMap(dot)
        for (from, to) in zip(places, places.dropFirst()) { dots.line(from: from, to: to) }
    }

    /// Draws the two edges of a corridor, one leg at a time.
    func corridor(_ corridor: CorridorMessage, on dots: inout BrailleBitmap) {
        let places = corridor.path.compactMap(dot)
        let half = corridor.width / 2 * dotsPerMetre
        for (from, to) in zip(places, places.dropFirst()) {
            let (x, y) = (to.x - from.x, to.y - from.y)
            let length = (x * x + y * y).squareRoot()
            guard length > 0 else { continue }
            let aside = (x: -y / length * half, y: x / length * half)
            for side in [1.0, -1.0] {
                let edge = (x: aside.x * side, y: aside.y * side)
                dots.line(from: (from.x + edge.x, from.y + edge.y), to: (to.x + edge.x, to.y + edge.y))
            }
        }
    }
}
