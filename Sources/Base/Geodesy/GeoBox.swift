import Glibc

/// A bounding box: a band of latitudes and an interval of longitudes, which may cross the
/// antimeridian.
public struct GeoBox: Sendable, Hashable {
    /// Degrees, -90 ... 90.
    public private(set) var south: Double
    /// Degrees, -90 ... 90, at least ``south``.
    public private(set) var north: Double
    /// The western edge, where the interval begins. Degrees, -180 ... 180.
    public private(set) var west: Double
    /// The width of the interval, eastwards from ``west``. Degrees, 0 ... 360.
    public private(set) var width: Double

    /// Creates a box that contains a single point. The box of a pole spans all longitudes.
    public init(_ point: Coordinate) {
        south = point.latitude
        north = point.latitude
        west = point.longitude
        width = 0
        if abs(point.latitude) == 90 { spanAllLongitudes() }
    }

    /// Creates a box from a band and an interval; values out of range are brought into range.
    ///
    /// - Parameters:
    ///   - west: Degrees; any finite number.
    ///   - width: Degrees eastwards; 360 or more means all longitudes.
    public init(south: Double, north: Double, west: Double, width: Double) {
        self.south = min(max(south, -90), 90)
        self.north = min(max(north, self.south), 90)
        self.west = west.remainder(dividingBy: 360)
        self.width = max(width, 0)
        if !(self.width < 360) || self.south == -90 || self.north == 90 { spanAllLongitudes() }
    }

    /// Whether the box spans all longitudes.
    public var spansAllLongitudes: Bool { width >= 360 }

    /// Returns whether the box contains a point; its edges belong to it.
    public func contains(_ point: Coordinate) -> Bool {
        point.latitude >= south && point.latitude <= north
            && (spansAllLongitudes || eastward(to: point.longitude) <= width)
    }

    /// Returns a box that contains every point within a distance of this one; it is never too
    /// small.
    ///
    /// If the margin reaches a pole, the box extends to the pole and spans all longitudes.
    ///
    /// - Parameter margin: Metres, 0 or more.
    public func expanded(by margin: Double) -> GeoBox {
        guard margin > 0 else { return self }
        // The smallest radius of curvature of the ellipsoid is along the meridian at the equator.
        let arc = margin / GeoBox.minRadius
        let degrees = arc * 180 / .pi
        let farthest = max(abs(south), abs(north))
        guard farthest + degrees < 90 else {
            return GeoBox(south: south - degrees, north: north + degrees, west: -180, width: 360)
        }
        // A meridian touches a cap about a point at that latitude where it is perpendicular to the
        // radius of the cap.
        let sideways = asin(min(sin(arc) / cos(farthest * .pi / 180), 1)) * 180 / .pi
        return GeoBox(
            south: south - degrees, north: north + degrees, west: west - sideways, width: width + 2 * sideways)
    }

    static let minRadius = Ellipsoid.polarRadius * Ellipsoid.polarRadius / Ellipsoid.equatorialRadius

    /// Returns the degrees eastwards from ``west`` to a meridian, 0 ..< 360.
    private func eastward(to longitude: Double) -> Double {
        let difference = longitude - west
        return difference < 0 ? difference + 360 : difference >= 360 ? difference - 360 : difference
    }

    private mutating func spanAllLongitudes() { (west, width) = (-180, 360) }
}
