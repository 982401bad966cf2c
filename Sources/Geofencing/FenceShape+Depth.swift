import Geodesy

extension FenceShape {
    /// Metres: about half of how deep inside one can be; half of a circle's radius, a quarter of a corridor's width. Of a polygon area over
    /// perimeter, which is never more than the radius of the greatest circle in it, and half of it for a square or a circle (R. Osserman,
    /// "Bonnesen-style isoperimetric inequalities", American Mathematical Monthly 86 (1979) 1-29: P r >= A + pi r * r).
    ///
    /// Walks all points; for when a condition is added.
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

    /// Whether a position with that 68 % radius, in metres, says too little of a shape so small: the state is then held.
    public func isUndecidable(at radius: Double) -> Bool {
        !(2 * halfDepth >= radius)
    }
}

/// Area and perimeter of a ring, as the azimuthal equidistant map about its first point shows them: true where it is small.
struct RingMeasure {
    /// Square metres; what is enclosed twice may cancel.
    private(set) var area = 0.0
    /// Metres.
    private(set) var perimeter = 0.0

    init(_ ring: [Coordinate]) {
        guard let origin = ring.first else { return }
        var last = LocalPlane.Offset(east: 0, north: 0)
        for point in ring.dropFirst() {
            let path = Geodesic.inverse(from: origin, to: point)
            let next = LocalPlane.Offset(distance: path.distance, bearing: path.initialBearing)
            add(last, next)
            last = next
        }
        add(last, LocalPlane.Offset(east: 0, north: 0))
        area = abs(area)
    }

    private mutating func add(_ from: LocalPlane.Offset, _ to: LocalPlane.Offset) {
        area += (from.east * to.north - to.east * from.north) / 2
        perimeter += LocalPlane.Offset(east: to.east - from.east, north: to.north - from.north).length
    }
}
