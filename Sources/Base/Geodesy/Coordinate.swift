/// A position on the WGS-84 ellipsoid.
public struct Coordinate: Sendable, Hashable {
    /// Degrees north of the equator, -90 ... 90.
    public var latitude: Double
    /// Degrees east of Greenwich, -180 ... 180.
    public var longitude: Double

    /// Creates a position from degrees. Returns nil if a value is not finite or out of range.
    public init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}

extension Coordinate {
    /// Returns the length of the geodesic to another point, in metres. See ``Geodesic`` for its
    /// accuracy.
    public func distance(to other: Coordinate) -> Double {
        Geodesic.inverse(from: self, to: other).distance
    }

    /// Returns the direction in which the geodesic to another point starts.
    ///
    /// - Returns: Degrees clockwise from true north, 0 ..< 360; 0 if the points coincide.
    public func initialBearing(to other: Coordinate) -> Double {
        Geodesic.inverse(from: self, to: other).initialBearing
    }

    /// Returns the point `distance` metres away on a bearing in degrees clockwise from true north.
    public func moved(by distance: Double, bearing: Double) -> Coordinate {
        Geodesic.direct(from: self, bearing: bearing, distance: distance).end
    }

    /// Returns the distance to a nearby point in metres, without the iterations of
    /// ``distance(to:)``.
    ///
    /// Uses Gauss's mid-latitude formula. Between 80 S and 80 N the error is below 0.1 mm over 1
    /// km, 0.1 m over 10 km and 60 m over 100 km. At 50 degrees it is a twentieth of that. The
    /// error grows with the cube of the distance. Do not use it for points on opposite sides of a
    /// pole.
    public func nearbyDistance(to other: Coordinate) -> Double {
        LocalPlane(origin: self).offset(of: other).length
    }
}
