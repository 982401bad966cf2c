import Geodesy

/// The shape of a condition: an area on the WGS-84 ellipsoid.
public enum FenceShape: Sendable, Equatable {
    /// The points within `radius` metres of `center` along the ground.
    case circle(center: Coordinate, radius: Double)
    /// The points inside the outer ring but in none of the holes.
    case polygon(Polygon)
    /// The points within half of `width` metres of the line through the points of `path`.
    case corridor(path: [Coordinate], width: Double)
}

/// An area bounded by rings of geodesics. A ring need not repeat its first point and may run in
/// either direction, cross the antimeridian or enclose a pole. It bounds the smaller of the two
/// areas into which it divides the Earth.
public struct Polygon: Sendable, Equatable {
    /// The outer ring, at least three points.
    public var ring: [Coordinate]
    /// The rings of the areas that are cut out.
    public var holes: [[Coordinate]]

    /// Creates a polygon.
    public init(ring: [Coordinate], holes: [[Coordinate]] = []) {
        self.ring = ring
        self.holes = holes
    }
}
