import Glibc

/// The shortest path between two points, as the edge of an area or a piece of a line.
public struct GeodesicEdge: Sendable, Hashable {
    /// Where it begins.
    public let start: Coordinate
    /// Where it ends.
    public let end: Coordinate

    /// An edge between two points that are not antipodal.
    public init(from start: Coordinate, to end: Coordinate) {
        (self.start, self.end) = (start, end)
    }

    /// Metres from a point to the nearest point of the edge, to better than a millimetre however long the edge is.
    ///
    /// From a guess the foot of the perpendicular is approached by the spherical triangle between it, the foot and the point (S. Baselga
    /// and J. C. Martínez-Llario, "Intersection and point-to-line solutions for geodesics on the ellipsoid", Studia Geophysica et
    /// Geodaetica 62 (2018) 353-363): each step leaves less than a hundredth of the miss.
    public func distance(to point: Coordinate) -> Double {
        let whole = Geodesic.inverse(from: start, to: end)
        var foot = start
        var path = Geodesic.inverse(from: start, to: point)
        guard whole.distance > 0 else { return path.distance }
        var (along, heading) = (0.0, whole.initialBearing)
        for _ in 0..<12 {
            let step = GeodesicEdge.advance(path.distance, path.initialBearing - heading)
            let next = min(max(along + step, 0), whole.distance)
            let miss = abs(next - along)
            if miss < 1e-5 { break }
            along = next
            (foot, heading) = Geodesic.direct(from: start, bearing: whole.initialBearing, distance: along)
            path = Geodesic.inverse(from: foot, to: point)
            // A miss of s makes the distance d wrong by s * s / 2d.
            if miss * miss < 1e-4 * path.distance { break }
        }
        return path.distance
    }

    /// How far to go on a heading until a point that lies at a distance and an angle from it is abeam, on the sphere.
    private static func advance(_ distance: Double, _ angle: Double) -> Double {
        let arc = distance / Ellipsoid.equatorialRadius
        return Ellipsoid.equatorialRadius * atan2(sin(arc) * UnitAngle(degrees: angle).cosine, cos(arc))
    }

    /// The band of latitudes that it runs through, degrees: a geodesic bulges towards the pole between its ends.
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
