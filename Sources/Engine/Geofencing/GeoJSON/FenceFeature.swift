import Chronology
import Geodesy
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
        /// Of a feature without a geometry: the beacons, as `UUID/MAJOR/MINOR`.
        static let beacon = "beacon"

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

extension FenceFeature {
    /// The condition as a GeoJSON Feature. A property with a defined meaning replaces metadata of
    /// the same name.
    package var json: JSONValue {
        var properties = metadata
        properties[Property.identifier] = .string(identifier)
        if condition.assuming != .unknown { properties[Property.assuming] = .string(condition.assuming.rawValue) }
        if let dwell = condition.dwell { properties[Property.dwell] = JSONValue(plainly: dwell.seconds) }
        if let expiry = condition.expiry { properties[Property.expiry] = .string(expiry.description) }
        switch condition.subject {
        case .area(.circle(_, let radius)): properties[Property.radius] = JSONValue(plainly: radius)
        case .area(.corridor(_, let width)): properties[Property.width] = JSONValue(plainly: width)
        case .area(.polygon): break
        case .visits: properties[Property.visits] = .bool(true)
        case .beacon(let identity): properties[Property.beacon] = .string(identity.description)
        case .significantChange(let change):
            properties[Property.significantChange] = [
                "distance": JSONValue(plainly: change.distance),
                "interval": JSONValue(plainly: change.interval.seconds),
            ]
        }
        return [
            "type": "Feature", "properties": .object(properties), "geometry": condition.shape?.geometry ?? .null,
        ]
    }
}

extension FenceShape {
    /// The GeoJSON geometry. Rings are closed, outer rings run counterclockwise, and the shape is
    /// split at the antimeridian (RFC 7946, 3.1.6 and 3.1.9).
    var geometry: JSONValue {
        switch self {
        case .circle(let center, _): return ["type": "Point", "coordinates": center.json]
        case .polygon(let polygon):
            let parts = AntimeridianSplitter.parts(of: polygon).map { part in
                JSONValue.array(([part.ring] + part.holes).map { ring in .array((ring + ring.prefix(1)).map(\.json)) })
            }
            if parts.count == 1 { return ["type": "Polygon", "coordinates": parts[0]] }
            return ["type": "MultiPolygon", "coordinates": .array(parts)]
        case .corridor(let path, _):
            let parts = AntimeridianSplitter.parts(of: path).map { JSONValue.array($0.map(\.json)) }
            if parts.count == 1 { return ["type": "LineString", "coordinates": parts[0]] }
            return ["type": "MultiLineString", "coordinates": .array(parts)]
        }
    }
}

extension Coordinate {
    /// The GeoJSON position: longitude first, seven decimals.
    fileprivate var json: JSONValue { [.double(Coordinate.rounded(longitude)), .double(Coordinate.rounded(latitude))] }

    private static func rounded(_ degrees: Double) -> Double {
        let scaled = (degrees * 1e7).rounded()
        return scaled == 0 ? 0 : scaled / 1e7
    }
}

extension JSONValue {
    /// Creates a number, without a decimal point if it is whole.
    fileprivate init(plainly number: Double) {
        self = Int64(exactly: number).map(JSONValue.int) ?? .double(number)
    }
}
