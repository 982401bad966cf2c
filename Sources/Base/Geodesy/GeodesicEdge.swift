import Glibc

/// The shortest path between two points, as an edge of an area or a segment of a line.
public struct GeodesicEdge: Sendable, Hashable {
    /// The start of the edge.
    public let start: Coordinate
    /// The end of the edge.
    public let end: Coordinate

    /// Creates an edge between two points that are not antipodal.
    public init(from start: Coordinate, to end: Coordinate) {
        (self.start, self.end) = (start, end)
    }

    /// Returns the distance from a point to the nearest point of the edge in metres, to better than
    /// a millimetre for any length of the edge.
    ///
    /// The iteration approaches the foot of the perpendicular. Each step solves the spherical
    /// triangle of the current estimate, the foot and the point, and leaves less than a hundredth
    /// of the error (S. Baselga and J. C. Martínez-Llario, "Intersection and point-to-line
    /// solutions for geodesics on the ellipsoid", Studia Geophysica et Geodaetica 62 (2018)
    /// 353-363).
    public func distance(to point: Coordinate) -> Double {
        let whole = Geodesic.inverse(from: start, to: end)
        var foot = start
        var path = Geodesic.inverse(from: start, to: point)
        guard whole.distance > 0 else { return path.distance }
        var (along, heading) = (0.0, whole.initialBearing)
        for _ in 0..<12 {
            let step = GeodesicEdge.advance(distance: path.distance, angle: path.initialBearing - heading)
            let next = min(max(along + step, 0), whole.distance)
            let correction = abs(next - along)
            if correction < 1e-5 { break }
            along = next
            (foot, heading) = Geodesic.direct(from: start, bearing: whole.initialBearing, distance: along)
            path = Geodesic.inverse(from: foot, to: point)
            // An error s of the foot causes an error of s * s / 2d in the distance d.
            if correction * correction < 1e-4 * path.distance { break }
        }
        return path.distance
    }

    /// Returns how far to travel on a heading until a point is abeam, on the sphere. The point lies
    /// at a distance and an angle to the heading.
    private static func advance(distance: Double, angle: Double) -> Double {
        let arc = distance / Ellipsoid.equatorialRadius
        return Ellipsoid.equatorialRadius * atan2(sin(arc) * UnitAngle(degrees: angle).cosine, cos(arc))
    }

    /// The band of latitudes that the edge covers, in degrees. A geodesic curves towards the pole
    /// between its ends.
    public var latitudes: (south: Double, north: Double) {
        var (south, north) = (min(start.latitude, end.latitude), max(start.latitude, end.latitude))
        guard start.longitude != end.longitude else { return (south, north) }
        let path = Geodesic.inverse(from: start, to: end)
        let (first, last) = (UnitAngle(degrees: path.initialBearing), UnitAngle(degrees: path.finalBearing))
        guard first.cosine * last.cosine < 0 else { return (south, north) }
        // Clairaut's relation where the path runs due east or west.
        let cosine = abs(first.sine) * Geodesic.reducedLatitude(start.latitude).cosine
        let sine = max(1 - cosine * cosine, 0).squareRoot()
        let apex = atan2(sine, (1 - Ellipsoid.flattening) * cosine) * 180 / .pi
        if first.cosine > 0 { north = max(north, apex) } else { south = min(south, -apex) }
        return (south, north)
    }
}
