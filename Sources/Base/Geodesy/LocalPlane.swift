import Glibc

/// A flat map about an origin, in metres east and north. Distances and directions from the origin
/// are true.
///
/// Uses Gauss's mid-latitude formula, rotated by half the meridian convergence (W. Torge and J.
/// Mueller, "Geodesy", 4th ed., section 6.3): an azimuthal equidistant map to third order. See
/// ``Coordinate/nearbyDistance(to:)`` for the error of a distance from the origin. Between two
/// points that both lie 10 km from the origin, the error of the distance is below 1 part in 500,000
/// up to 80 degrees of latitude.
public struct LocalPlane: Sendable, Hashable {
    /// The point at (0, 0).
    public let origin: Coordinate

    /// Creates a plane that touches the ellipsoid at `origin`.
    public init(origin: Coordinate) {
        self.origin = origin
    }

    /// A point on the plane.
    public struct Offset: Sendable, Hashable {
        /// Metres east of the origin.
        public var east: Double
        /// Metres north of the origin.
        public var north: Double

        /// Creates a point from its two components, in metres.
        public init(east: Double, north: Double) {
            self.east = east
            self.north = north
        }

        /// Creates a point from its distance to the origin in metres and its bearing in degrees
        /// clockwise from true north.
        public init(distance: Double, bearing: Double) {
            let angle = UnitAngle(degrees: bearing)
            east = distance * angle.sine
            north = distance * angle.cosine
        }

        /// The distance from the origin in metres.
        public var length: Double { (east * east + north * north).squareRoot() }

        /// Degrees clockwise from true north, 0 ..< 360; 0 at the origin.
        public var bearing: Double { UnitAngle(sine: east + 0, cosine: north + 0).bearing }
    }

    /// Returns the position of a point on the plane. Intended for points within 100 km and away
    /// from the poles.
    public func offset(of point: Coordinate) -> Offset {
        let east = (point.longitude - origin.longitude).remainder(dividingBy: 360) * .pi / 180
        let north = (point.latitude - origin.latitude) * .pi / 180
        let middle = UnitAngle(degrees: (point.latitude + origin.latitude) / 2)
        let radius = Ellipsoid.curvature(sine: middle.sine)
        let x = radius.primeVertical * middle.cosine * east
        let y = radius.meridian * north
        let turn = UnitAngle(radians: east * middle.sine / 2)
        return Offset(east: x * turn.cosine - y * turn.sine, north: y * turn.cosine + x * turn.sine)
    }

    /// Returns the coordinate of a point on the plane: the inverse of ``offset(of:)`` to a
    /// micrometre within 100 km.
    public func coordinate(at offset: Offset) -> Coordinate {
        var north = 0.0
        var east = 0.0
        for _ in 0..<8 {
            let middle = UnitAngle(radians: origin.latitude * .pi / 180 + north / 2)
            let radius = Ellipsoid.curvature(sine: middle.sine)
            let turn = UnitAngle(radians: east * middle.sine / 2)
            let x = offset.east * turn.cosine + offset.north * turn.sine
            let y = offset.north * turn.cosine - offset.east * turn.sine
            (north, east) = (y / radius.meridian, x / (radius.primeVertical * max(middle.cosine, 1e-9)))
        }
        let latitude = min(max(origin.latitude + north * 180 / .pi, -90), 90)
        let longitude = (origin.longitude + east * 180 / .pi).remainder(dividingBy: 360)
        return Coordinate(latitude: latitude, longitude: longitude) ?? origin
    }
}
