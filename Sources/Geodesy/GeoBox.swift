import Glibc

/// A band of latitudes and an interval of longitudes, which may cross the antimeridian: what certainly holds an area.
public struct GeoBox: Sendable, Hashable {
    /// Degrees, -90 ... 90.
    public private(set) var south: Double
    /// Degrees, -90 ... 90, not below ``south``.
    public private(set) var north: Double
    /// Degrees, -180 ... 180: where the interval begins, going east.
    public private(set) var west: Double
    /// Degrees from ``west`` eastwards to the end of the interval, 0 ... 360.
    public private(set) var width: Double

    /// A single point; the pole lies on every meridian.
    public init(_ point: Coordinate) {
        (south, north, west, width) = (point.latitude, point.latitude, point.longitude, 0)
        if abs(point.latitude) == 90 { spanAllLongitudes() }
    }

    /// A band and an interval; what is out of range is brought into it.
    ///
    /// - Parameters:
    ///   - west: Degrees; any finite number.
    ///   - width: Degrees eastwards; 360 and more is all of them.
    public init(south: Double, north: Double, west: Double, width: Double) {
        self.south = min(max(south, -90), 90)
        self.north = min(max(north, self.south), 90)
        self.west = west.remainder(dividingBy: 360)
        self.width = max(width, 0)
        if !(self.width < 360) || self.south == -90 || self.north == 90 { spanAllLongitudes() }
    }

    /// The whole ellipsoid.
    public static let everywhere = GeoBox(south: -90, north: 90, west: -180, width: 360)

    /// Degrees, -180 ... 180: where the interval ends. Smaller than ``west`` where it crosses the antimeridian.
    public var east: Double { west + width > 180 ? west + width - 360 : west + width }
    /// Whether every meridian is in it.
    public var spansAllLongitudes: Bool { width >= 360 }
    /// Whether it crosses the antimeridian, and is two intervals of -180 ... 180.
    public var crossesAntimeridian: Bool { west + width > 180 }

    /// Whether a point is in it, the edges included.
    public func contains(_ point: Coordinate) -> Bool {
        point.latitude >= south && point.latitude <= north && (spansAllLongitudes || eastward(to: point.longitude) <= width)
    }

    /// Whether two boxes have a point in common.
    public func intersects(_ other: GeoBox) -> Bool {
        guard south <= other.north, other.south <= north else { return false }
        if spansAllLongitudes || other.spansAllLongitudes { return true }
        return eastward(to: other.west) <= width || other.eastward(to: west) <= other.width
    }

    /// The smallest box that holds both.
    public func union(_ other: GeoBox) -> GeoBox {
        var both = self
        (both.south, both.north) = (min(south, other.south), max(north, other.north))
        let (ahead, behind) = (eastward(to: other.west), other.eastward(to: west))
        let (fromMine, fromOther) = (max(width, ahead + other.width), max(other.width, behind + width))
        if spansAllLongitudes || other.spansAllLongitudes || min(fromMine, fromOther) >= 360 {
            both.spanAllLongitudes()
        } else if fromMine <= fromOther {
            both.width = fromMine
        } else {
            (both.west, both.width) = (other.west, fromOther)
        }
        return both
    }

    /// The box of all that lies within a distance of this one; never too small.
    ///
    /// Where the margin reaches a pole the box goes up to it and spans all longitudes.
    ///
    /// - Parameter margin: Metres, 0 or more.
    public func expanded(by margin: Double) -> GeoBox {
        guard margin > 0 else { return self }
        // The ellipsoid's least radius of curvature, along the meridian at the equator.
        let arc = margin / GeoBox.leastRadius
        let degrees = arc * 180 / .pi
        let farthest = max(abs(south), abs(north))
        guard farthest + degrees < 90 else {
            return GeoBox(south: south - degrees, north: north + degrees, west: -180, width: 360)
        }
        // A cap about a point at that latitude touches the meridians where its radius and theirs are at right angles.
        let sideways = asin(min(sin(arc) / cos(farthest * .pi / 180), 1)) * 180 / .pi
        return GeoBox(south: south - degrees, north: north + degrees, west: west - sideways, width: width + 2 * sideways)
    }

    static let leastRadius = Ellipsoid.polarRadius * Ellipsoid.polarRadius / Ellipsoid.equatorialRadius

    /// Degrees going east from ``west`` to a meridian, 0 ..< 360.
    private func eastward(to longitude: Double) -> Double {
        let difference = longitude - west
        return difference < 0 ? difference + 360 : difference >= 360 ? difference - 360 : difference
    }

    private mutating func spanAllLongitudes() { (west, width) = (-180, 360) }
}
