import Geodesy

extension FenceShape {
    /// Metres. Up to here the distance from a circle's centre is computed in the plane, with an
    /// error below 3 mm.
    private static let maxPlaneDistance = 3_000.0
    /// Degrees. Nearer to a pole the plane is not used.
    private static let maxPlaneLatitude = 80.0
    /// Degrees. Points with a greater difference of latitude are too far apart for the plane.
    private static let maxPlaneLatitudeDifference = 1.0

    /// Returns the distance in metres from a point to the boundary along the ground, positive
    /// inside.
    ///
    /// The error is below 3 mm for a circle. For rings and corridors it is 1 mm within 1 km of the
    /// boundary, for edges of any length, and the sign is always correct (see ``LocalDistance``).
    /// The method does not allocate. For a shape that ``validated()`` rejects, the result is
    /// meaningless but safe.
    public func signedDistance(from point: Coordinate) -> Double {
        switch self {
        case .circle(let center, let radius): return radius - FenceShape.distance(from: point, to: center)
        case .polygon(let polygon): return polygon.signedDistance(from: point)
        case .corridor(let path, let width):
            var measurement = LocalDistance(from: point)
            measurement.add(path: path)
            return width / 2 - measurement.distance
        }
    }

    /// Returns whether a point is inside or on the boundary.
    public func contains(_ point: Coordinate) -> Bool { signedDistance(from: point) >= 0 }

    private static func distance(from point: Coordinate, to center: Coordinate) -> Double {
        if abs(point.latitude) < maxPlaneLatitude,
            abs(point.latitude - center.latitude) < maxPlaneLatitudeDifference
        {
            let planeDistance = point.nearbyDistance(to: center)
            if planeDistance < maxPlaneDistance { return planeDistance }
        }
        return point.distance(to: center)
    }
}

extension Polygon {
    func signedDistance(from point: Coordinate) -> Double {
        var measurement = LocalDistance(from: point)
        var isInside = measurement.isInside(ring: ring)
        for hole in holes {
            // Evaluate holes even from outside: if a hole touches the ring, its edge may be the
            // nearest.
            if measurement.isInside(ring: hole) { isInside = false }
        }
        return isInside ? measurement.distance : -measurement.distance
    }
}
