public import Geofencing
public import Varlink

/// A condition as a GeoJSON feature tells it (RFC 7946): where it holds is its geometry, the rest its properties.
///
/// | geometry | shape |
/// |---|---|
/// | `Point` with `properties.radius`, metres | circle |
/// | `Polygon`, or a `MultiPolygon` that is one area cut along the antimeridian (section 3.1.9) | polygon |
/// | `LineString`, or a `MultiLineString` whose parts join, with `properties.width`, metres | corridor |
///
/// Edges are geodesics, where RFC 7946 has straight lines on a map with a plain grid: at 60 degrees north the two part by 3.4 m in the
/// middle of an edge of 10 km, and by 3 cm in one of a kilometre.
public struct FenceFeature: Sendable, Equatable {
    /// What it is called: `properties.identifier`, or the feature's `id`.
    public var identifier: String
    /// Its shape, and `assuming`, `dwell` (seconds) and `expiry` (RFC 3339) of its properties.
    public var condition: Condition
    /// All other properties, as they came.
    public var metadata: [String: JSONValue]

    /// A condition of that name.
    public init(identifier: String, condition: Condition, metadata: [String: JSONValue] = [:]) {
        (self.identifier, self.condition, self.metadata) = (identifier, condition, metadata)
    }

    /// The properties that are not metadata.
    enum Property {
        static let identifier = "identifier"
        static let radius = "radius"
        static let width = "width"
        static let dwell = "dwell"
        static let expiry = "expiry"
        static let assuming = "assuming"
    }
}

/// What a feature may hold at most; what is beyond is refused with these figures. Those of `io.sextant.Monitor`.
public enum FeatureLimit {
    /// Bytes of a whole text.
    public static let text = 64 << 20
    /// Features of a collection.
    public static let features = 100_000
    /// Bytes of an identifier.
    public static let identifier = 255
    /// Points of a shape, all rings together.
    public static let points = 1000
    /// Metres of a radius or a width.
    public static let metres = 1_000_000.0
    /// Seconds of a dwell: a year.
    public static let dwell = 31_536_000.0
    /// Bytes of metadata, written without spaces.
    public static let metadata = 4096
}
