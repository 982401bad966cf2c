import Glibc

/// What one point sees of lines made of geodesics: how far the nearest of them is, and whether a ring of them goes around it.
///
/// Edges of up to 0.1 degrees that are within 1 degree, below 80 degrees of latitude, are measured on the ``LocalPlane`` of the point.
/// On it every line through the point is straight, so that the side on which an edge passes is right however near it is; the distance is
/// wrong by less than 1 mm within 1 km, 0.1 m within 10 km and 1 part in 1,000 beyond (a twentieth of that at 50 degrees). All other edges
/// are measured as geodesics, to a millimetre. Nothing is allocated.
public struct Outlook: Sendable {
    private static let near = 1.0
    private static let short = 0.1
    private static let plain = 80.0

    /// Metres to the nearest point of all edges seen; infinite before the first.
    public private(set) var distance = Double.infinity

    private let point: Coordinate
    private let plane: LocalPlane
    private let cosine: Double
    private var crossings = 0

    /// A point that has seen nothing yet.
    public init(from point: Coordinate) {
        self.point = point
        plane = LocalPlane(origin: point)
        cosine = abs(point.latitude) < Outlook.plain ? cos(point.latitude * .pi / 180) : .infinity
    }

    /// An end of an edge, as the point sees it.
    private struct Sighting {
        let coordinate: Coordinate
        /// Degrees east of the point's meridian, -180 ... 180.
        let east: Double
        /// Where it lies on the plane; nil where that would not be true enough.
        let offset: LocalPlane.Offset?
        /// East of the meridian, or on the point's half of it.
        var isEast: Bool { east >= 0 && east < 180 }
    }

    private func sight(_ coordinate: Coordinate) -> Sighting {
        var east = coordinate.longitude - point.longitude
        if east > 180 { east -= 360 } else if east < -180 { east += 360 }
        let isNear = abs(coordinate.latitude - point.latitude) < Outlook.near && abs(east) * cosine < Outlook.near
        return Sighting(coordinate: coordinate, east: east, offset: isNear ? plane.offset(of: coordinate) : nil)
    }

    /// Looks at a line from point to point.
    public mutating func take(path: [Coordinate]) {
        guard let first = path.first else { return }
        var last = sight(first)
        if path.count == 1 { judge(last, last) }
        for index in path.indices.dropFirst() {
            let next = sight(path[index])
            judge(last, next)
            last = next
        }
    }

    /// Looks at a closed ring, and says whether it goes around the point.
    ///
    /// A ring divides the Earth in two. Around is on the side that lies within a quarter of the Earth's circumference of the ring's first
    /// point, and it is meant for rings that do so themselves. A ring that crosses itself goes around what it encloses an odd number of times.
    public mutating func isInside(ring: [Coordinate]) -> Bool {
        guard let first = ring.first, let end = ring.last else { return false }
        crossings = 0
        var last = sight(end)
        for index in ring.indices {
            let next = sight(ring[index])
            judge(last, next)
            last = next
        }
        // The half meridian from the point over the pole ends at its antipode: an odd number says that the ring lies between the two.
        return crossings & 1 == 1 && isOnThisSide(first)
    }

    private func isOnThisSide(_ other: Coordinate) -> Bool {
        let (a, b) = (UnitAngle(degrees: point.latitude), UnitAngle(degrees: other.latitude))
        return a.sine * b.sine + a.cosine * b.cosine * UnitAngle(degrees: other.longitude - point.longitude).cosine > 0
    }

    private mutating func judge(_ a: Sighting, _ b: Sighting) {
        guard let from = a.offset, let to = b.offset, abs(a.coordinate.latitude - b.coordinate.latitude) <= Outlook.short,
            abs(a.east - b.east) * cosine <= Outlook.short
        else { return judgeGeodesic(a, b) }
        if a.isEast != b.isEast { count(to.east * from.north - to.north * from.east, eastward: b.isEast) }
        let (x, y) = (to.east - from.east, to.north - from.north)
        let square = x * x + y * y
        let share = square > 0 ? min(max(-(from.east * x + from.north * y) / square, 0), 1) : 0
        let (east, north) = (from.east + share * x, from.north + share * y)
        distance = min(distance, (east * east + north * north).squareRoot())
    }

    private mutating func judgeGeodesic(_ a: Sighting, _ b: Sighting) {
        if a.isEast != b.isEast {
            let turn = point.initialBearing(to: b.coordinate) - point.initialBearing(to: a.coordinate)
            count(UnitAngle(degrees: turn).sine, eastward: b.isEast)
        }
        let length = Outlook.arc(a.coordinate, b.coordinate)
        // Great circles are within 0.6 % of geodesics.
        let least = Ellipsoid.equatorialRadius * (0.993 * Outlook.arc(point, a.coordinate) - 1.007 * length)
        guard least < distance else { return }
        distance = min(distance, GeodesicEdge(from: a.coordinate, to: b.coordinate).distance(to: point))
    }

    /// An edge crosses the meridian: over the pole or behind it when it goes clockwise eastwards.
    private mutating func count(_ sineOfTurn: Double, eastward: Bool) {
        if eastward == (sineOfTurn > 0) { crossings += 1 }
    }

    /// Radians between two points as if the Earth were a sphere.
    private static func arc(_ a: Coordinate, _ b: Coordinate) -> Double {
        let (north, east) = ((b.latitude - a.latitude) * .pi / 360, (b.longitude - a.longitude) * .pi / 360)
        let square = sin(north) * sin(north) + cos(a.latitude * .pi / 180) * cos(b.latitude * .pi / 180) * sin(east) * sin(east)
        return 2 * asin(min(square, 1).squareRoot())
    }
}
