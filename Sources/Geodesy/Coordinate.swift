/// A position on the WGS-84 ellipsoid.
public struct Coordinate: Sendable, Hashable {
    /// Degrees north of the equator, -90 ... 90.
    public var latitude: Double
    /// Degrees east of Greenwich, -180 ... 180.
    public var longitude: Double

    /// A position by its degrees; nil when either is not finite or out of range.
    public init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}
