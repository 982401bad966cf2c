import Glibc

/// The distance from one point to the nearest of several geodesic lines, and whether a ring of
/// geodesics encloses the point.
///
/// Edges of up to 0.1 degrees that lie within 1 degree, below 80 degrees of latitude, are measured
/// on the ``LocalPlane`` of the point. On this plane every line through the point is straight, so
/// the side on which an edge passes is correct at any distance. The error of the distance is less
/// than 1 mm within 1 km, 0.1 m within 10 km and 1 part in 1,000 beyond. At 50 degrees it is a
/// twentieth of that. All other edges are measured as geodesics, to a millimetre. Nothing is
/// allocated.
public struct LocalDistance: Sendable {
    private static let maxPlaneDegrees = 1.0
    private static let maxEdgeDegrees = 0.1
    private static let maxPlaneLatitude = 80.0

    /// The distance in metres to the nearest point of all edges added so far; infinite before the
    /// first.
    public private(set) var distance = Double.infinity

    private let point: Coordinate
    private let plane: LocalPlane
    private let cosine: Double
    private var crossings = 0

    /// Creates a measurement from a point, without any edges.
    public init(from point: Coordinate) {
        self.point = point
        plane = LocalPlane(origin: point)
        cosine = abs(point.latitude) < LocalDistance.maxPlaneLatitude ? cos(point.latitude * .pi / 180) : .infinity
    }

    /// An end of an edge, relative to the point.
    private struct RelativePoint {
        let coordinate: Coordinate
        /// Degrees east of the point's meridian, -180 ... 180.
        let east: Double
        /// The position on the plane; nil if the plane is not accurate enough there.
        let offset: LocalPlane.Offset?
        /// Whether the end lies east of the meridian, or on the point's half of it.
        var isEast: Bool { east >= 0 && east < 180 }
    }

    private func relative(to coordinate: Coordinate) -> RelativePoint {
        var east = coordinate.longitude - point.longitude
        if east > 180 { east -= 360 } else if east < -180 { east += 360 }
        let isNear =
            abs(coordinate.latitude - point.latitude) < LocalDistance.maxPlaneDegrees
            && abs(east) * cosine < LocalDistance.maxPlaneDegrees
        return RelativePoint(coordinate: coordinate, east: east, offset: isNear ? plane.offset(of: coordinate) : nil)
    }

    /// Adds a line with these vertices.
    public mutating func add(path: [Coordinate]) {
        guard let first = path.first else { return }
        var last = relative(to: first)
        if path.count == 1 { addEdge(from: last, to: last) }
        for index in path.indices.dropFirst() {
            let next = relative(to: path[index])
            addEdge(from: last, to: next)
            last = next
        }
    }

    /// Adds a closed ring and returns whether it encloses the point.
    ///
    /// A ring divides the Earth in two. Its inside is the part within a quarter of the Earth's
    /// circumference of its first point; the ring itself must lie within that distance. A ring that
    /// crosses itself encloses the areas that it surrounds an odd number of times.
    public mutating func isInside(ring: [Coordinate]) -> Bool {
        guard let first = ring.first, let end = ring.last else { return false }
        crossings = 0
        var last = relative(to: end)
        for index in ring.indices {
            let next = relative(to: ring[index])
            addEdge(from: last, to: next)
            last = next
        }
        // The half meridian from the point over the pole ends at the antipode. An odd number of
        // crossings means that the ring separates the two.
        return crossings & 1 == 1 && isOnThisSide(first)
    }

    private func isOnThisSide(_ other: Coordinate) -> Bool {
        let (a, b) = (UnitAngle(degrees: point.latitude), UnitAngle(degrees: other.latitude))
        return a.sine * b.sine + a.cosine * b.cosine * UnitAngle(degrees: other.longitude - point.longitude).cosine > 0
    }

    private mutating func addEdge(from a: RelativePoint, to b: RelativePoint) {
        guard let from = a.offset, let to = b.offset,
            abs(a.coordinate.latitude - b.coordinate.latitude) <= LocalDistance.maxEdgeDegrees,
            abs(a.east - b.east) * cosine <= LocalDistance.maxEdgeDegrees
        else { return addGeodesic(from: a, to: b) }
        if a.isEast != b.isEast { count(to.east * from.north - to.north * from.east, eastward: b.isEast) }
        let (x, y) = (to.east - from.east, to.north - from.north)
        let square = x * x + y * y
        let share = square > 0 ? min(max(-(from.east * x + from.north * y) / square, 0), 1) : 0
        let (east, north) = (from.east + share * x, from.north + share * y)
        distance = min(distance, (east * east + north * north).squareRoot())
    }

    private mutating func addGeodesic(from a: RelativePoint, to b: RelativePoint) {
        if a.isEast != b.isEast {
            let turn = point.initialBearing(to: b.coordinate) - point.initialBearing(to: a.coordinate)
            count(UnitAngle(degrees: turn).sine, eastward: b.isEast)
        }
        let length = LocalDistance.arc(a.coordinate, b.coordinate)
        // Great circles are within 0.6 % of geodesics.
        let minDistance = Ellipsoid.equatorialRadius * (0.993 * LocalDistance.arc(point, a.coordinate) - 1.007 * length)
        guard minDistance < distance else { return }
        distance = min(distance, GeodesicEdge(from: a.coordinate, to: b.coordinate).distance(to: point))
    }

    /// Counts an edge that crosses the half meridian over the pole. An edge does so if it turns
    /// clockwise eastwards.
    private mutating func count(_ sineOfTurn: Double, eastward: Bool) {
        if eastward == (sineOfTurn > 0) { crossings += 1 }
    }

    /// Returns the angle between two points in radians, on a spherical Earth.
    private static func arc(_ a: Coordinate, _ b: Coordinate) -> Double {
        let (north, east) = ((b.latitude - a.latitude) * .pi / 360, (b.longitude - a.longitude) * .pi / 360)
        let square =
            sin(north) * sin(north) + cos(a.latitude * .pi / 180) * cos(b.latitude * .pi / 180) * sin(east) * sin(east)
        return 2 * asin(min(square, 1).squareRoot())
    }
}
