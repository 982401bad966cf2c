import Geodesy

extension FenceShape {
    /// About half of the greatest depth inside the shape, in metres.
    ///
    /// For a circle this is half the radius, for a corridor a quarter of the width. For a polygon
    /// it is the area divided by the perimeter. That never exceeds the radius of the largest
    /// inscribed circle, and equals half of it for a square or a circle (R. Osserman,
    /// "Bonnesen-style isoperimetric inequalities", American Mathematical Monthly 86 (1979) 1-29: P
    /// r >= A + pi r * r).
    ///
    /// Visits all points, so it is computed once, when a condition is added.
    public var halfDepth: Double {
        switch self {
        case .circle(_, let radius): return radius / 2
        case .corridor(_, let width): return width / 4
        case .polygon(let polygon):
            let outer = RingMeasure(polygon.ring)
            var (area, perimeter) = (outer.area, outer.perimeter)
            for hole in polygon.holes {
                let measure = RingMeasure(hole)
                area -= measure.area
                perimeter += measure.perimeter
            }
            return perimeter > 0 ? max(area, 0) / perimeter : 0
        }
    }

    /// Returns whether the shape is too small for positions with this R68 in metres to confirm an
    /// entry.
    ///
    /// If a circle's radius is below 1.42 times R68, even its centre is inside with a probability
    /// below 0.9: 1 - exp(-r * r / 2 sigma * sigma).
    public func isTooSmall(forAccuracy radius: Double) -> Bool {
        !(2 * halfDepth >= 1.42 * radius)
    }
}

/// The area and perimeter of a ring in the azimuthal equidistant projection around its first point,
/// exact for small rings.
struct RingMeasure {
    /// The area in square metres; parts enclosed twice may cancel.
    private(set) var area = 0.0
    /// The perimeter in metres.
    private(set) var perimeter = 0.0

    init(_ ring: [Coordinate]) {
        guard let origin = ring.first else { return }
        var last = LocalPlane.Offset(east: 0, north: 0)
        for point in ring.dropFirst() {
            let path = Geodesic.inverse(from: origin, to: point)
            let next = LocalPlane.Offset(distance: path.distance, bearing: path.initialBearing)
            addEdge(from: last, to: next)
            last = next
        }
        addEdge(from: last, to: LocalPlane.Offset(east: 0, north: 0))
        area = abs(area)
    }

    private mutating func addEdge(from: LocalPlane.Offset, to: LocalPlane.Offset) {
        area += (from.east * to.north - to.east * from.north) / 2
        perimeter += LocalPlane.Offset(east: to.east - from.east, north: to.north - from.north).length
    }
}
