import Geodesy

/// Where a condition holds: an area of the WGS-84 ellipsoid.
public enum FenceShape: Sendable, Equatable {
    /// Everything within `radius` metres of `center` along the ground.
    case circle(center: Coordinate, radius: Double)
    /// Everything inside the outer ring and in none of the holes.
    case polygon(Polygon)
    /// Everything within half of `width` metres of the line through these points.
    case corridor(path: [Coordinate], width: Double)
}

/// An area between rings of geodesics. A ring need not repeat its first point at the end, may run either way around, may cross the
/// antimeridian and may go around a pole; it bounds the smaller of the two areas that it divides the Earth into.
public struct Polygon: Sendable, Equatable {
    /// Its outer bound, three points or more.
    public var ring: [Coordinate]
    /// What is cut out of it.
    public var holes: [[Coordinate]]

    /// An area.
    public init(ring: [Coordinate], holes: [[Coordinate]] = []) {
        self.ring = ring
        self.holes = holes
    }
}
