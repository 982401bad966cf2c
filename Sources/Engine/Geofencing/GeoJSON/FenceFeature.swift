import Varlink

/// A condition as a GeoJSON feature (RFC 7946): its geometry is the shape, and its properties hold
/// the rest.
///
/// | geometry | shape |
/// |---|---|
/// | `Point` with `properties.radius`, metres | circle |
/// | `Polygon`, or `MultiPolygon` of one area split at the antimeridian (section 3.1.9) | polygon |
/// | `LineString`, or connected `MultiLineString`, with `properties.width`, metres | corridor |
///
/// Edges are geodesics, whereas RFC 7946 uses straight lines in longitude and latitude. At 60
/// degrees north, the middle of a 10 km edge differs by 3.4 m, and that of a 1 km edge by 3 cm.
package struct FenceFeature: Sendable, Equatable {
    /// The name of the condition: `properties.identifier`, or the feature's `id`.
    package var identifier: String
    /// The shape, with the properties `assuming`, `dwell` (seconds) and `expiry` (RFC 3339).
    package var condition: FenceCondition
    /// All other properties, unchanged. None resembles a property with a meaning: such a feature is
    /// refused.
    package var metadata: [String: JSONValue]

    /// Creates a feature for a condition.
    package init(identifier: String, condition: FenceCondition, metadata: [String: JSONValue] = [:]) {
        self.identifier = identifier
        self.condition = condition
        self.metadata = metadata
    }

    /// The names of the properties that are not metadata.
    enum Property {
        static let identifier = "identifier"
        static let radius = "radius"
        static let width = "width"
        static let dwell = "dwell"
        static let expiry = "expiry"
        static let assuming = "assuming"
        /// Of a feature without a geometry: true for a condition on visits.
        static let visits = "visits"
        /// Of a feature without a geometry: the movements that a condition concerns.
        static let significantChange = "significantChange"

        /// Those that a condition of any shape has.
        static let common = [identifier, dwell, expiry, assuming]
    }
}

/// The limits of a file of features. ``ConditionLimit`` has those of one feature. Errors state the
/// limit that was exceeded.
package enum FeatureLimit {
    /// The size of the whole text, in bytes.
    package static let text = 64 << 20
    /// The number of features in a collection.
    package static let features = 100_000
}
